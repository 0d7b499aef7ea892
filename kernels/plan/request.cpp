#include "kernels/plan/request.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/plan/wanted.hpp"

namespace pageproof::plan {
namespace {

Split split_of(Strategy strategy) {
  if (strategy == Strategy::slots) return Split::slots;
  return converts(strategy) ? Split::halves : Split::none;
}

// @pre one group
std::vector<BlockPair> pairs_of(const PairedBlocks& blocks) {
  std::vector<BlockPair> pairs;
  for (std::size_t i = 0; i < blocks.local.front().size(); ++i)
    pairs.push_back({blocks.local.front()[i], blocks.remote.front()[i]});
  return pairs;
}

// Blocks of all groups in a row, for counting runs.
std::vector<BlockPair> all_pairs(const PairedBlocks& blocks) {
  std::vector<BlockPair> pairs;
  for (std::size_t g = 0; g < blocks.local.size(); ++g) {
    for (std::size_t i = 0; i < blocks.local[g].size(); ++i)
      pairs.push_back({blocks.local[g][i], blocks.remote[g][i]});
  }
  return pairs;
}

Expected<Read> read_of(const Request& request, const Source& source, Strategy strategy,
                       const Staging& staging) {
  if (converts(strategy)) {
    if (request.blocks.local.size() != 1) {
      return std::unexpected(Error{"local blocks", "groups", std::to_string(request.blocks.local.size()),
                                   "pages that are converted have one transfer group"});
    }
    if (source.slice != Slice{}) {
      return std::unexpected(
          Error{"slice", "ratio, sources, shares",
                fmt::format("{}, {}, {}", source.slice.ratio, source.slice.sources, source.slice.shares),
                "byte halves need equal TP and equal block sizes"});
    }
  }
  switch (strategy) {
    case Strategy::halves:
      return read_halves(request.local, source.side, pairs_of(request.blocks));
    case Strategy::staged:
      return read_staged(request.local, source.side, staging, pairs_of(request.blocks));
    case Strategy::run_halves:
      return read_run_halves(request.local, source.side, pairs_of(request.blocks));
    case Strategy::whole:
    case Strategy::slots:
      break;
  }
  const auto prepared = prepare(request.local, source.side, split_of(strategy), source.slice);
  if (!prepared) return std::unexpected(prepared.error());
  return read_prepared(*prepared, request.blocks);
}

// Each region has a list, and each list a region: else blocks would be left out in silence.
Expected<void> served(const Side& side, const BlockGroups& lists) {
  if (of_one_group(side.regions)) return {};
  bool shared = false;
  std::vector<bool> has_region(lists.size(), false);
  for (std::size_t i = 0; i < side.regions.size(); ++i) {
    const std::int64_t group = side.regions[i].group;
    if (group == kShared) {
      shared = true;
    } else if (group >= 0 && static_cast<std::uint64_t>(group) < lists.size()) {
      has_region[static_cast<std::size_t>(group)] = true;
    } else {
      return std::unexpected(Error{
          "local", fmt::format("regions[{}].group", i), std::to_string(group),
          fmt::format("the request has {} list{} of blocks", lists.size(), lists.size() == 1 ? "" : "s")});
    }
  }
  for (std::size_t g = 0; g < lists.size(); ++g) {
    if (shared || has_region[g] || lists[g].empty()) continue;
    return std::unexpected(Error{"local blocks", "groups", std::to_string(lists.size()),
                                 fmt::format("no region serves list {}, of {} blocks", g, lists[g].size())});
  }
  return {};
}

// The staged pages of each remote region, as regions of their own.
Side staged_side(const Request& request, const Source& source, const Staging& staging) {
  Side staged{{}, request.local.device};
  const std::uint64_t pages = request.blocks.local.front().size();
  std::uint64_t base = staging.base;
  for (Region region : source.side.regions) {
    region.base = base;
    region.block_stride = region.block_len;
    region.num_blocks = std::max<std::uint64_t>(1, pages);
    base += pages * region.block_len;
    staged.regions.push_back(std::move(region));
  }
  return staged;
}

Expected<Moves> wanted_of(const Request& request, const Source& source, Strategy strategy,
                          const Staging& staging) {
  if (strategy == Strategy::run_halves) return wanted_run_moves(request.local, source.side, request.blocks);
  if (strategy != Strategy::staged) {
    return wanted_moves(request.local, source.side, split_of(strategy), source.slice, request.blocks);
  }
  PairedBlocks staged = request.blocks;
  for (std::size_t i = 0; i < staged.local.front().size(); ++i) staged.local.front()[i] = i;
  return wanted_moves(staged_side(request, source, staging), source.side, Split::none, {}, staged);
}

bool overlaps(const MemoryRange& one, const MemoryRange& other) {
  if (one.device != other.device || one.bytes == 0 || other.bytes == 0) return false;
  return one.base < other.base ? other.base - one.base < one.bytes : one.base - other.base < other.bytes;
}

// Two ranks may use the same addresses: a remote byte is told by its source as well, here in `device`.
void set_device(std::vector<Descriptor>& rows, std::uint64_t device) {
  for (Descriptor& row : rows) row.device = device;
}

void append(std::vector<Descriptor>& to, const std::vector<Descriptor>& rows) {
  to.insert(to.end(), rows.begin(), rows.end());
}

// Behind everything that is registered, to say what staging would cost.
Staging imagined_staging(const Request& request) {
  std::uint64_t end = 0;
  for (const MemoryRange& range : request.memory) end = std::max(end, range.base + range.bytes);
  return {end, UINT64_MAX - end};
}

// What the converter refuses of the memory that it is to convert in or into.
std::string reason_not_converted(const Request& request, Strategy strategy,
                                 const std::optional<Staging>& staging) {
  for (const Region& plane : request.local.regions) {
    if (plane.base % kConverterAlignment == 0 && plane.block_stride % kConverterAlignment == 0) continue;
    return fmt::format("a plane's base {:#x} or stride {} is no multiple of 16 B: the converter refuses it",
                       plane.base, plane.block_stride);
  }
  if (strategy == Strategy::staged && staging && staging->base % kConverterAlignment != 0)
    return "staging memory begins at no multiple of 16 B: the converter refuses it";
  for (const Region& pages : request.sources.front().side.regions) {
    if (strategy == Strategy::halves && pages.block_len > kInPlacePageBytes) {
      return fmt::format("a page of {} B: the converter holds {} B at most in place", pages.block_len,
                         kInPlacePageBytes);
    }
    if (pages.block_len % (2 * kConverterAlignment) != 0)
      return fmt::format("half of a page of {} B is no multiple of 16 B", pages.block_len);
  }
  return "";
}

std::string reason_not(const Request& request, Strategy strategy, const std::optional<Staging>& staging) {
  const Slice& slice = request.sources.front().slice;
  if (strategy == Strategy::whole && request.pages == Pages::two_slots) {
    if (slice.sources > 1 || slice.shares > 1) return "cuts K from V, not heads: unequal TP";
    if (slice.ratio > 1) return "takes K and V of one page for K of a larger one: unequal blocks";
  }
  if (strategy == Strategy::staged && !staging) return "no --staging memory";
  if (strategy == Strategy::run_halves) return "no converter reads this landing";
  return converts(strategy) ? reason_not_converted(request, strategy, staging) : "";
}

bool fits(Pages pages, Strategy strategy) {
  if (pages == Pages::for_planes) return converts(strategy);
  if (strategy == Strategy::slots) return pages == Pages::two_slots;
  return strategy == Strategy::whole;
}

}  // namespace

std::vector<MemoryRange> memory_of(const Side& side) {
  std::vector<MemoryRange> ranges;
  for (const Region& region : side.regions) {
    ranges.push_back(
        {region.base, (region.num_blocks - 1) * region.block_stride + region.block_len, side.device});
  }
  std::ranges::sort(ranges, {}, &MemoryRange::base);
  std::vector<MemoryRange> joined;
  for (const MemoryRange& range : ranges) {
    if (joined.empty() || range.base - joined.back().base > joined.back().bytes) {
      joined.push_back(range);
      continue;
    }
    MemoryRange& last = joined.back();
    last.bytes = std::max(last.bytes, range.base - last.base + range.bytes);
  }
  return joined;
}

Rows rows_of(const Read& read) {
  Rows rows{std::vector<Descriptor>(read.local_ids.size()), std::vector<Descriptor>(read.remote_ids.size())};
  read.local.gather(read.local_ids, rows.local);
  read.remote.gather(read.remote_ids, rows.remote);
  return rows;
}

Expected<Plan> plan(const Request& request, Strategy strategy, const Staging& staging,
                    const CostModel& model) {
  if (request.sources.empty()) return std::unexpected(Error{"remote", "ranks", "0", "no rank to read"});
  if (converts(strategy) && request.sources.size() != 1) {
    return std::unexpected(Error{"remote", "ranks", std::to_string(request.sources.size()),
                                 "byte halves are read from one rank"});
  }
  for (const MemoryRange& range : request.memory) {
    if (strategy != Strategy::staged ||
        !overlaps(range, {staging.base, staging.bytes, request.local.device})) {
      continue;
    }
    return std::unexpected(
        Error{"staging", "base", fmt::format("{:#x}", staging.base),
              fmt::format("overlaps the registered {:#x}, {} B", range.base, range.bytes)});
  }
  if (const auto ok = served(request.local, request.blocks.local); !ok) return std::unexpected(ok.error());
  if (const auto ok =
          few_enough(request.blocks.local, 2 * request.local.regions.size() * request.sources.size());
      !ok) {
    return std::unexpected(ok.error());
  }
  Plan made{strategy, {}, {}};
  for (const Source& source : request.sources) {
    auto read = read_of(request, source, strategy, staging);
    if (!read) return std::unexpected(read.error());
    const Cost cost = cost_of(strategy, *read, all_pairs(request.blocks), model);
    made.cost.planned += cost.planned;
    made.cost.posted += cost.posted;
    made.cost.bytes += cost.bytes;
    made.cost.runs = cost.runs;
    made.cost.staging_bytes += cost.staging_bytes;
    made.cost.conversion_bytes += cost.conversion_bytes;
    made.cost.post_seconds += cost.post_seconds;
    made.cost.link_seconds += cost.link_seconds;
    made.cost.convert_seconds += cost.convert_seconds;
    made.reads.push_back(*std::move(read));
  }
  return made;
}

std::optional<Violation> check(const Request& request, const Plan& plan, const Staging& staging) {
  Moves rows, wanted;
  std::vector<MemoryRange> local = request.memory, remote;
  if (plan.strategy == Strategy::staged && staging.bytes != 0)
    local.push_back({staging.base, staging.bytes, request.local.device});
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < request.sources.size(); ++i) {
    const Source& source = request.sources[i];
    auto should = wanted_of(request, source, plan.strategy, staging);
    if (!should) return Violation{Rule::nothing_missing, std::nullopt, to_string(should.error())};
    for (const Descriptor& row : should->local) bytes += row.bytes;
    Rows read = i < plan.reads.size() ? rows_of(plan.reads[i]) : Rows{};
    set_device(read.remote, i);
    set_device(should->remote, i);
    append(rows.local, read.local);
    append(rows.remote, read.remote);
    append(wanted.local, should->local);
    append(wanted.remote, should->remote);
    for (MemoryRange range : source.memory) {
      range.device = i;
      remote.push_back(range);
    }
  }
  return check({.local_memory = local,
                .remote_memory = remote,
                .local = rows.local,
                .remote = rows.remote,
                .bytes = bytes,
                .local_blocks = &request.blocks.local,
                .wanted = Wanted{wanted.local, wanted.remote}});
}

