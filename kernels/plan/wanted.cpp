#include "kernels/plan/wanted.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pageproof::plan {
namespace {

// Bytes of each pair of blocks: [from_offset, + bytes) of the remote one go to [to_offset, + bytes) of the
// local one.
struct Piece {
  std::size_t to = 0;    // local region
  std::size_t from = 0;  // remote region
  std::uint64_t to_offset = 0;
  std::uint64_t from_offset = 0;
  std::uint64_t bytes = 0;
};

std::unexpected<Error> refuse(const char* side, std::size_t region, const char* field, std::uint64_t value,
                              std::string problem) {
  return std::unexpected(
      Error{side, fmt::format("regions[{}].{}", region, field), std::to_string(value), std::move(problem)});
}

bool inside(std::uint64_t offset, std::uint64_t bytes, std::uint64_t block_bytes) {
  return offset <= block_bytes && bytes <= block_bytes - offset;
}

// Page p as K plane 2p and V plane 2p + 1.
std::vector<Piece> halves_of(const Side& local, const Side& remote) {
  std::vector<Piece> pieces;
  for (std::size_t page = 0; page < remote.regions.size(); ++page) {
    const std::uint64_t half = remote.regions[page].block_len / 2;
    if (2 * page + 1 >= local.regions.size()) break;
    pieces.push_back({2 * page, page, 0, 0, half});
    pieces.push_back({2 * page + 1, page, 0, half, half});
  }
  return pieces;
}

// What this source rank gives of region i, in `slots` equal slots a block.
void add_share(const Side& local, const Side& remote, std::size_t i, std::uint64_t slots, const Slice& slice,
               std::vector<Piece>& pieces) {
  const std::uint64_t here = local.regions[i].block_len / slots / slice.ratio;
  const std::uint64_t there = remote.regions[i].block_len / slots;
  const bool replicated = local.regions[i].replicated;
  const std::uint64_t bytes = replicated ? here : here / slice.sources;
  for (std::uint64_t s = 0; s < slots; ++s) {
    pieces.push_back({i, i, s * here + (replicated ? 0 : slice.slot * bytes),
                      s * there + (replicated ? 0 : slice.rank_offset_factor * here), bytes});
  }
}

Expected<void> fits(const Side& local, const Side& remote, const Piece& piece, const Slice& slice) {
  const std::uint64_t block = local.regions[piece.to].block_len / slice.ratio;
  if (!inside(piece.to_offset, piece.bytes, block)) {
    return refuse("local", piece.to, "block_len", local.regions[piece.to].block_len,
                  fmt::format("{} bytes from {} on are not inside", piece.bytes, piece.to_offset));
  }
  if (!inside(piece.from_offset, piece.bytes, remote.regions[piece.from].block_len)) {
    return refuse("remote", piece.from, "block_len", remote.regions[piece.from].block_len,
                  fmt::format("{} bytes from {} on are not inside", piece.bytes, piece.from_offset));
  }
  return {};
}

bool one_group(const Side& side) {
  return std::ranges::adjacent_find(side.regions, std::ranges::not_equal_to{}, &Region::group) ==
         side.regions.end();
}

Expected<void> equal_lists(const PairedBlocks& blocks) {
  if (blocks.local.size() != blocks.remote.size()) {
    return std::unexpected(Error{"remote blocks", "groups", std::to_string(blocks.remote.size()),
                                 fmt::format("the local side has {} groups", blocks.local.size())});
  }
  for (std::size_t g = 0; g < blocks.local.size(); ++g) {
    if (blocks.local[g].size() == blocks.remote[g].size()) continue;
    return std::unexpected(Error{fmt::format("remote blocks of group {}", g), "",
                                 std::to_string(blocks.remote[g].size()),
                                 fmt::format("paired with {}", blocks.local[g].size())});
  }
  return {};
}

Expected<void> add_blocks(const Side& local, const Side& remote, const Piece& piece, const Slice& slice,
                          const BlockIds& to, const BlockIds& from, Moves& moves) {
  const Region& here = local.regions[piece.to];
  const Region& there = remote.regions[piece.from];
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::uint64_t block = to[i] / slice.ratio, part = to[i] % slice.ratio;
    if (block >= here.num_blocks) {
      return refuse("local", piece.to, "num_blocks", here.num_blocks, fmt::format("no block {}", block));
    }
    if (from[i] >= there.num_blocks) {
      return refuse("remote", piece.from, "num_blocks", there.num_blocks,
                    fmt::format("no block {}", from[i]));
    }
    const std::uint64_t part_offset = part * (here.block_len / slice.ratio);
    moves.add(
        {here.base + block * here.block_stride + part_offset + piece.to_offset, piece.bytes, local.device},
        {there.base + from[i] * there.block_stride + piece.from_offset, piece.bytes, remote.device});
  }
  return {};
}

