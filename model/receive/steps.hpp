// All steps of a life, each with the place where it can happen, the guards that must hold, and its effect on
// the life and on the engine. A place is where the machinery is; a guard is a care.
//
//   visit_steps(here, [&](Step step, Truth place, std::array<Guarded<Truth>, n> guards, auto effect) {
//     ... effect(life, engine) ... })
//
// And what comes of them: which of them the system itself promises to take.
#pragma once

#include "model/receive/convert_steps.hpp"
#include "model/receive/handshake_steps.hpp"
#include "model/receive/read_steps.hpp"
#include "model/receive/serve_steps.hpp"

namespace pageproof::receive {

template <class Number, class Visit>
void visit_steps(const Here<Number>& here, Visit&& visit) {
  visit_handshake_steps(here, visit);
  visit_post_steps(here, visit);
  visit_transport_steps(here, visit);
  visit_convert_steps(here, visit);
  visit_report_steps(here, visit);
  visit_serve_steps(here, visit);
  visit_free_steps(here, visit);
}

// Will the step be taken, when it can be taken again and again? Failures, aborts, evictions, a worker's
// hearing of a loss and the end of a lease may come or not: nothing rests on them. A READ ends, well or
// badly: that is an assumption (reads_end), for today's connector sets it no time limit. The runner's turn
// comes again and again, but leads nowhere by itself.
template <class Number>
auto is_promised(Step step, const Life<Number>& s, bool lease) {
  using Truth = decltype(s.phase == 0);
  const Truth always = s.phase >= kFresh;
  const Truth never = s.phase < kFresh;
  switch (step) {
    case Step::handshake_starts:
    case Step::handshake_ends:
    case Step::callback_runs:
      return Truth(needs_engine(s));
    case Step::finish:
      return Truth(s.steps == 0);
    case Step::lease_expires:
      return lease ? always : never;
    case Step::forward:
    case Step::handshake_fails:
    case Step::engine_forgotten:
    case Step::stranger_enters:
    case Step::post_fails:
    case Step::notice_again:
    case Step::notice_dropped:
    case Step::hear_of_loss:
    case Step::other_fails:
    case Step::abort:
      return never;
    default:
      return always;
  }
}

}  // namespace pageproof::receive
