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
  use(request, now, order_.stream_chain(event.stream), event.blocks);
  return now;
}

// The sender took its digest of standard pages.
Checker::Refused Checker::digest(const Event& event, Request& request) {
  const Touch now = kernel(event, request);
  const Order::Chain chain = order_.stream_chain(event.stream);
  for (const std::uint64_t id : event.blocks) {
    Block& block = blocks_[id];
    const bool own = given(event, request, id, chain);
    block.digests.push_back(now);
    if (block.unknown) {
      if (own) continue;
      breaks(kDigestOfConverted, event, fmt::format("block {} is a prefix block, filled by this engine", id),
             {request.given.at(id).allocated.line});
    }
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
  for (const auto& [thread, failed] : request.failed) {
    if (!order_.before(failed.node, order_.stream_chain(event.stream))) continue;  // not heard of here
    breaks(Rule::failed_converted, event, "it failed", {failed.line});
  }
  for (const std::uint64_t id : event.blocks) convert_block(event, request, id, now);
  return {};
}

void Checker::convert_block(const Event& event, const Request& request, std::uint64_t id, const Touch& now) {
  const Order::Chain chain = order_.stream_chain(event.stream);
  Block& block = blocks_[id];
  if (!writes_own(event, request, id, chain) || block.unknown) return;
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
  if (!block.convert) {
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
  for (const Touch& digest : block.digests) {
    if (order_.before(digest.node, chain)) continue;
    breaks(kDigestOfConverted, event, fmt::format("the conversion may overtake the digest of block {}", id),
           {digest.line}, missing(digest, event, kByEvent));
  }
  needs_fence(event, id, block, chain);
  for (const std::uint64_t layer : event.layers) block.layers.try_emplace(layer, now);
}

// The prompt's first step here, after a failure or because nothing is to be read.
Checker::Refused Checker::recompute(const Event& event, Request& request) {
  const Touch now = kernel(event, request);
  const Order::Chain chain = order_.stream_chain(event.stream);
  request.steps.push_back(now);
  if (!request.started) request.started = now;
  if (!request.failed.empty() && request.recomputed) {
    breaks(Rule::policy_twice, event, "the failure was answered before",
           {first_line(request.failed), *request.recomputed});
  }
  request.recomputed = event.line;
  for (const auto& [handle, read] : request.outstanding) {  // into whichever block
    breaks(Rule::recomputed_while_touched, event, fmt::format("handle {} is outstanding", handle),
           {read.post.line});
  }
  for (const auto& [thread, seen] : request.seen) {
    if (order_.before(seen.node, chain)) continue;
    breaks(Rule::recomputed_while_touched, event, "nothing orders it behind the end of a read", {seen.line},
           missing(seen, event, kByMessage));
  }
  behind_reports(event, request, Rule::recomputed_while_touched, chain);
  for (const std::uint64_t id : event.blocks) {
    if (writes_own(event, request, id, chain)) recompute_block(event, id, now);
  }
  if (!event.blocks.empty()) return {};
  for (const auto& [id, block] : request.given) {
    if (given(event, request, id, chain)) {
      recompute_block(event, id, now);
    } else {
      reads_block(event, id, blocks_[id], chain);
    }
  }
  return {};
}

void Checker::recompute_block(const Event& event, std::uint64_t id, const Touch& now) {
  const Order::Chain chain = order_.stream_chain(event.stream);
  Block& block = blocks_[id];
  behind_overwrites(event, id, block, chain);
  for (const auto& [layer, conversion] : block.layers) {
    if (order_.before(conversion.node, chain)) continue;
    breaks(Rule::recomputed_while_touched, event,
           fmt::format("the conversion of block {} may run after it", id), {conversion.line},
           missing(conversion, event, kByEvent));
  }
  if (block.local && !order_.before(block.local->node, chain)) {
    breaks(kOverwrittenAfterFill, event,
           fmt::format("the {} of block {} may run after it", to_string(block.local->kind), id),
           {block.local->line}, missing(*block.local, event, kByEvent));
  }
  block.layers.clear();
  block.failed = {};
  block.unknown = false;
  block.local = now;
  changed(block);
}

Checker::Refused Checker::schedule(const Event& event, Request& request) {
  const Touch now = kernel(event, request);
  const Order::Chain chain = order_.stream_chain(event.stream);
  ++checked_.steps;
  request.steps.push_back(now);
  request.scheduled = true;
  if (!request.started) request.started = now;
  behind_reports(event, request, Rule::scheduled_before_workers, chain);
  if (!request.failed.empty() && !request.recomputed) {
    breaks(Rule::failed_scheduled, event, "it failed", {first_line(request.failed)});
  }
  if (event.blocks.empty() && request.ready.contains(event.stream)) return {};
  bool ready = true;
  const auto uses = [&](std::uint64_t id) {
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
    for (const std::uint64_t id : event.blocks) uses(id);
    return {};
  }
  for (const auto& [id, given] : request.given) uses(id);
  if (ready) request.ready.insert(event.stream);
  return {};
}

}  // namespace pageproof::receive_log
