#include "kernels/plan/pair.hpp"

#include <fmt/format.h>

#include "kernels/plan/split.hpp"

namespace pageproof::plan {
namespace {

constexpr std::uint64_t kMostRows = std::uint64_t{1} << 63;

std::unexpected<Error> refuse(const std::string& side, std::size_t region, const char* field,
                              std::uint64_t value, std::string problem) {
  return std::unexpected(
      Error{side, fmt::format("regions[{}].{}", region, field), std::to_string(value), std::move(problem)});
}

Expected<void> checked(const Slice& slice, Split split) {
  const auto refuse_slice = [](const char* field, auto value, std::string problem) {
    return std::unexpected(Error{"slice", field, fmt::format("{}", value), std::move(problem)});
  };
  if (slice.ratio == 0) return refuse_slice("ratio", 0, "not positive");
  if (slice.sources == 0) return refuse_slice("sources", 0, "not positive");
  if (slice.shares == 0) return refuse_slice("shares", 0, "not positive");
  if (slice.slot >= slice.sources) {
    return refuse_slice("slot", slice.slot, fmt::format("not one of {} sources", slice.sources));
  }
  if (slice.rank_offset_factor >= slice.shares) {
    return refuse_slice("rank_offset_factor", slice.rank_offset_factor,
                        fmt::format("not one of {} shares", slice.shares));
  }
  if (slice.sources > 1 && slice.shares > 1) {
    return refuse_slice("shares", slice.shares, "either side has more ranks than the other, not both");
  }
  if (slice.ratio > 1 && slice.sources > 1) {
    return refuse_slice("ratio", slice.ratio, "blocks of unequal size are read from one source rank only");
  }
  if (slice.ratio > 1 && split == Split::slots) {
    return refuse_slice("ratio", slice.ratio,
                        "two-slot pages of unequal block sizes are no parts of each other");
  }
  if (split == Split::halves && slice != Slice{}) {
    return refuse_slice("ratio, sources, shares",
                        fmt::format("{}, {}, {}", slice.ratio, slice.sources, slice.shares),
                        "byte halves need equal TP and equal block sizes");
  }
  return {};
}

// A descriptor list has one memory type.
Expected<void> of_one_memory(std::span<const Region> regions, const std::string& side) {
  for (std::size_t i = 1; i < regions.size(); ++i) {
    if (regions[i].memory == regions[0].memory) continue;
    return std::unexpected(Error{side, fmt::format("regions[{}].memory", i),
                                 regions[i].memory == Memory::dram ? "DRAM" : "VRAM",
                                 "regions of one list lie in one memory"});
  }
  return {};
}

struct Rows {
  Series local;
  Series remote;
};

// Local sub-block (b, j) holds, at this source's share, remote block b · ratio + j from its rank offset on.
Expected<Rows> rows_of(const Region& local, const Region& remote, std::size_t i, const Slice& slice) {
  if (local.block_len % slice.ratio != 0) {
    return refuse("local", i, "block_len", local.block_len,
                  fmt::format("not a multiple of the ratio {}", slice.ratio));
  }
  const std::uint64_t unit = local.block_len / slice.ratio;
  const std::uint64_t sources = local.replicated ? 1 : slice.sources;
  if (unit % sources != 0) {
    return refuse("local", i, "block_len", local.block_len,
                  fmt::format("not a multiple of {} sources", sources));
  }
  const std::uint64_t bytes = unit / sources;
  // What one remote block holds, over all decode ranks that share it.
  std::uint64_t held = bytes;
  if (!local.replicated && __builtin_mul_overflow(bytes, slice.shares, &held)) held = 0;
  if (remote.block_len != held) {
    return refuse("remote", i, "block_len", remote.block_len, fmt::format("the local side expects {}", held));
  }
  const std::uint64_t to = local.replicated ? 0 : slice.slot;
  const std::uint64_t from = local.replicated ? 0 : slice.rank_offset_factor;
  return Rows{
      series_of_share(local.base, local.block_stride, local.num_blocks, slice.ratio, bytes, to),
      series_of_share(remote.base, remote.block_stride, remote.num_blocks, std::uint64_t{1}, bytes, from)};
}

}  // namespace

Expected<Prepared> prepare(const Side& local, const Side& remote, Split split, const Slice& slice) {
  if (const auto ok = checked(slice, split); !ok) return std::unexpected(ok.error());
  if (const auto ok = checked(local.regions, "local"); !ok) return std::unexpected(ok.error());
  if (const auto ok = checked(remote.regions, "remote"); !ok) return std::unexpected(ok.error());
  if (const auto ok = of_one_memory(local.regions, "local"); !ok) return std::unexpected(ok.error());
  if (const auto ok = of_one_memory(remote.regions, "remote"); !ok) return std::unexpected(ok.error());
  Prepared prepared{local.regions, remote.regions, {}, {}, {}, {}};
  if (split == Split::slots) {
    auto halves = in_halves(local.regions, "local");
    if (!halves) return std::unexpected(halves.error());
    prepared.local_regions = *std::move(halves);
  }
  if (split != Split::none) {
    auto halves = in_halves(remote.regions, "remote");
    if (!halves) return std::unexpected(halves.error());
    prepared.remote_regions = *std::move(halves);
  }
  const std::size_t regions = prepared.local_regions.size();
  if (prepared.remote_regions.size() != regions) {
    return std::unexpected(
        Error{"remote", "regions", std::to_string(prepared.remote_regions.size()),
              fmt::format("the local side has {}{}", regions,
                          split == Split::halves ? "; each remote region counts as two halves" : "")});
  }
  std::vector<Series> local_series, remote_series;
  std::uint64_t local_rows = 0;
  for (std::size_t i = 0; i < regions; ++i) {
    const Region& to = prepared.local_regions[i];
    const Region& from = prepared.remote_regions[i];
    if (to.group != from.group) {
      return std::unexpected(Error{"remote", fmt::format("regions[{}].group", i), std::to_string(from.group),
                                   fmt::format("the local region serves group {}", to.group)});
    }
    std::uint64_t count = 0;
    const auto rows = rows_of(to, from, i, slice);
    if (!rows) return std::unexpected(rows.error());
    if (__builtin_mul_overflow(to.num_blocks, slice.ratio, &count) || count >= kMostRows - local_rows) {
      return refuse("local", i, "num_blocks", to.num_blocks, "2^63 descriptors or more");
    }
    local_rows += count;
    local_series.push_back(rows->local);
    remote_series.push_back(rows->remote);
  }
  prepared.local = DescriptorTable(std::move(local_series), local.device);
  prepared.remote = DescriptorTable(std::move(remote_series), remote.device);
  prepared.local_order = id_order(prepared.local_regions, prepared.local);
  prepared.remote_order = id_order(prepared.remote_regions, prepared.remote);
  return prepared;
}

}  // namespace pageproof::plan
