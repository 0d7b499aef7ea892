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

// Of two sorted lists; an empty one means all.
bool meet(const std::vector<std::uint64_t>& some, const std::vector<std::uint64_t>& others) {
  if (some.empty() || others.empty()) return true;
  for (auto a = some.begin(), b = others.begin(); a != some.end() && b != others.end();) {
    if (*a == *b) return true;
    ++(*a < *b ? a : b);
  }
  return false;
}

}  // namespace

// On one stream, or in one thread, who waits for the later use waits for the earlier one.
void Checker::use(Request& request, const Touch& now, Order::Chain chain,
                  const std::vector<std::uint64_t>& blocks) {
  if (blocks.empty()) request.uses[chain] = now;
  for (const std::uint64_t id : blocks) {
    if (const auto given = request.given.find(id); given != request.given.end())
      given->second.uses[chain] = now;
  }
}

// The first use of these blocks, or of all, that this thread has no path from.
std::optional<Touch> Checker::not_waited_for(const Request& request,
                                             const std::vector<std::uint64_t>& blocks) const {
  std::optional<Touch> first;
  const auto look = [&](const Seen& uses) {
    for (const auto& [chain, touch] : uses) {
      if (order_.before(touch.node, order_.thread_chain()) || (first && first->line <= touch.line)) continue;
      first = touch;
    }
  };
  look(request.uses);
  for (const std::uint64_t id : blocks) {
    if (const auto given = request.given.find(id); given != request.given.end()) look(given->second.uses);
  }
  if (!blocks.empty()) return first;
  for (const auto& [id, given] : request.given) look(given.uses);
  return first;
}

Checker::Refused Checker::free_blocks(const Event& event, Request& request) {
  const Touch now = touch(event, order_.thread());
  const Order::Chain chain = order_.thread_chain();
  std::vector<std::uint64_t> blocks = event.blocks;
  std::ranges::sort(blocks);
  for (const auto& [handle, read] : request.outstanding) {
    if (checked_.broken) break;
    if (!meet(blocks, read.blocks)) continue;
    breaks(Rule::freed_while_touched, event, fmt::format("handle {} may still write", handle),
           {read.post.line});
  }
  if (const std::optional<Touch> first = not_waited_for(request, event.blocks)) {
    const bool read = first->kind == Kind::read_done || first->kind == Kind::read_failed;
    breaks(first->kind == Kind::zero ? Rule::freed_while_zeroed : Rule::freed_while_touched, event,
           read ? "a read may still write the blocks" : "a kernel may still use the blocks", {first->line},
           missing(*first, event, read ? kByMessage : "nothing here waits for it"));
  }
  behind_reports(event, request, Rule::freed_while_touched, chain);
  const auto let_go = [&](std::uint64_t id) {
    Block& block = blocks_[id];
    block.holders.erase(event.request);
    block.freed[chain] = now;
  };
  if (event.blocks.empty()) {
    for (const auto& [id, given] : request.given) let_go(id);
    freed_[event.request] = {static_cast<Pending&&>(request), event.line, request.allocated.line};
    requests_.erase(event.request);
    return {};
  }
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
  if (event.kind == Kind::step_done && step_ends(freed)) return {};
  if (event.kind == Kind::read_done || event.kind == Kind::read_failed) {
    const auto read = freed.outstanding.find(event.handle);  // that it was on its way was said
    if (read != freed.outstanding.end()) {
      order_.thread_after(read->second.landing);
      freed.outstanding.erase(read);
      return {};
    }
  }
  const bool reports = event.kind == Kind::report && freed.awaits_reads &&
                       freed.reported.try_emplace(event.thread, Report{{}, event.ok}).second;
  if (!reports && !touches(event.kind)) return refuse(event, "request", event.request, "is freed");
  breaks(Rule::freed_while_touched, event,
         reports                    ? "it was freed before this report of it"
         : event.kind == Kind::free ? "it was freed before"
                                    : "its blocks were freed before this use of them",
         {freed.line});
  follow(event, freed);
  return {};
}

// A line that breaks a rule by being there: what later ones will say the end of, and what they wait for.
void Checker::follow(const Event& event, Pending& pending) {
  if (event.stream.empty()) {
    const Touch now = touch(event, order_.thread());
    if (event.kind != Kind::post) return;
    pending.outstanding.try_emplace(event.handle,
                                    Read{now, order_.landing(now.node), order_.thread_chain(), {}});
    return;
  }
  const Touch now = touch(event, order_.kernel(event.stream));
  if (event.kind == Kind::schedule || event.kind == Kind::recompute) pending.steps.push_back(now);
}

bool Checker::step_ends(Pending& pending) {
  if (pending.steps.empty()) return false;
  order_.thread_after(pending.steps.front().node);
  pending.steps.pop_front();
  return true;
}

}  // namespace pageproof::receive_log
