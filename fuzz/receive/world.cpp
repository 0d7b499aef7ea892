#include "fuzz/receive/world.hpp"

#include <algorithm>
#include <utility>

namespace pageproof::fuzz_receive {

using rx::Guard;
using rx::Step;

namespace {

template <class Guards>
bool may(const Guards& guards, Guard without) {
  return std::ranges::all_of(
      guards, [&](const rx::Guarded<bool>& guard) { return guard.holds || guard.guard == without; });
}
// As far as the worker knows: whether the prefill still holds the pages of a notice it does not.
template <class Guards>
bool may_as_worker(const Guards& guards, Guard without) {
  return std::ranges::all_of(guards, [&](const rx::Guarded<bool>& guard) {
    return guard.holds || guard.guard == without || guard.guard == Guard::notice_once ||
           guard.guard == Guard::abort_notice_once;
  });
}

}  // namespace

World::World(const WorldOptions& options, Listener listener)
    : options_(options),
      listener_(std::move(listener)),
      setting_{.side = options.side ? 1 : 0,
               .deferred = options.deferred ? 1 : 0,
               .layers = static_cast<int>(options.layers)},
      requests_(options.slots),
      blocks_(options.blocks),
      peers_(options.peers) {
  for (Block& block : blocks_) {
    block.layers.resize(options.layers);
    for (std::uint32_t layer = 0; layer < options.layers; ++layer) {
      block.layers[layer].layer = static_cast<int>(layer);
    }
  }
  // As often as somebody decides on it.
  for (Peer& peer : peers_) {
    peer.engine.state = rx::kReady;
    peer.engine.losses = peer.engine.strangers = 1 << 30;
  }
  if (options.bytes) pages_.emplace(options.blocks, options.layers);
}

bool World::apply(const Record& record) {
  switch (record.move) {
    case Move::tick:
      return record.handle < kStreams && tick(static_cast<Stream>(record.handle));
    case Move::peer_dies:
    case Move::peer_returns:
    case Move::peer_moves:
      return record.handle < peers_.size() && peer_changes(record);
    default:
      break;
  }
  if (record.slot >= requests_.size()) return false;
  if (record.move == Move::arrival) return arrive(record);
  const Request& request = requests_[record.slot];
  if (!request.live || request.id != record.request) return false;
  switch (record.move) {
    case Move::step:
      return step(record);
    case Move::piece:
      return piece(record);
    case Move::read_breaks:
      return read_breaks(record);
    default:
      return notice_moves(record);
  }
}

bool World::arrive(const Record& record) {
  Request& request = requests_[record.slot];
  if (request.live || !record.arrival || record.arrival->peer >= peers_.size()) return false;
  request = {};
  request.life = record.arrival->life;
  request.id = record.request;
  request.live = true;
  request.prompt = record.arrival->prompt;
  request.peer = record.arrival->peer;
  request.key = peers_[request.peer].key;
  if (record.arrival->resumed) tally_.count(Situation::resumed);
  tell({.what = Happening::What::arrived, .request = request.id, .slot = record.slot});
  return true;
}

// Stream order is the device's own here: a kernel runs when those in front of it have.
rx::Here<int> World::here(const Request& request) const {
  const Peer& peer = peers_[request.peer];
  const bool busy = peer.outstanding > static_cast<int>(request.reads.size());
  return {setting_, request.life, peer.engine, {.settled = true, .engine_busy = busy}};
}

bool World::model(Request& request, Step wanted, bool change) {
  bool taken = false;
  rx::visit_steps(here(request), [&](Step step, bool place, const auto& guards, const auto& effect) {
    if (taken || step != wanted || !place || !may(guards, options_.without)) return;
    taken = true;
    if (change) effect(request.life, peers_[request.peer].engine);
  });
  return taken;
}

bool World::may_send(const Request& request, Step wanted) const {
  bool sends = false;
  rx::visit_steps(here(request), [&](Step step, bool place, const auto& guards, const auto&) {
    sends = sends || (step == wanted && place && may_as_worker(guards, options_.without));
  });
  return sends;
}

void World::enabled(std::uint16_t slot, std::vector<Step>& steps) const {
  steps.clear();
  const Request& request = requests_[slot];
  rx::visit_steps(here(request), [&](Step step, bool place, const auto& guards, const auto&) {
    if (!place || !may_as_worker(guards, options_.without)) return;
    if (possible(request, step)) steps.push_back(step);
  });
}

// What a step has done to the blocks, and the rules after it.
void World::behind(std::uint16_t slot, Step step, const rx::Life<int>& before) {
  Request& request = requests_[slot];
  ++steps_;
  const auto touch = [&](std::uint16_t block, bool own) {
    for (rx::Page<int>& page : blocks_[block].layers) {
      rx::Tie<int> tie{own ? 1 : 0, own ? 0 : 1, request.holds ? 1 : 0};
      rx::touch(step, before, options_.without, tie, page);
    }
  };
  for (const std::uint16_t block : request.own) touch(block, true);
  for (const std::uint16_t block : request.shared) touch(block, false);
  if (step == Step::free_blocks) request.holds = false;
  tell({.what = Happening::What::step, .request = request.id, .slot = slot, .step = step});
  watch(slot, step);
  if (step != Step::end) return;
  for (const auto* list : {&request.own, &request.shared}) {
    for (const std::uint16_t block : *list) std::erase(blocks_[block].slots, slot);
  }
  request.live = false;
  tell({.what = Happening::What::ended, .request = request.id, .slot = slot});
}

bool World::passes(std::uint16_t slot, Step step) {
  Request& request = requests_[slot];
  const rx::Life<int> before = request.life;
  if (!model(request, step, true)) return false;
  behind(slot, step, before);
  return true;
}

}  // namespace pageproof::fuzz_receive
