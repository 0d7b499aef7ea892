#include "kernels/plan/strategy.hpp"

#include <fmt/format.h>

#include "kernels/plan/pair.hpp"
#include "kernels/plan/posted.hpp"

namespace pageproof::plan {
namespace {

std::unexpected<Error> refuse(std::string subject, std::string field, std::string value,
                              std::string problem) {
  return std::unexpected(Error{std::move(subject), std::move(field), std::move(value), std::move(problem)});
}

// Two planes of half a page for each region of pages; then prepare() has refused what else is wrong.
Expected<Prepared> prepared(const Side& local, const Side& remote) {
  auto pair = prepare(local, remote, Split::halves, {});
  if (!pair) return pair;
  for (std::size_t i = 0; i < local.regions.size(); ++i) {
    const std::uint64_t page = remote.regions[i / 2].block_len;
    if (2 * local.regions[i].block_len == page) continue;
    return refuse("local", fmt::format("regions[{}].block_len", i),
                  std::to_string(local.regions[i].block_len),
                  fmt::format("not half of the remote page's {} B", page));
  }
  return pair;
}

Expected<void> inside(const Side& local, const Side& remote, const std::vector<BlockPair>& blocks) {
  const auto check = [](const Side& side, const std::string& name, std::uint64_t block) -> Expected<void> {
    for (std::size_t i = 0; i < side.regions.size(); ++i) {
      if (block < side.regions[i].num_blocks) continue;
      return refuse(name, "block ids", std::to_string(block),
                    fmt::format("region {} has {} blocks", i, side.regions[i].num_blocks));
    }
    return {};
  };
  for (const BlockPair& pair : blocks) {
    if (const auto ok = check(local, "local", pair.local); !ok) return ok;
    if (const auto ok = check(remote, "remote", pair.remote); !ok) return ok;
  }
  return {};
}

BlockIds one_after_another(std::uint64_t count) {
  BlockIds ids(count);
  for (std::uint64_t i = 0; i < count; ++i) ids[i] = i;
  return ids;
}

}  // namespace

std::string_view to_string(Strategy strategy) {
  constexpr std::string_view names[] = {"halves", "staged", "run-halves", "whole", "slots"};
  return names[static_cast<std::size_t>(strategy)];
}

bool converts(Strategy strategy) {
  return strategy != Strategy::whole && strategy != Strategy::slots;
}

std::vector<Run> runs_of(const std::vector<BlockPair>& blocks) {
  std::vector<Run> runs;
  for (const BlockPair& pair : blocks) {
    const bool follows = !runs.empty() && pair.local == runs.back().local + runs.back().blocks &&
                         pair.remote == runs.back().remote + runs.back().blocks;
    if (follows) {
      ++runs.back().blocks;
    } else {
      runs.push_back({pair.local, pair.remote, 1});
    }
  }
  return runs;
}

Expected<Read> read_prepared(const Prepared& pair, const PairedBlocks& blocks) {
  Read read{pair.local, pair.remote, {}, {}};
  read.local_ids.resize(id_count(pair.local_order, blocks.local));
  read.remote_ids.resize(id_count(pair.remote_order, blocks.remote));
  if (read.local_ids.size() != read.remote_ids.size()) {
    return refuse("remote", "blocks", std::to_string(read.remote_ids.size()),
                  fmt::format("descriptors, paired with {}", read.local_ids.size()));
  }
  if (const auto ok = fill_ids(pair.local_order, blocks.local, "local", read.local_ids); !ok) {
    return std::unexpected(ok.error());
  }
  if (const auto ok = fill_ids(pair.remote_order, blocks.remote, "remote", read.remote_ids); !ok) {
    return std::unexpected(ok.error());
  }
  return read;
}

Expected<Read> read_halves(const Side& local, const Side& remote, const std::vector<BlockPair>& blocks) {
  const auto pair = prepared(local, remote);
  if (!pair) return std::unexpected(pair.error());
  PairedBlocks paired{BlockGroups(1), BlockGroups(1)};
  for (const BlockPair& block : blocks) {
    paired.local.front().push_back(block.local);
    paired.remote.front().push_back(block.remote);
  }
  return read_prepared(*pair, paired);
}

Expected<Read> read_staged(const Side& local, const Side& remote, const Staging& staging,
                           const std::vector<BlockPair>& blocks) {
  const auto pair = prepared(local, remote);
  if (!pair) return std::unexpected(pair.error());
  if (const auto ok = inside(local, remote, blocks); !ok) return std::unexpected(ok.error());
  std::vector<Series> staged, pages;
  std::uint64_t used = 0;
  for (const Region& region : remote.regions) {
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(region.block_len, blocks.size(), &bytes) || bytes > staging.bytes - used ||
        used + bytes > UINT64_MAX - staging.base) {
      return refuse(
          "staging", "bytes", std::to_string(staging.bytes),
          fmt::format("holds fewer than {} blocks of {} regions", blocks.size(), remote.regions.size()));
    }
    staged.push_back(staged_series<std::uint64_t>(staging.base, used, region.block_len, blocks.size()));
    pages.push_back({region.base, region.block_stride, region.block_len, region.num_blocks, 1});
    used += bytes;
  }
  Read read{DescriptorTable(std::move(staged), local.device),
            DescriptorTable(std::move(pages), remote.device),
            {},
            {}};
  read.local_ids = one_after_another(read.local.rows());
  for (std::size_t i = 0; i < remote.regions.size(); ++i) {
    for (const BlockPair& block : blocks) read.remote_ids.push_back(read.remote.first_id(i) + block.remote);
  }
  return read;
}

