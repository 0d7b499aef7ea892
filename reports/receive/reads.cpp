// What fills blocks from outside, and what must not come between: overwrites, READs, their ends, reports,
// notices, fences.
#include <fmt/format.h>

#include <algorithm>

#include "reports/receive/checker.hpp"

namespace pageproof::receive_log {

using receive::Rule;

// A kernel that writes into blocks what was not received.
Checker::Refused Checker::overwrite(const Event& event, Request& request) {
  const Touch now = kernel(event, request);
  const Order::Chain chain = order_.stream_chain(event.stream);
  for (const std::uint64_t id : event.from) {
    const auto source = blocks_.find(id);
    if (source == blocks_.end()) return refuse(event, "from", std::to_string(id), "was never allocated");
    for (const std::string& holder : source->second.holders) use(requests_.at(holder), now, chain, {id});
    if (source->second.holders.empty() && !source->second.unknown && !source->second.freed.empty()) {
      breaks(Rule::freed_while_touched, event, fmt::format("block {}, a source, is free", id),
             {last_line(source->second.freed)});
    }
    if (!source->second.used) source->second.used = now;
    reads_block(event, id, source->second, chain);
  }
  for (const std::uint64_t id : event.blocks) {
    Block& block = blocks_[id];
    if (!writes_own(event, request, id, chain) || block.unknown) continue;
    const bool copies = event.kind == Kind::copy;
    if (block.posted) {
      breaks(Rule::zeroed_after_landing, event,
             fmt::format("this {} may run after a read has landed in block {}", to_string(event.kind), id),
             {*block.posted});
    } else if (block.local && !(copies && block.local->kind == Kind::copy)) {
      breaks(kOverwrittenAfterFill, event,
             fmt::format("block {} was filled by a {} here", id, to_string(block.local->kind)),
             {block.local->line});
    }
    if (copies) {
      behind_overwrites(event, id, block, chain);
      block.local = now;
      changed(block);
    }
    block.overwrites.push_back(now);
  }
  return {};
}

Checker::Refused Checker::post(const Event& event, Request& request) {
  if (request.outstanding.contains(event.handle)) {
    return refuse(event, "handle", std::to_string(event.handle), "is outstanding already");
  }
  const Touch now = touch(event, order_.thread());
  const Order::Chain chain = order_.thread_chain();
  for (const auto& [thread, report] : request.reported) {
    if (workers_ > 1 && thread != event.thread) continue;  // another worker's report
    breaks(report.ok ? kReportedBeforeReadsEnd : named(Rule::failure_before_reads_end), event,
           "it was reported, and a read is posted", {report.touch.line});
  }
  if (request.told) {
    breaks(Rule::told_before_reads_end, event, "the prefill was told before this read", {*request.told});
  }
  for (const std::uint64_t id : event.blocks) {
    Block& block = blocks_[id];
    if (!writes_own(event, request, id, chain)) continue;
    for (const Touch& one : block.overwrites) {
      if (order_.before(one.node, chain)) continue;
      breaks(Rule::zeroed_after_landing, event,
             fmt::format("nothing waits for the {} of block {}", to_string(one.kind), id), {one.line},
             missing(one, event, kBySync));
    }
    if (!block.layers.empty()) {
      const auto& [layer, conversion] = *block.layers.begin();
      breaks(Rule::converted_while_read, event,
             fmt::format("the conversion of block {} layer {} is enqueued already", id, layer),
             {conversion.line});
    } else if (block.used) {
      breaks(Rule::unread_scheduled, event, fmt::format("a step that uses block {} is enqueued already", id),
             {block.used->line});
    } else if (block.local && block.local->kind != Kind::copy) {
      breaks(kOverwrittenAfterFill, event,
             fmt::format("block {} was filled by a {} here", id, to_string(block.local->kind)),
             {block.local->line});
    } else if (!block.digests.empty()) {
      breaks(kDigestOfConverted, event, fmt::format("a digest of block {} is enqueued already", id),
             {block.digests.front().line});
    }
    block.local = {};
    block.reads = true;
    block.posted = event.line;
    block.flying[event.line] = now;
    changed(block);
  }
  std::vector<std::uint64_t> blocks = event.blocks;
  std::ranges::sort(blocks);
  request.outstanding[event.handle] = {now, order_.landing(now.node), chain, std::move(blocks)};
  ++checked_.reads;
  return {};
}

Checker::Refused Checker::read_ends(const Event& event, Request& request) {
  const auto found = request.outstanding.find(event.handle);
  if (found == request.outstanding.end()) {
    if (const auto stale = request.stale.find(event.handle); stale != request.stale.end()) {
      order_.thread_after(stale->second.landing);
      request.stale.erase(stale);
      return {};
    }
    return refuse(event, "handle", std::to_string(event.handle), "was never posted, or has ended");
  }
  Read read = std::move(found->second);
  request.outstanding.erase(found);
  const Touch seen = touch(event, order_.thread_after(read.landing));
  request.seen[order_.thread_chain()] = seen;
  if (event.kind == Kind::read_failed) request.failed.try_emplace(order_.thread_chain(), seen);
  for (const std::uint64_t id : read.blocks) {
    if (!request.given.contains(id)) continue;  // freed while the read was on its way: was said
    Block& block = blocks_[id];
    block.flying.erase(read.post.line);
    block.seen[order_.thread_chain()] = seen;
    if (event.kind == Kind::read_failed) block.failed = event.line;
  }
  if (!read.blocks.empty()) use(request, seen, order_.thread_chain(), read.blocks);
  return {};
}

Checker::Refused Checker::report(const Event& event, Request& request) {
  const Touch now = touch(event, order_.thread());
  const Order::Chain chain = order_.thread_chain();
  const Named rule = event.ok ? kReportedBeforeReadsEnd : named(Rule::failure_before_reads_end);
  const auto another = [&](Order::Chain thread) { return workers_ > 1 && thread != chain; };  // worker's
  for (const auto& [handle, read] : request.outstanding) {
    if (another(read.thread)) continue;
    breaks(rule, event, fmt::format("handle {} is outstanding", handle), {read.post.line});
  }
  for (const auto& [thread, seen] : request.seen) {
    if (another(thread) || order_.before(seen.node, chain)) continue;
    breaks(rule, event, "nothing orders the report behind the end of a read", {seen.line},
           missing(seen, event, kByMessage));
  }
  const bool first = request.reported.try_emplace(event.thread, Report{now, event.ok}).second;
  if (first && request.awaits_reads && request.started) {
    const bool computed = request.started->kind == Kind::recompute;
    breaks(computed ? Rule::recomputed_while_touched : Rule::scheduled_before_workers, event,
           computed ? "it was computed here before this report of it"
                    : "it was scheduled before this report of it",
           {request.started->line});
  }
  if (!event.ok) request.failed.try_emplace(chain, now);
  return {};
}

// Every worker's report, where the log says how many there are, comes first: by a path.
void Checker::behind_reports(const Event& event, const Request& request, Rule rule, Order::Chain chain) {
  if (!request.awaits_reads || workers_ == 0) return;
  if (request.reported.size() < workers_) {
    breaks(rule, event, fmt::format("{} of {} workers have reported it", request.reported.size(), workers_),
           {request.allocated.line});
  }
  for (const auto& [thread, report] : request.reported) {
    if (order_.before(report.touch.node, chain)) continue;
    breaks(rule, event, "nothing orders it behind a worker's report", {report.touch.line},
           missing(report.touch, event, kByMessage));
  }
}

Checker::Refused Checker::notify(const Event& event, Request& request) {
  order_.thread();
  if (request.told) {
    breaks(Rule::told_twice, event, "the prefill was told before", {*request.told});
  } else if (!request.outstanding.empty()) {
    breaks(Rule::told_before_reads_end, event,
           fmt::format("handle {} is outstanding", request.outstanding.begin()->first),
           {request.outstanding.begin()->second.post.line});
  }
  for (const auto& [thread, seen] : request.seen) {
    if (order_.before(seen.node, order_.thread_chain())) continue;
    breaks(Rule::told_before_reads_end, event, "nothing orders the notice behind the end of a read",
           {seen.line}, missing(seen, event, kByMessage));
  }
  request.told = event.line;
  return {};
}

// Without a stream: for every kernel that this thread enqueues from here on.
void Checker::fence(const Event& event) {
  const Order::Node node = event.stream.empty() ? order_.thread() : order_.kernel(event.stream);
  fences_[{order_.thread_chain(), event.stream}].push_back(node);
}

// A kernel that uses received bytes where the host alone has seen the read end. The first fence behind a
// read, on the thread that saw it end, reaches furthest.
void Checker::needs_fence(const Event& event, std::uint64_t id, const Block& block, Order::Chain chain) {
  if (!fence_needed_) return;
  for (const auto& [thread, seen] : block.seen) {
    bool fenced = false;
    for (const auto& [of, nodes] : fences_) {
      if (of.first != thread) continue;
      const auto first = std::ranges::upper_bound(nodes, seen.node);
      fenced = fenced || (first != nodes.end() && order_.before(*first, chain));
    }
    if (fenced) continue;
    breaks(kReadNotFenced, event,
           fmt::format("nothing makes the received bytes of block {} visible to the device", id), {seen.line},
           missing(seen, event, "a fence between them, for this stream or for all"));
  }
}

}  // namespace pageproof::receive_log