Expected<void> checked_sides(const Side& local, const Side& remote, std::uint64_t remote_counts) {
  if (const auto ok = checked(local.regions, "local"); !ok) return ok;
  if (const auto ok = checked(remote.regions, "remote"); !ok) return ok;
  if (local.regions.size() == remote_counts * remote.regions.size()) return {};
  return std::unexpected(Error{"remote", "regions", std::to_string(remote.regions.size()),
                               fmt::format("the local side has {}", local.regions.size())});
}

}  // namespace

void Moves::add(const Descriptor& to, const Descriptor& from) {
  local.push_back(to);
  remote.push_back(from);
}

Expected<Moves> wanted_moves(const Side& local, const Side& remote, Split split, const Slice& slice,
                             const PairedBlocks& blocks) {
  if (slice.ratio == 0 || slice.sources == 0) {
    return std::unexpected(Error{"slice", slice.ratio == 0 ? "ratio" : "sources", "0", "not positive"});
  }
  if (const auto ok = checked_sides(local, remote, split == Split::halves ? 2 : 1); !ok)
    return std::unexpected(ok.error());
  if (const auto ok = equal_lists(blocks); !ok) return std::unexpected(ok.error());
  std::vector<Piece> pieces;
  if (split == Split::halves) {
    pieces = halves_of(local, remote);
  } else {
    for (std::size_t i = 0; i < local.regions.size(); ++i)
      add_share(local, remote, i, split == Split::slots ? 2 : 1, slice, pieces);
  }
  if (const auto ok = few_enough(blocks.local, pieces.size()); !ok) return std::unexpected(ok.error());
  Moves moves;
  const bool all_groups = one_group(local);
  for (const Piece& piece : pieces) {
    if (const auto ok = fits(local, remote, piece, slice); !ok) return std::unexpected(ok.error());
    const std::int64_t group = local.regions[piece.to].group;
    for (std::size_t g = 0; g < blocks.local.size(); ++g) {
      if (!all_groups && group != kShared && group != static_cast<std::int64_t>(g)) continue;
      if (const auto ok = add_blocks(local, remote, piece, slice, blocks.local[g], blocks.remote[g], moves);
          !ok) {
        return std::unexpected(ok.error());
      }
    }
  }
  return moves;
}

Expected<Moves> wanted_run_moves(const Side& local, const Side& remote, const PairedBlocks& blocks) {
  // Block for block first: it refuses whatever does not fit.
  const auto checked_first = wanted_moves(local, remote, Split::halves, {}, blocks);
  if (!checked_first) return std::unexpected(checked_first.error());
  Moves moves;
  for (std::size_t g = 0; g < blocks.local.size(); ++g) {
    const BlockIds &to = blocks.local[g], &from = blocks.remote[g];
    for (std::size_t first = 0, end = 0; first < to.size(); first = end) {
      end = first + 1;
      while (end < to.size() && to[end] == to[first] + (end - first) &&
             from[end] == from[first] + (end - first))
        ++end;
      const std::uint64_t pages = end - first;
      for (std::size_t page = 0; page < remote.regions.size(); ++page) {
        const Region& source = remote.regions[page];
        const std::uint64_t half = source.block_len / 2;
        const std::uint64_t begin = source.base + from[first] * source.block_stride;
        for (const std::size_t side : {0, 1}) {
          const Region& plane = local.regions[2 * page + side];
          moves.add({plane.base + to[first] * plane.block_stride, pages * half, local.device},
                    {begin + side * pages * half, pages * half, remote.device});
        }
      }
    }
  }
  return moves;
}

}  // namespace pageproof::plan