Expected<Read> read_run_halves(const Side& local, const Side& remote, const std::vector<BlockPair>& blocks) {
  const auto pair = prepared(local, remote);
  if (!pair) return std::unexpected(pair.error());
  if (const auto ok = inside(local, remote, blocks); !ok) return std::unexpected(ok.error());
  for (const auto& [side, name] : {std::pair{&local, "local"}, std::pair{&remote, "remote"}}) {
    for (std::size_t i = 0; i < side->regions.size(); ++i) {
      const Region& region = side->regions[i];
      if (region.block_stride == region.block_len) continue;
      return refuse(
          name, fmt::format("regions[{}].block_stride", i), std::to_string(region.block_stride),
          fmt::format("not block_len {}: a run of blocks is not one range of bytes", region.block_len));
    }
  }
  std::vector<Series> to, from;
  const auto add = [](std::vector<Series>& list, std::uint64_t address, std::uint64_t bytes) {
    list.push_back({address, bytes, bytes, 1, 1});
  };
  for (std::size_t layer = 0; layer < remote.regions.size(); ++layer) {
    const Region& pages = remote.regions[layer];
    const std::uint64_t half_page = pages.block_len / 2;
    for (const Run& run : runs_of(blocks)) {
      const std::uint64_t half_run = run.blocks * half_page;
      for (const std::uint64_t half : {0, 1}) {
        const std::uint64_t plane = local.regions[2 * layer + half].base, first = 0;
        add(to, run_half_address(plane, run.local, half_page, first, half_run), half_run);
        add(from, run_half_address(pages.base, run.remote, pages.block_len, half, half_run), half_run);
      }
    }
  }
  Read read{
      DescriptorTable(std::move(to), local.device), DescriptorTable(std::move(from), remote.device), {}, {}};
  read.local_ids = read.remote_ids = one_after_another(read.local.rows());
  return read;
}

Cost cost_of(Strategy strategy, const Read& read, const std::vector<BlockPair>& blocks,
             const CostModel& model) {
  Cost cost;
  cost.planned = read.local_ids.size();
  const std::vector<Posted> list = posted(read.local, read.local_ids, read.remote, read.remote_ids);
  cost.posted = list.size();
  for (const Posted& one : list) cost.bytes += one.bytes;
  cost.runs = runs_of(blocks).size();
  cost.staging_bytes = strategy == Strategy::staged ? cost.bytes : 0;
  cost.conversion_bytes = converts(strategy) ? 2 * cost.bytes : 0;  // each byte is read and written once
  cost.post_seconds = static_cast<double>(cost.posted) * model.seconds_per_descriptor;
  if (cost.posted == 0) return cost;
  cost.link_seconds = model.seconds_per_read + static_cast<double>(cost.bytes) / model.link_bytes_per_second;
  cost.convert_seconds = static_cast<double>(cost.conversion_bytes) / model.conversion_bytes_per_second;
  return cost;
}

}  // namespace pageproof::plan
