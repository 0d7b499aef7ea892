#include "fuzz/plans/faults.hpp"

#include <algorithm>
#include <utility>

namespace pageproof::fuzz {
namespace {

using plan::BlockIds;
using plan::DescriptorTable;
using plan::Plan;
using plan::Read;
using plan::Series;

// The table with each series changed by `change(series, index)`.
template <class Change>
void rewrite(DescriptorTable& table, const Change& change) {
  std::vector<Series> series(table.series().begin(), table.series().end());
  for (std::size_t i = 0; i < series.size(); ++i) change(series[i], i);
  table = DescriptorTable(std::move(series), table.device());
}

void sides_swapped(const PlanCase&, const CasePair&, Plan& plan) {
  for (Read& read : plan.reads) {
    std::swap(read.local, read.remote);
    std::swap(read.local_ids, read.remote_ids);
  }
}

// Ids that would leave the other table are cut to its last row.
void ids_swapped(const PlanCase&, const CasePair&, Plan& plan) {
  for (Read& read : plan.reads) {
    std::swap(read.local_ids, read.remote_ids);
    for (std::uint64_t& id : read.local_ids) id = std::min(id, read.local.rows() - 1);
    for (std::uint64_t& id : read.remote_ids) id = std::min(id, read.remote.rows() - 1);
  }
}

// The remote's blocks are taken to lie as close as what is read of them.
void length_for_stride(const PlanCase&, const CasePair&, Plan& plan) {
  for (Read& read : plan.reads)
    rewrite(read.remote, [](Series& series, std::size_t) { series.stride = series.bytes; });
}

void second_half_at_the_start(const PlanCase& c, const CasePair&, Plan& plan) {
  if (c.strategy != plan::Strategy::halves && c.strategy != plan::Strategy::slots &&
      c.strategy != plan::Strategy::run_halves) {
    return;
  }
  for (Read& read : plan.reads) {
    const std::vector<Series> before(read.remote.series().begin(), read.remote.series().end());
    rewrite(read.remote, [&](Series& series, std::size_t i) {
      if (i % 2 == 1) series.address = before[i - 1].address;
    });
  }
}

void halves_exchanged(const PlanCase& c, const CasePair&, Plan& plan) {
  if (c.strategy == plan::Strategy::whole || c.strategy == plan::Strategy::staged) return;
  for (Read& read : plan.reads) {
    const std::vector<Series> before(read.remote.series().begin(), read.remote.series().end());
    rewrite(read.remote, [&](Series& series, std::size_t i) { series.address = before[i ^ 1].address; });
  }
}

// Ids counted block by block on the remote side alone.
void blocks_before_regions(const PlanCase& c, const CasePair& pair, Plan& plan) {
  if (c.strategy == plan::Strategy::run_halves || c.groups != Groups::one) return;
  const std::size_t blocks = pair.planned.request.blocks.local.front().size();
  if (blocks == 0) return;
  for (Read& read : plan.reads) {
    const BlockIds before = read.remote_ids;
    const std::size_t regions = before.size() / blocks;
    for (std::size_t r = 0; r < regions; ++r) {
      for (std::size_t b = 0; b < blocks; ++b) read.remote_ids[b * regions + r] = before[r * blocks + b];
    }
  }
}

// The pairing with the first remote blocks, where the last ones are missing here.
void first_blocks_at_a_prefix_hit(const PlanCase& c, const CasePair& pair, Plan& plan) {
  plan::Request request = pair.planned.request;
  const std::uint64_t per_manager = region::blocks_per_logical_block(c.remote);
  for (std::size_t list = 0; list < c.from.size(); ++list) {
    BlockIds& remote = request.blocks.remote[list];
    for (std::size_t i = 0; i < remote.size(); ++i)
      remote[i] = c.from[list][i / per_manager] * per_manager + i % per_manager;
  }
  if (auto made = plan::plan(request, c.strategy, c.staging, {})) plan = *std::move(made);
}

void first_share_for_all(const PlanCase& c, const CasePair& pair, Plan& plan) {
  plan::Request request = pair.planned.request;
  for (plan::Source& source : request.sources) source.slice.rank_offset_factor = source.slice.slot = 0;
  if (auto made = plan::plan(request, c.strategy, c.staging, {})) plan = *std::move(made);
}

void whole_for_slots(const PlanCase& c, const CasePair& pair, Plan& plan) {
  if (c.strategy != plan::Strategy::slots) return;
  if (auto made = plan::plan(pair.planned.request, plan::Strategy::whole, c.staging, {})) {
    plan = *std::move(made);
    plan.strategy = plan::Strategy::slots;
  }
}

// Ids of the remote counted with the local number of blocks.
void local_blocks_counted_for_remote(const PlanCase& c, const CasePair& pair, Plan& plan) {
  if (c.strategy != plan::Strategy::whole && c.strategy != plan::Strategy::slots) return;
  const std::uint64_t counted = region::kernel_blocks_of(c.local);
  for (Read& read : plan.reads) {
    for (std::uint64_t& id : read.remote_ids) {
      const std::size_t k = read.remote.series_of(id);
      id = std::min(k * counted + (id - read.remote.first_id(k)), read.remote.rows() - 1);
    }
  }
  static_cast<void>(pair);
}

void last_pair_forgotten(const PlanCase&, const CasePair&, Plan& plan) {
  Read& read = plan.reads.back();
  if (read.local_ids.empty()) return;
  read.local_ids.pop_back();
  read.remote_ids.pop_back();
}

void last_pair_twice(const PlanCase&, const CasePair&, Plan& plan) {
  Read& read = plan.reads.front();
  if (read.local_ids.empty()) return;
  read.local_ids.push_back(read.local_ids.back());
  read.remote_ids.push_back(read.remote_ids.back());
}

void one_remote_id_less(const PlanCase&, const CasePair&, Plan& plan) {
  if (!plan.reads.back().remote_ids.empty()) plan.reads.back().remote_ids.pop_back();
}

// Sub-blocks, or blocks, counted one too high on the local side.
void next_local_block(const PlanCase&, const CasePair&, Plan& plan) {
  for (Read& read : plan.reads) {
    for (std::uint64_t& id : read.local_ids) id = std::min(id + 1, read.local.rows() - 1);
  }
}

// Trap T15: one side counts region by region where regions have groups of their own, the other group by
// group.
void one_side_region_major(const PlanCase&, const CasePair&, Plan& plan) {
  for (Read& read : plan.reads) {
    const std::span<const Series> regions = read.remote.series();
    BlockIds sorted;
    for (std::size_t region = 0; region < regions.size(); ++region) {
      for (const std::uint64_t id : read.remote_ids) {
        if (read.remote.series_of(id) == region) sorted.push_back(id);
      }
    }
    read.remote_ids = std::move(sorted);
  }
}

void first_list_for_both(const PlanCase& c, const CasePair& pair, Plan& plan) {
  plan::Request request = pair.planned.request;
  if (request.blocks.remote.size() != 2) return;
  BlockIds& second = request.blocks.remote[1];
  const BlockIds& first = request.blocks.remote[0];
  for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i) second[i] = first[i];
  if (auto made = plan::plan(request, c.strategy, c.staging, {})) plan = *std::move(made);
}

// The last list's blocks of the last region, which the groups share, are forgotten.
void shared_region_serves_the_first(const PlanCase& c, const CasePair& pair, Plan& plan) {
  if (c.groups != Groups::own_and_shared) return;
  const std::size_t forgotten = pair.planned.request.blocks.local.back().size();
  for (Read& read : plan.reads) {
    read.local_ids.resize(read.local_ids.size() - forgotten);
    read.remote_ids.resize(read.remote_ids.size() - forgotten);
  }
}

void addresses_in_32_bits(const PlanCase&, const CasePair&, Plan& plan) {
  for (Read& read : plan.reads)
    rewrite(read.local, [](Series& series, std::size_t) { series.address &= 0xFFFF'FFFF; });
}

void ids_in_16_bits(const PlanCase&, const CasePair&, Plan& plan) {
  for (Read& read : plan.reads) {
    for (std::uint64_t& id : read.local_ids) id &= 0xFFFF;
    for (std::uint64_t& id : read.remote_ids) id &= 0xFFFF;
  }
}

void half_of_each_row(const PlanCase&, const CasePair&, Plan& plan) {
  for (Read& read : plan.reads) {
    rewrite(read.local, [](Series& series, std::size_t) { series.bytes /= 2; });
    rewrite(read.remote, [](Series& series, std::size_t) { series.bytes /= 2; });
  }
}

void remote_rows_longer(const PlanCase&, const CasePair&, Plan& plan) {
  for (Read& read : plan.reads) rewrite(read.remote, [](Series& series, std::size_t) { series.bytes *= 2; });
}

}  // namespace

Planner shipped_planner() {
  return [](const PlanCase& c, const CasePair& pair) {
    return plan::plan(pair.planned.request, c.strategy, c.staging, {});
  };
}

Planner faulty_planner(const PlanFault& fault) {
  return [fault](const PlanCase& c, const CasePair& pair) {
    auto made = shipped_planner()(c, pair);
    if (made) fault.spoil(c, pair, *made);
    return made;
  };
}

std::span<const PlanFault> plan_faults() {
  static const PlanFault table[] = {
      {"sides_swapped", "local and remote lists and ids are exchanged", sides_swapped},
      {"ids_swapped", "local and remote ids are exchanged", ids_swapped},
      {"length_for_stride", "remote blocks lie as far apart as a row is long", length_for_stride},
      {"second_half_at_the_start", "the second half begins where the first does", second_half_at_the_start},
      {"halves_exchanged", "the first half lands in the V plane", halves_exchanged},
      {"blocks_before_regions", "remote ids are block-major, local ids region-major", blocks_before_regions},
      {"first_blocks_at_a_prefix_hit", "the first remote blocks are kept instead of the last",
       first_blocks_at_a_prefix_hit},
      {"first_share_for_all", "every rank reads the first rank's share", first_share_for_all},
      {"whole_for_slots", "two-slot pages are cut as whole pages", whole_for_slots},
      {"local_blocks_counted_for_remote", "remote ids are counted with the local num_blocks",
       local_blocks_counted_for_remote},
      {"last_pair_forgotten", "the last pair is not posted", last_pair_forgotten},
      {"last_pair_twice", "the last pair is posted twice", last_pair_twice},
      {"one_remote_id_less", "the lists of ids differ in length", one_remote_id_less},
      {"next_local_block", "local ids are one too high", next_local_block},
      {"one_side_region_major", "remote ids are region-major where groups make local ones group-major",
       one_side_region_major},
      {"first_list_for_both", "the second group reads the first one's blocks", first_list_for_both},
      {"shared_region_serves_the_first", "a region that groups share is read for the first alone",
       shared_region_serves_the_first},
      {"addresses_in_32_bits", "local addresses lose their upper half", addresses_in_32_bits},
      {"ids_in_16_bits", "descriptor ids lose their upper bits", ids_in_16_bits},
      {"half_of_each_row", "rows have half their length", half_of_each_row},
      {"remote_rows_longer", "remote rows have twice their length", remote_rows_longer},
  };
  return table;
}

}  // namespace pageproof::fuzz
