#include "kernels/plan/wanted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

// Page p as K plane 2p and V plane 2p + 1, of half its bytes each.
Expected<std::vector<Piece>> halves_of(const Side& local, const Side& remote) {
  std::vector<Piece> pieces;
  for (std::size_t plane = 0; plane < local.regions.size(); ++plane) {
    const std::size_t page = plane / 2;
    const std::uint64_t half = local.regions[plane].block_len, whole = remote.regions[page].block_len;
    if (whole % 2 != 0 || half != whole / 2)
      return refuse("local", plane, "block_len", half, fmt::format("not half of the page's {} B", whole));
    pieces.push_back({plane, page, 0, plane % 2 * half, half});
  }
  return pieces;
}

// What this source rank gives of region i, in `slots` equal slots a block: the local block is cut into
// slots, those into parts for its sub-blocks, and those among the sources; the remote one into slots, and
// those among the decode ranks that share them. The pieces of all sources and shares fill both blocks.
Expected<void> add_share(const Side& local, const Side& remote, std::size_t i, std::uint64_t slots,
                         const Slice& slice, std::vector<Piece>& pieces) {
  const Region &to = local.regions[i], &from = remote.regions[i];
  const std::uint64_t sources = to.replicated ? 1 : slice.sources;
  const std::uint64_t shares = to.replicated ? 1 : slice.shares;
  std::uint64_t bytes = to.block_len;
  for (const std::uint64_t parts : {slots, slice.ratio, sources}) {
    if (bytes % parts != 0)
      return refuse("local", i, "block_len", to.block_len,
                    fmt::format("not {} equal parts of {} B", parts, bytes));
    bytes /= parts;
  }
  __extension__ using Wide = unsigned __int128;
  const Wide expected = Wide{bytes} * slots * shares;
  if (expected != from.block_len) {
    const auto shown = expected > UINT64_MAX ? std::string("2^64 B or more")
                                             : std::to_string(static_cast<std::uint64_t>(expected));
    return refuse("remote", i, "block_len", from.block_len, fmt::format("the local side expects {}", shown));
  }
  const std::uint64_t slot = to.replicated ? 0 : slice.slot;
  const std::uint64_t share = to.replicated ? 0 : slice.rank_offset_factor;
  for (std::uint64_t s = 0; s < slots; ++s) {
    pieces.push_back({i, i, (s * sources + slot) * bytes, (s * shares + share) * bytes, bytes});
  }
  return {};
}

// One source and one share out of those there are, and either of them one; sub-blocks come from one source.
Expected<void> can_be(const Slice& slice, Split split) {
  const auto not_one = [](const char* field, std::uint64_t value, std::string problem) {
    return std::unexpected(Error{"slice", field, std::to_string(value), std::move(problem)});
  };
  for (const auto& [field, value] : {std::pair{"ratio", slice.ratio}, std::pair{"sources", slice.sources},
                                     std::pair{"shares", slice.shares}}) {
    if (value == 0) return not_one(field, 0, "not positive");
  }
  if (slice.slot >= slice.sources)
    return not_one("slot", slice.slot, fmt::format("not below {} sources", slice.sources));
  if (slice.rank_offset_factor >= slice.shares)
    return not_one("rank_offset_factor", slice.rank_offset_factor,
                   fmt::format("not below {} shares", slice.shares));
  if (split == Split::halves && slice != Slice{}) {
    return std::unexpected(Error{"slice", "ratio, sources, shares",
                                 fmt::format("{}, {}, {}", slice.ratio, slice.sources, slice.shares),
                                 "halves are of whole pages: a slice has no part in them"});
  }
  if (slice.sources > 1 && slice.shares > 1)
    return not_one("shares", slice.shares, "one side has more ranks than the other, not both");
  if (slice.ratio > 1 && slice.sources > 1)
    return not_one("ratio", slice.ratio, "sub-blocks are of one source rank");
  if (slice.ratio > 1 && split == Split::slots)
    return not_one("ratio", slice.ratio, "sub-blocks are no parts of two slots");
  return {};
}

// Both sides of a piece are of one group. Unless all regions are, each group has a list and each list that
// has blocks a group.
Expected<void> groups_fit(const Side& local, const Side& remote, const std::vector<Piece>& pieces,
                          const BlockGroups& lists, bool all_groups) {
  for (const Piece& piece : pieces) {
    const std::int64_t here = local.regions[piece.to].group, there = remote.regions[piece.from].group;
    const auto wrong = [](const char* side, std::size_t region, std::int64_t group, std::string problem) {
      return std::unexpected(
          Error{side, fmt::format("regions[{}].group", region), std::to_string(group), std::move(problem)});
    };
    if (here != there)
      return wrong("remote", piece.from, there, fmt::format("the local region serves group {}", here));
    if (!all_groups && here != kShared && std::cmp_greater_equal(here, lists.size()))
      return wrong(
          "local", piece.to, here,
          fmt::format("the request has {} list{} of blocks", lists.size(), lists.size() == 1 ? "" : "s"));
  }
  for (std::size_t g = 0; g < lists.size() && !all_groups; ++g) {
    const auto serves = [&](const Region& region) {
      return region.group == kShared || std::cmp_equal(region.group, g);
    };
    if (lists[g].empty() || std::ranges::any_of(local.regions, serves)) continue;
    return std::unexpected(Error{"local_blocks", fmt::format("[{}]", g), std::to_string(lists[g].size()),
                                 fmt::format("no region serves list {}", g)});
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
    BlockIds sources = blocks.remote[g];
    std::ranges::sort(sources);
    if (const auto twice = std::ranges::adjacent_find(sources); twice != sources.end()) {
      return std::unexpected(
          Error{"remote_blocks", fmt::format("[{}]", g), std::to_string(*twice), "stands twice"});
    }
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
  if (const auto ok = can_be(slice, split); !ok) return std::unexpected(ok.error());
  if (const auto ok = checked_sides(local, remote, split == Split::halves ? 2 : 1); !ok)
    return std::unexpected(ok.error());
  if (const auto ok = equal_lists(blocks); !ok) return std::unexpected(ok.error());
  if (split == Split::halves && blocks.local.size() != 1) {
    return std::unexpected(Error{"local_blocks", "groups", std::to_string(blocks.local.size()),
                                 "pages that are converted have one transfer group"});
  }
  std::vector<Piece> pieces;
  if (split == Split::halves) {
    auto halves = halves_of(local, remote);
    if (!halves) return std::unexpected(halves.error());
    pieces = *std::move(halves);
  } else {
    for (std::size_t i = 0; i < local.regions.size(); ++i) {
      const auto ok = add_share(local, remote, i, split == Split::slots ? 2 : 1, slice, pieces);
      if (!ok) return std::unexpected(ok.error());
    }
  }
  if (const auto ok = few_enough(blocks.local, pieces.size()); !ok) return std::unexpected(ok.error());
  Moves moves;
  const bool all_groups = one_group(local);
  if (const auto ok = groups_fit(local, remote, pieces, blocks.local, all_groups); !ok)
    return std::unexpected(ok.error());
  for (const Piece& piece : pieces) {
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
  for (const auto& [name, side] : {std::pair{"local", &local}, std::pair{"remote", &remote}}) {
    for (std::size_t i = 0; i < side->regions.size(); ++i) {
      const Region& region = side->regions[i];
      if (region.block_stride == region.block_len) continue;
      return refuse(name, i, "block_stride", region.block_stride, "blocks of a run lie one behind the other");
    }
  }
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
