#include "golden/pages/places.hpp"

#include <array>
#include <cassert>
#include <numeric>

namespace pageproof::golden {
namespace {

BlockIds first_ids(std::uint64_t blocks, const std::array<std::int64_t, 4>& ids) {
  assert(blocks <= ids.size());
  return {ids.begin(), ids.begin() + blocks};
}

BlockIds with(BlockIds ids, std::int64_t last) {
  ids.push_back(last);
  return ids;
}

}  // namespace

Places dense_places(std::uint64_t blocks) {
  BlockIds ids(blocks);
  std::iota(ids.begin(), ids.end(), 0);
  return {{blocks, ids}, {blocks, ids}, {}};
}

Places in_order_places(std::uint64_t blocks) {
  Places places = dense_places(blocks);
  places.planes.num_blocks += 2;
  for (std::int64_t& id : places.planes.block_ids) ++id;
  return places;
}

Places scattered_places(std::uint64_t blocks) {
  Places places{{9, first_ids(blocks, {7, 0, 4, 2})}, {13, first_ids(blocks, {11, 2, 7, 5})}, {}};
  if (blocks > 1) places.flags.push_back("BlockIdsOutOfOrder");
  return places;
}

Places high_places(std::uint64_t blocks, std::uint64_t highest_block) {
  const auto top = static_cast<std::int64_t>(highest_block);
  Places places = scattered_places(blocks);
  places.planes = {highest_block + 1, first_ids(blocks, {top, 3, top - 43, 41})};
  places.flags.push_back("HighBlockIds");
  return places;
}

std::vector<BadRequest> bad_requests(const Places& places) {
  using enum Operation;
  const auto beyond_standard = static_cast<std::int64_t>(places.standard.num_blocks);
  const auto beyond = static_cast<std::int64_t>(places.planes.num_blocks);
  const BlockIds from = with(places.standard.block_ids, beyond_standard - 1);
  const BlockIds& to = places.planes.block_ids;
  return {
      {convert_in_place, "in place, the first block once more", "DuplicateBlockId", {{}, with(to, to[0])}},
      {convert, "two pages into one block", "DuplicateBlockId", {from, with(to, to[0])}},
      {convert_in_place, "in place, an id equal to num_blocks", "BlockIdBeyondPool", {{}, with(to, beyond)}},
      {convert, "a block of the planes equal to num_blocks", "BlockIdBeyondPool", {from, with(to, beyond)}},
      {convert,
       "a standard block equal to num_blocks",
       "BlockIdBeyondPool",
       {with(places.standard.block_ids, beyond_standard), with(to, 0)}},
      {convert_in_place, "in place, an id of -1", "NegativeBlockId", {{}, with(to, -1)}},
      {convert, "a block of the planes of -1", "NegativeBlockId", {from, with(to, -1)}},
  };
}

}  // namespace pageproof::golden
