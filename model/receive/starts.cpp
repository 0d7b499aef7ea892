// The small requests that the search begins with. The runner's turn is 1 at each start: it changes before the
// first step as well.
#include "model/receive/search.hpp"

namespace pageproof::receive {
namespace {

Engine<int> engine_of(int state, int losses, int strangers) {
  Engine<int> engine{};
  engine.state = state, engine.losses = losses, engine.strangers = strangers;
  return engine;
}

System start_of(int side, int deferred, int layers, const Engine<int>& engine) {
  System system;
  system.given = {.side = side, .deferred = deferred, .layers = layers};
  system.engine = engine;
  return system;
}

std::vector<System> starts_of_one() {
  std::vector<System> all;
  const auto add = [&](int side, int deferred, int layers, const Engine<int>& engine, const Life<int>& life) {
    System system = start_of(side, deferred, layers, engine);
    system.lives[0] = life;
    all.push_back(system);
  };
  for (const int verdict : {kMatch, kConvert, kRejected}) {
    for (const int side : {1, 0}) {
      for (const int deferred : {1, 0}) {
        for (const int reads : {0, 1, 2}) {
          Life<int> life{};
          life.verdict = verdict;
          life.turn = 1;
          life.steps = 1;
          life.reads = reads;
          const int layers = reads == 2 ? 2 : 1;
          const Engine<int> ready = engine_of(kReady, 0, 0);
          // Failure: its policy, and another worker.
          for (const int policy : {0, 1}) {
            life.policy = policy;
            life.others = 1;
            add(side, deferred, layers, ready, life);
          }
          life.others = 0;
          // The prefill: a notice that comes twice, a reference that was used or has expired.
          life.duplicate = 1;
          add(side, deferred, layers, ready, life);
          life.duplicate = 0;
          for (const int prefill : {kTold, kExpired}) {
            life.prefill = prefill;
            add(side, deferred, layers, ready, life);
          }
          life.prefill = kHeld;
          // The engine: in any state, lost once, and another one's handshake beside it.
          for (const int state : {kAbsent, kDone, kReady}) {
            add(side, deferred, layers, engine_of(state, 1, 1), life);
          }
        }
      }
    }
  }
  return all;
}

// Two that want the same block, from the same engine.
std::vector<System> starts_of_two() {
  std::vector<System> all;
  for (const int verdict : {kMatch, kConvert}) {
    for (const int side : {1, 0}) {
      for (const int deferred : {1, 0}) {
        for (const int reads : {0, 1}) {
          if (verdict == kMatch && side == 0) continue;  // nothing is converted
          const int losses = side == 1 && deferred == 1 ? reads : 0;
          System system = start_of(side, deferred, 1, engine_of(kReady, losses, 0));
          system.count = 2;
          for (Life<int>& life : system.lives) {
            life.verdict = verdict;
            life.turn = 1;
            life.reads = reads;
            life.policy = 1;
            life.steps = deferred;
          }
          all.push_back(system);
        }
      }
    }
  }
  return all;
}

}  // namespace

std::vector<System> starts(bool two) {
  return two ? starts_of_two() : starts_of_one();
}

// Two turns of two runners make four states of one, so with both halves of a turn there are no faults. Where
// reads are posted behind the forward pass, nothing happens before it: the turn can stand still.
std::vector<Step> left_out(const System& start) {
  if (start.count == 1) return {};
  if (start.given.deferred == 1) return {Step::forward, Step::lease_expires};
  return {Step::lease_expires, Step::abort, Step::post_fails, Step::read_fails, Step::engine_forgotten};
}

std::vector<System> starts_for(Guard guard) {
  const bool busy = guard == Guard::engine_is_not_busy_elsewhere;
  if (!busy && guard != Guard::block_is_free && guard != Guard::prefix_is_published &&
      guard != Guard::own_blocks_only) {
    return starts(false);
  }
  std::vector<System> all = starts(true);
  std::erase_if(all, [busy](const System& system) {
    const Life<int>& life = system.lives[0];
    return life.verdict != kConvert || system.given.deferred == 0 || life.reads != (busy ? 1 : 0);
  });
  return all;
}

}  // namespace pageproof::receive
