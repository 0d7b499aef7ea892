// Who holds a block: given, shared, freed, given again. A use has to lie between the giving and the freeing
// by a path, not by the clock.
#include <fmt/format.h>

#include <algorithm>

#include "reports/receive/checker.hpp"

namespace pageproof::receive_log {
namespace {

using receive::Rule;

}  // namespace

std::size_t Checker::group_of(const std::vector<std::uint64_t>& layers) {
  if (layers.empty()) return 0;
  std::vector<std::uint64_t> sorted = layers;
  std::ranges::sort(sorted);
  const auto [number, fresh] = group_numbers_.try_emplace(sorted, groups_.size());
  if (fresh) groups_.push_back(std::move(sorted));
  return number->second;
}

// The first allocation of a request, or further blocks for it.
Checker::Refused Checker::allocate(const Event& event) {
  if (doubted_.contains(event.request)) {
    for (const std::uint64_t id : event.blocks) blocks_[id] = Block{.unknown = true};
    return {};
  }
  const Touch now = touch(event, order_.thread());
  const auto [found, fresh] = requests_.try_emplace(event.request);
  Request& request = found->second;
  if (fresh) {
    if (const auto before = freed_.find(event.request); before != freed_.end()) {
      if (before->second.awaits_reads && !before->second.told) {
        checked_.untold.line =
            checked_.untold.count == 0 ? before->second.allocated_line : checked_.untold.line;
        ++checked_.untold.count;
      }
      request.stale = std::move(before->second.outstanding);
      freed_.erase(before);
    }
    request.allocated = now;
    ++checked_.requests;
  }
  request.ready.clear();
  for (const auto* list : {&event.shared, &event.local}) {
    for (const std::uint64_t id : *list) {
      if (auto refused = share(event, request, id, now, list == &event.local)) return refused;
    }
  }
  const bool reads = event.read.value_or(!request.scheduled && !request.recomputed);
  if (reads && !event.blocks.empty()) {
    request.awaits_reads = true;
    request.reported.clear();  // they have to be reported, too
    request.started = {};
  }
  const std::size_t group = group_of(event.layers);
  for (const std::uint64_t id : event.blocks) {
    if (const auto given = request.given.find(id); given != request.given.end() && !given->second.own) {
      return refuse(event, "blocks", std::to_string(id), "is a prefix block of it, too");
    }
    Block& block = blocks_[id];
    if (!block.holders.empty()) {
      const std::string& holder = *block.holders.begin();
      breaks(Rule::reused_while_held, event, fmt::format("block {} is held by request {}", id, holder),
             {requests_.at(holder).allocated.line});
    }
    for (const auto& [thread, freed] : block.freed) {
      if (order_.before(freed.node, order_.thread_chain())) continue;
      breaks(Rule::reused_while_held, event, fmt::format("block {} may be given before it is freed", id),
             {freed.line}, missing(freed, event, kByMessage));
    }
    block = Block{.holders = {event.request},
                  .filler = event.request,
                  .given = now,
                  .group = group,
                  .convert = event.convert,
                  .reads = reads};
    request.given[id] = {now, true};
  }
  return {};
}

// A prefix block. `local`: the log need not show who filled it. Where it has given the block to somebody,
// what it shows since is what counts.
Checker::Refused Checker::share(const Event& event, Request& request, std::uint64_t id, const Touch& now,
                                bool local) {
  if (request.given.contains(id)) return refuse(event, "shared", std::to_string(id), "belongs to it already");
  const auto found = blocks_.find(id);
  const bool never = found == blocks_.end();
  if (never && !local && unread_ == 0) {
    return refuse(
        event, "shared", std::to_string(id),
        "was never allocated: a prefix that this engine computed outside the log stands in \"local\"");
  }
  Block& block = never ? blocks_[id] : found->second;
  if (never) block = Block{.unknown = true};
  block.holders.insert(event.request);
  request.given[id] = {now, false};
  return {};
}

// Whether the event's blocks are the request's. What uses those of others, or what is freed, breaks a rule.
Checker::Refused Checker::know_blocks(const Event& event, Request& request, bool& usable) {
  for (const std::uint64_t id : event.blocks) {
    if (request.given.contains(id)) continue;
    const auto gone = request.gone.find(id);
    const auto block = blocks_.find(id);
    if (gone != request.gone.end()) {
      breaks(Rule::freed_while_touched, event, fmt::format("block {} was freed before this use of it", id),
             {gone->second});
    } else if (block == blocks_.end() || block->second.unknown || !writes(event.kind)) {
      return refuse(event, "blocks", std::to_string(id), "was never allocated to this request");
    } else if (!block->second.holders.empty()) {
      const std::string& holder = *block->second.holders.begin();
      breaks(kNotOwnWritten, event, fmt::format("block {} is held by request {}", id, holder),
             {requests_.at(holder).given.at(id).allocated.line});
    } else if (!block->second.freed.empty()) {
      breaks(Rule::freed_while_touched, event, fmt::format("block {} is free", id),
             {last_line(block->second.freed)});
    }
    usable = false;
  }
  return {};
}

// Whether a block was given to it to fill. Also: is the use behind the giving?
bool Checker::given(const Event& event, const Request& request, std::uint64_t id, Order::Chain chain) {
  const Given& given = request.given.at(id);
  if (!order_.before(given.allocated.node, chain)) {
    breaks(Rule::freed_while_touched, event,
           fmt::format("nothing orders this use of block {} behind its allocation", id),
           {given.allocated.line}, missing(given.allocated, event, kByMessage));
  }
  return given.own;
}

// Likewise, of what writes into the block: whatever is known of a prefix block, it is not to be written.
bool Checker::writes_own(const Event& event, const Request& request, std::uint64_t id, Order::Chain chain) {
  if (given(event, request, id, chain)) return true;
  const Block& block = blocks_[id];
  breaks(kNotOwnWritten, event,
         block.unknown ? fmt::format("block {} is a prefix block, filled by this engine", id)
                       : fmt::format("block {} is a prefix block, filled by request {}", id, block.filler),
         {block.unknown ? request.given.at(id).allocated.line : block.given.line});
  return false;
}

void Checker::changed(Block& block) {
  block.ready = 0;
  for (const std::string& holder : block.holders) {
    if (const auto found = requests_.find(holder); found != requests_.end()) found->second.ready.clear();
  }
}

}  // namespace pageproof::receive_log
