// Kernels that use what a block holds: digests, conversions, a prompt computed here, decode steps. Each has
// to have a path from whatever filled the block.
#include <fmt/format.h>

#include <algorithm>

#include "reports/receive/checker.hpp"

namespace pageproof::receive_log {
namespace {

using receive::Rule;

}  // namespace

Touch Checker::kernel(const Event& event, Request& request) {
  const Touch now = touch(event, order_.kernel(event.stream));
  request.uses.push_back({now, event.blocks});
  return now;
}

// The sender took its digest of standard pages.
Checker::Refused Checker::digest(const Event& event, Request& request) {
  const Touch now = kernel(event, request);
  const Order::Chain chain = order_.stream_chain(event.stream);
  for (const std::uint64_t id : event.blocks) {
    Block& block = blocks_[id];
    given(event, request, id, chain);
    block.digest = now;
    if (block.unknown) continue;
    if (!block.flying.empty()) {
      breaks(kDigestOfConverted, event, fmt::format("a read into block {} is outstanding", id),
             {block.flying.begin()->first});
    } else if (block.seen.empty()) {
      breaks(kDigestOfConverted, event, fmt::format("no read into block {} was posted", id),
             {block.given.line});
    } else if (!block.layers.empty()) {
      breaks(kDigestOfConverted, event, fmt::format("block {} is converted already", id),
             {block.layers.begin()->second.line});
    }
    for (const auto& [thread, seen] : block.seen) {
      if (order_.before(seen.node, chain)) continue;
      breaks(kDigestOfConverted, event, fmt::format("nothing orders it behind the read into block {}", id),
             {seen.line}, missing(seen, event, kByMessage));
    }
    needs_fence(event, id, block, chain);
  }
  return {};
}

Checker::Refused Checker::convert(const Event& event, Request& request) {
  const Touch now = kernel(event, request);
  ++checked_.conversions;
  if (request.failed) breaks(Rule::failed_converted, event, "it failed", {*request.failed});
  for (const std::uint64_t id : event.blocks) convert_block(event, request, id, now);
  return {};
}

void Checker::convert_block(const Event& event, const Request& request, std::uint64_t id, const Touch& now) {
  const Order::Chain chain = order_.stream_chain(event.stream);
  const bool own = given(event, request, id, chain);
  Block& block = blocks_[id];
  if (block.unknown) return;
  const std::vector<std::uint64_t>& group = groups_[block.group];
  for (const std::uint64_t layer : event.layers) {
    if (const auto before = block.layers.find(layer); before != block.layers.end()) {
      breaks(Rule::converted_twice, event, fmt::format("block {} layer {}", id, layer),
             {before->second.line});
    } else if (!group.empty() && !std::ranges::binary_search(group, layer)) {
      breaks(kOtherGroupConverted, event, fmt::format("block {} does not hold layer {}", id, layer),
             {block.given.line});
      return;
    }
  }
  if (!own) {
    breaks(kNotOwnWritten, event,
           fmt::format("block {} is a prefix block, filled by request {}", id, block.filler),
           {block.given.line});
  } else if (!block.convert) {
    breaks(Rule::match_converted, event, fmt::format("block {} is used as it lands", id), {block.given.line});
  } else if (!block.flying.empty()) {
    breaks(Rule::converted_while_read, event, fmt::format("a read into block {} is outstanding", id),
           {block.flying.begin()->first});
  } else if (block.local) {
    breaks(kLocalConverted, event,
           fmt::format("block {} was filled by a {} here", id, to_string(block.local->kind)),
           {block.local->line});
  } else if (block.seen.empty()) {
    breaks(kUnreadConverted, event, fmt::format("no read into block {} was posted", id), {block.given.line});
  }
  for (const auto& [thread, seen] : block.seen) {
    if (order_.before(seen.node, chain)) continue;
    breaks(Rule::converted_while_read, event,
           fmt::format("nothing orders it behind the read into block {}", id), {seen.line},
           missing(seen, event, kByMessage));
  }
  if (block.digest && !order_.before(block.digest->node, chain)) {
    breaks(kDigestOfConverted, event, fmt::format("the conversion may overtake the digest of block {}", id),
           {block.digest->line}, missing(*block.digest, event, kByEvent));
  }
  needs_fence(event, id, block, chain);
  for (const std::uint64_t layer : event.layers) block.layers.try_emplace(layer, now);
}

// The prompt's first step here, after a failure or because nothing is to be read.
Checker::Refused Checker::recompute(const Event& event, Request& request) {
  const Touch now = kernel(event, request);
  const Order::Chain chain = order_.stream_chain(event.stream);
  request.steps.push_back(now);
  if (request.failed && request.recomputed) {
    breaks(Rule::policy_twice, event, "the failure was answered before",
           {*request.failed, *request.recomputed});
  }
  request.recomputed = event.line;
  const auto fill = [&](std::uint64_t id) {
    Block& block = blocks_[id];
    if (!given(event, request, id, chain)) {
      reads_block(event, id, block, chain);
      return;
    }
    if (!block.flying.empty()) {
      breaks(Rule::failure_before_reads_end, event, fmt::format("a read into block {} is outstanding", id),
             {block.flying.begin()->first});
    }
    behind_overwrites(event, id, block, chain);
    for (const auto& [layer, conversion] : block.layers) {
      if (order_.before(conversion.node, chain)) continue;
      breaks(kOverwrittenAfterFill, event, fmt::format("the conversion of block {} may run after it", id),
             {conversion.line}, missing(conversion, event, kByEvent));
    }
    block.layers.clear();
    block.failed = {};
    block.unknown = false;
    block.local = now;
    changed(block);
  };
  if (!event.blocks.empty()) {
    for (const std::uint64_t id : event.blocks) fill(id);
    return {};
  }
  for (const auto& [id, given] : request.given) fill(id);
  return {};
}

Checker::Refused Checker::schedule(const Event& event, Request& request) {
  const Touch now = kernel(event, request);
  const Order::Chain chain = order_.stream_chain(event.stream);
  ++checked_.steps;
  request.steps.push_back(now);
  request.scheduled = true;
  if (request.awaits_reads && !request.recomputed && request.reported.size() < workers_) {
    breaks(Rule::scheduled_before_workers, event,
           fmt::format("{} of {} workers have reported it", request.reported.size(), workers_),
           {request.allocated.line});
  }
  if (request.failed && !request.recomputed) {
    breaks(Rule::failed_scheduled, event, "it failed", {*request.failed});
  }
  if (event.blocks.empty() && request.ready.contains(event.stream)) return {};
  bool ready = true;
  const auto use = [&](std::uint64_t id) {
    Block& block = blocks_[id];
    const bool own = given(event, request, id, chain);
    if (!block.used) block.used = now;
    if (own && !block.reads && !block.local) {  // the step itself fills it
      behind_overwrites(event, id, block, chain);
      block.local = now;
      return;
    }
    ready = reads_block(event, id, block, chain) && ready;
  };
  if (!event.blocks.empty()) {
    for (const std::uint64_t id : event.blocks) use(id);
    return {};
  }
  for (const auto& [id, given] : request.given) use(id);
  if (ready) request.ready.insert(event.stream);
  return {};
}

}  // namespace pageproof::receive_log
