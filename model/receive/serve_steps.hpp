// Steps of the scheduler and of decode: a failure's policy, scheduling, decode steps, an abort, and blocks
// given back (§5.1, §5.5). The scheduler sees a worker by its report alone, so an aborted request keeps its
// blocks until every worker has reported it (H6).
#pragma once

#include "model/receive/step.hpp"

namespace pageproof::receive {

template <class Number, class Visit>
void visit_serve_steps(const Here<Number>& here, Visit&& visit) {
  using enum Step;
  using enum Guard;
  using G = Guarded<typename Here<Number>::Truth>;
  const auto& [given, s, engine, around] = here;
  const auto unguarded = std::array<G, 0>{};
  const auto wanted = s.aborted == 0;
  // On the step path a kernel of the main stream runs behind the conversions; from a side stream it does not.
  const auto in_order = given.side == 1 || (around.settled && s.retired == s.launched);

  visit(allocate, here.at(kFresh), unguarded, [](auto& n, auto&) { put(n.phase, kWaiting), put(n.zero, 1); });
  visit(hear_of_failure, here.at(kReported) && s.others_bad == 1, unguarded,
        [](auto& n, auto&) { put(n.phase, kFailed); });
  // The policy, once for all workers (R07).
  const auto knows_of_failure =
      here.at(kFailed) || here.at(kRecomputing) || (s.others_bad == 1 && here.between(kWaiting, kReported));
  visit(resolve, knows_of_failure && wanted,
        std::array{G{policy_once, s.resolved == 0}, G{policy_after_report, s.phase >= kFailed},
                   G{policy_after_workers, s.others == 0}},
        [](auto& n, auto&) {
          n.resolved = n.resolved + 1;
          n.phase = choose(n.policy == 1, Arithmetic<Number>::literal(n.phase, kRecomputing),
                           Arithmetic<Number>::literal(n.phase, kDraining));
        });
  // The local prefill is a step on the main stream, behind what is there; it retires as decode steps do.
  visit(recompute, here.at(kRecomputing) && wanted && in_order,
        std::array{G{recompute_after_zero, s.zero == 0}},
        [](auto& n, auto&) { put(n.recomputed, 1), put(n.phase, kScheduled), put(n.decode, kQueued); });
  visit(schedule, here.at(kReported) && wanted,
        std::array{G{every_worker_reported, s.others == 0}, G{no_worker_failed, s.others_bad == 0}},
        [](auto& n, auto&) { put(n.phase, kScheduled); });
  visit(decode_queued, here.at(kScheduled) && s.decode == kIdle && s.steps > 0, unguarded,
        [](auto& n, auto&) {
          put(n.decode, kQueued);
          n.steps = n.steps - 1;
        });
  visit(decode_runs, s.decode == kQueued && in_order, unguarded,
        [](auto& n, auto&) { put(n.decode, kRunning); });
  visit(decode_retires, s.decode == kRunning, unguarded, [](auto& n, auto&) { put(n.decode, kIdle); });
  // The last step may still be on the device: the scheduler is ahead of it (R02). Preemption is the same.
  visit(finish, here.at(kScheduled), unguarded,
        [](auto& n, auto&) { put(n.phase, kDraining), put(n.steps, 0); });
}

template <class Number, class Visit>
void visit_free_steps(const Here<Number>& here, Visit&& visit) {
  using enum Step;
  using enum Guard;
  using G = Guarded<typename Here<Number>::Truth>;
  const auto& [given, s, engine, around] = here;
  const auto unguarded = std::array<G, 0>{};

  // The scheduler drops the request; its workers go on until they hear of it, and report in any case.
  visit(abort, s.aborted == 0 && here.between(kWaiting, kRecomputing), unguarded,
        [](auto& n, auto&) { put(n.aborted, 1), put(n.steps, 0); });
  visit(drop, s.aborted == 1 && (here.at(kReported) || here.at(kFailed) || here.at(kRecomputing)), unguarded,
        [](auto& n, auto&) { put(n.phase, kDraining); });
  const auto to_be_freed = here.at(kDraining) || (s.aborted == 1 && here.between(kWaiting, kFailed));
  visit(free_blocks, to_be_freed && s.given_back == 0,
        std::array{G{free_after_report, here.at(kDraining)}, G{free_after_workers, s.others == 0},
                   G{free_after_conversion, s.retired == s.launched}, G{free_after_decode, s.decode == kIdle},
                   G{free_after_zero, s.zero == 0}},
        [](auto& n, auto&) {
          put(n.given_back, 1);
          put_where(n.phase == kDraining, n.phase, kFreed);
        });
  visit(end, here.at(kFreed) && s.prefill != kHeld, unguarded, [](auto& n, auto&) { put(n.phase, kEnded); });
}

}  // namespace pageproof::receive
