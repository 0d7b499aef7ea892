// Steps of the handshake thread and of the main thread about the remote engine, which all requests to it
// share (§5.7). One thread makes the handshakes with all engines: what it does for another one (a stranger)
// shows in the worker's flags (H1) and in the transfer agent (H3).
#pragma once

#include "model/receive/step.hpp"

namespace pageproof::receive {

template <class Number, class Visit>
void visit_handshake_steps(const Here<Number>& here, Visit&& visit) {
  using enum Step;
  using enum Guard;
  using G = Guarded<typename Here<Number>::Truth>;
  const auto& [given, s, engine, around] = here;
  const auto unguarded = std::array<G, 0>{};
  const auto lives = here.between(kWaiting, kFreed);

  // By the request, or by another one, or by a heartbeat.
  visit(handshake_starts, lives && engine.state == kAbsent, unguarded,
        [](auto&, auto& e) { put(e.state, kPending); });
  visit(handshake_ends, lives && engine.state == kPending, unguarded,
        [](auto&, auto& e) { put(e.state, kDone); });
  visit(callback_runs, lives && engine.state == kDone, unguarded,
        [](auto&, auto& e) { put(e.state, kReady); });
  visit(handshake_fails, here.at(kWaiting) && engine.state == kPending && s.bad == 0, unguarded,
        [](auto& n, auto& e) { put(e.state, kAbsent), put(n.bad, 1); });
  // A rejected pair fails its requests, as a broken handshake does.
  visit(pair_refused, here.at(kWaiting) && engine.state == kReady && s.verdict == kRejected && s.bad == 0,
        unguarded, [](auto& n, auto&) { put(n.bad, 1); });
  // Its time to live is over, it was replaced, or a handshake that others began has failed.
  visit(engine_forgotten, lives && engine.state != kAbsent && engine.losses > 0,
        std::array{G{engine_is_not_busy, s.outstanding == 0},
                   G{engine_is_not_busy_elsewhere, !around.engine_busy},
                   G{agent_calls_serialised, engine.inside == 0}},
        [](auto&, auto& e) {
          put_where(e.inside == 1, e.overlaps, 1);
          put(e.state, kAbsent);
          e.losses = e.losses - 1;
        });
  // Validation of another engine sets the worker's flags before its later checks can fail.
  visit(stranger_enters, lives && engine.strangers > 0 && engine.inside == 0, unguarded, [](auto&, auto& e) {
    e.strangers = e.strangers - 1;
    put(e.inside, 1);
    put(e.sticky, 1);
  });
  visit(stranger_leaves, lives && engine.inside == 1, unguarded, [](auto&, auto& e) { put(e.inside, 0); });
}

}  // namespace pageproof::receive