Choice choose(const Request& request, const std::optional<Staging>& staging, const CostModel& model) {
  Choice choice;
  if (request.sources.empty()) {
    choice.because = "no remote rank is read";
    return choice;
  }
  for (const Strategy strategy : kStrategies) {
    if (!fits(request.pages, strategy)) continue;
    auto made = plan(request, strategy, staging.value_or(imagined_staging(request)), model);
    Option option{strategy, {}, "", {}};
    if (made) {
      option.plan = *std::move(made);
      option.not_chosen = reason_not(request, strategy, staging);
    } else {
      option.not_chosen = to_string(made.error());
      option.error = made.error();
    }
    choice.options.push_back(std::move(option));
  }
  for (std::size_t i = 0; i < choice.options.size(); ++i) {
    const Option& option = choice.options[i];
    if (!option.not_chosen.empty()) continue;
    const bool cheaper =
        !choice.chosen || option.plan->cost.seconds() < choice.options[*choice.chosen].plan->cost.seconds();
    if (cheaper) choice.chosen = i;
  }
  if (!choice.chosen) {
    choice.because = choice.options.empty() ? "no strategy fits these pages" : "";
    for (const Option& option : choice.options) {
      choice.because += fmt::format("{}{}: {}", choice.because.empty() ? "" : "; ",
                                    to_string(option.strategy), option.not_chosen);
    }
    return choice;
  }
  const Option& best = choice.options[*choice.chosen];
  choice.because =
      fmt::format("{:.3g} ms, the least of those that can be used", best.plan->cost.seconds() * 1e3);
  return choice;
}

}  // namespace pageproof::plan
