#include "fuzz/receive/world.hpp"

#include <utility>

namespace pageproof::fuzz_receive {

using rx::Step;

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

bool World::model(Request& request, Step wanted, bool change) {
  bool taken = false;
  const rx::Life<int> before = request.life;
  // Stream order is the device's own here: a kernel runs when those in front of it have.
  const bool settled = true;
  rx::visit_steps(setting_, before, settled,
                  [&](Step step, bool place, const auto& guards, const auto& effect) {
                    if (step != wanted || !place) return;
                    for (const rx::Guarded<bool>& guard : guards) {
                      if (!guard.holds && in_force(guard.guard)) return;
                    }
                    taken = true;
                    if (change) effect(request.life);
                  });
  return taken;
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
