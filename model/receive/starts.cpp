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
          System system = start_of(side, deferred, 1, engine_of(kReady, reads, 0));
          system.count = 2;
          for (Life<int>& life : system.lives) {
            life.verdict = verdict;
            life.turn = 1;
            life.reads = reads;
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

}  // namespace pageproof::receive
