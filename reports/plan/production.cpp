#include "reports/plan/production.hpp"

#include <algorithm>

#include "kernels/plan/posted.hpp"

namespace pageproof::reports {
namespace {

namespace plans = golden::plans;

plan::Side side_of(const plans::Registered& side) {
  plan::Side out{{}, side.device};
  for (const plans::Region& r : side.regions) {
    out.regions.push_back({.base = r.base,
                           .block_len = r.block_len,
                           .block_stride = r.block_stride,
                           .num_blocks = r.num_blocks,
                           .group = r.group,
                           .replicated = r.replicated});
  }
  return out;
}

std::vector<plans::Row> rows_of(const std::vector<plan::Descriptor>& descriptors) {
  std::vector<plans::Row> rows;
  for (const plan::Descriptor& d : descriptors) rows.push_back({d.address, d.bytes, d.device});
  return rows;
}

}  // namespace

Expected<plan::Request> request_of(const plans::Test& test) {
  plan::Request request;
  request.local = side_of(test.local);
  for (const plans::Source& source : test.sources) {
    const plans::Slice& s = source.slice;
    request.sources.push_back({source.rank,
                               side_of(source.side),
                               {s.ratio, s.sources, s.slot, s.shares, s.rank_offset_factor},
                               {}});
  }
  auto blocks = plan::pair_blocks(test.local_blocks, test.remote_blocks,
                                  {.local_per_logical = test.local_per_logical,
                                   .remote_per_logical = test.remote_per_logical,
                                   .ratio = test.sources.front().slice.ratio});
  if (!blocks) return std::unexpected(blocks.error());
  request.blocks = *std::move(blocks);
  return request;
}

plans::Planner production_planner() {
  return [](const plans::Test& test) -> Expected<plans::Planned> {
    const auto strategy = std::ranges::find(plan::kStrategies, std::string_view(test.strategy),
                                            [](plan::Strategy s) { return to_string(s); });
    if (strategy == std::end(plan::kStrategies))
      return std::unexpected(Error{"test", "strategy", test.strategy, "no such strategy"});
    auto request = request_of(test);
    if (!request) return std::unexpected(request.error());
    const plan::Staging staging{test.staging.base, test.staging.bytes};
    const auto made = plan::plan(*request, *strategy, staging, {});
    if (!made) return std::unexpected(made.error());
    request->memory = plan::memory_of(request->local);
    for (plan::Source& source : request->sources) source.memory = plan::memory_of(source.side);
    if (const auto found = plan::check(*request, *made, staging))
      return std::unexpected(
          Error{"plan", to_string(found->rule), found->text, "the plan breaks its own rules"});
    plans::Planned planned;
    for (const plan::Read& read : made->reads) {
      const plan::Rows rows = plan::rows_of(read);
      plans::Planned::Read& out = planned.reads.emplace_back();
      out.local_ids = read.local_ids;
      out.remote_ids = read.remote_ids;
      out.local_rows = rows_of(rows.local);
      out.remote_rows = rows_of(rows.remote);
      for (const plan::Posted& one : plan::posted(read.local, read.local_ids, read.remote, read.remote_ids))
        out.posted.push_back({one.position, one.pairs, one.bytes});
    }
    return planned;
  };
}

}  // namespace pageproof::reports
