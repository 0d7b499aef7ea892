// A list of block ids as a person writes it. The first two bytes are the pool's size.
#include "model/page/plain/block_ids.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "fuzz/decoders/decoder.hpp"

namespace pageproof::fuzz {

void decode_one(Bytes input) {
  if (input.size() < 2) return;
  const std::uint64_t blocks =
      std::to_integer<std::uint64_t>(input[0]) << 8 | std::to_integer<std::uint64_t>(input[1]);
  const std::string_view text = text_of(input.subspan(2));
  // A range stands for as many ids as it names, and a pool for its blocks: the pool's size bounds the memory.
  const auto ids = parse_block_ids(text, blocks);
  if (!ids) return must_be_one_line(ids.error());
  must(ids->size() <= blocks && !ids->empty(), "no more ids than blocks, and at least one");
  must(std::set(ids->begin(), ids->end()).size() == ids->size(), "every id stands once");
  for (const std::uint64_t id : *ids) must(id < blocks, "every id lies in the pool");
  const auto again = parse_block_ids(fmt::format("{}", fmt::join(*ids, ",")), blocks);
  must(again && *again == *ids, "a list comes back");
}

}  // namespace pageproof::fuzz
