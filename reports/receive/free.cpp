// Blocks go back to the pool: behind all that may touch them, by a path; nothing uses them from there on.
#include <fmt/format.h>

#include <algorithm>

#include "reports/receive/checker.hpp"

namespace pageproof::receive_log {
namespace {

using receive::Rule;

bool touches(Kind kind) {
  return writes(kind) || kind == Kind::digest || kind == Kind::schedule || kind == Kind::free;
}

// An empty list means all.
bool meet(const std::vector<std::uint64_t>& some, const std::vector<std::uint64_t>& others) {
  return some.empty() || others.empty() || std::ranges::find_first_of(some, others) != some.end();
}

}  // namespace

Checker::Refused Checker::free_blocks(const Event& event, Request& request) {
  const Touch now = touch(event, order_.thread());
  for (const auto& [handle, read] : request.outstanding) {
    if (checked_.broken) break;
    if (!meet(event.blocks, read.blocks)) continue;
    breaks(Rule::freed_while_touched, event, fmt::format("handle {} may still write", handle),
           {read.post.line});
  }
  const auto waited = [&](const Use& use) { return order_.before(use.touch.node, order_.thread_chain()); };
  for (const Use& use : request.uses) {
    if (checked_.broken) break;
    if (waited(use) || !meet(event.blocks, use.blocks)) continue;
    const bool read = use.touch.kind == Kind::read_done || use.touch.kind == Kind::read_failed;
    breaks(Rule::freed_while_touched, event,
           read ? "a read may still write the blocks" : "a kernel may still use the blocks", {use.touch.line},
           missing(use.touch, event, read ? kByMessage : "nothing here waits for it"));
  }
  const auto let_go = [&](std::uint64_t id) {
    Block& block = blocks_[id];
    block.holders.erase(event.request);
    block.freed = now;
  };
  if (event.blocks.empty()) {
    for (const auto& [id, given] : request.given) let_go(id);
    freed_[event.request] = {event.line, request.allocated.line, std::move(request.steps),
                             request.awaits_reads, request.told};
    requests_.erase(event.request);
    return {};
  }
  std::erase_if(request.uses, waited);  // the other blocks stay
  for (const std::uint64_t id : event.blocks) {
    let_go(id);
    request.given.erase(id);
    request.gone[id] = event.line;
  }
  return {};
}

// A line about a request that was freed whole.
Checker::Refused Checker::behind_free(const Event& event, Freed& freed) {
  if (event.kind == Kind::notify) {  // that of an abort may come behind the freeing
    order_.thread();
    if (freed.told) breaks(Rule::told_twice, event, "the prefill was told before", {*freed.told});
    freed.told = event.line;
    return {};
  }
  if (event.kind == Kind::step_done && !freed.steps.empty()) {
    order_.thread_after(freed.steps.front().node);
    freed.steps.pop_front();
    return {};
  }
  if (!touches(event.kind)) return refuse(event, "request", event.request, "is freed");
  breaks(Rule::freed_while_touched, event,
         event.kind == Kind::free ? "it was freed before" : "its blocks were freed before this use of them",
         {freed.line});
  return {};
}

}  // namespace pageproof::receive_log
