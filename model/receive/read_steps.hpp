// Steps of posting and of the transport: reads end in any order, well or badly, or the pages at the prefill
// are freed under them; and how the prefill comes to free its pages (§5.3, §5.4).
#pragma once

#include "model/receive/step.hpp"

namespace pageproof::receive {

template <class Number, class Visit>
void visit_post_steps(const Here<Number>& here, Visit&& visit) {
  using enum Step;
  using enum Guard;
  using G = Guarded<typename Here<Number>::Truth>;
  const auto& [given, s, engine, around] = here;
  const auto unguarded = std::array<G, 0>{};

  visit(zero_runs, here.between(kWaiting, kDraining) && s.zero == 1, unguarded,
        [](auto& n, auto&) { put(n.zero, 0); });
  // A turn of the runner; reads are posted in one half of it, results are looked at behind the forward pass.
  visit(forward, s.phase != kEnded, unguarded, [](auto& n, auto&) { n.turn = 1 - n.turn; });

  // The worker posts, handle by handle. That it stops where one fails, or where it hears that the request is
  // lost, is a care: a post that is not made returns False, and who called it has to leave the rest.
  const auto turn_to_post = s.turn == given.deferred;
  const auto posts = (here.at(kWaiting) || here.at(kReading)) && turn_to_post && s.posted < s.reads;
  const auto not_lost = s.heard == 0;
  const auto reaches_out = [](auto& n, auto& e) {
    put(n.phase, kReading);
    put_where(e.state != kReady, n.blind, 1);
    put_where(e.inside == 1, e.overlaps, 1);
  };
  visit(post_read, posts,
        std::array{G{engine_is_ready, engine.state == kReady}, G{pair_is_accepted, s.verdict != kRejected},
                   G{zero_has_run, s.zero == 0}, G{agent_calls_serialised, engine.inside == 0},
                   G{no_post_after_failure, s.bad == 0}, G{no_post_after_loss, not_lost}},
        [reaches_out](auto& n, auto& e) {
          reaches_out(n, e);
          n.posted = n.posted + 1;
          n.outstanding = n.outstanding + 1;
        });
  // Its first failure: a second one changes nothing.
  visit(post_fails, posts && engine.state == kReady && s.bad == 0,
        std::array{G{pair_is_accepted, s.verdict != kRejected}, G{no_post_after_loss, not_lost}},
        [](auto& n, auto&) { put(n.phase, kReading), put(n.bad, 1); });
  // All blocks are here: a notice is sent and nothing is read.
  visit(none_to_post, here.at(kWaiting) && turn_to_post && s.reads == 0 && s.bad == 0,
        std::array{G{notify_engine_is_ready, engine.state == kReady},
                   G{notify_pair_is_accepted, s.verdict != kRejected}, G{notify_after_zero, s.zero == 0},
                   G{agent_calls_serialised, engine.inside == 0}},
        reaches_out);
}

template <class Number, class Visit>
void visit_transport_steps(const Here<Number>& here, Visit&& visit) {
  using enum Step;
  using enum Guard;
  using G = Guarded<typename Here<Number>::Truth>;
  const auto& [given, s, engine, around] = here;
  const auto unguarded = std::array<G, 0>{};

  const auto ended = [](auto& n, auto& e) {
    n.outstanding = n.outstanding - 1;
    put_where(e.inside == 1, e.overlaps, 1);
  };
  visit(read_ends, s.outstanding > 0,
        std::array{G{prefill_still_holds, s.prefill == kHeld}, G{agent_calls_serialised, engine.inside == 0}},
        [ended](auto& n, auto& e) {
          ended(n, e);
          put_where(n.prefill != kHeld, n.stale, 1);
        });
  visit(read_fails, s.outstanding > 0, std::array{G{agent_calls_serialised, engine.inside == 0}},
        [ended](auto& n, auto& e) {
          ended(n, e);
          put(n.bad, 1);
        });

  // The prefill frees its pages: told by the notice of the reads, told that the request will not read to the
  // end, or when the lease has run out. What was told or has expired before this life began is stale (R05).
  const auto freed = [](int how, int told) {
    return [how, told](auto& n, auto&) {
      put(n.prefill, how);
      n.frees = n.frees + 1;
      if (told == 1) put(n.told, 1);
    };
  };
  visit(tell_prefill, s.bad == 0 && here.between(kReading, kFreed),
        std::array{G{notice_after_posts, s.posted == s.reads}, G{notice_after_reads, s.outstanding == 0},
                   G{notice_once, s.prefill == kHeld}},
        freed(kTold, 1));
  visit(notice_again, s.prefill == kTold && s.duplicate == 1,
        std::array{G{prefill_frees_once, s.prefill == kHeld}}, [](auto& n, auto&) {
          put(n.duplicate, 0);
          n.frees = n.frees + 1;
        });
  visit(notice_dropped, s.prefill == kTold && s.duplicate == 1, unguarded,
        [](auto& n, auto&) { put(n.duplicate, 0); });
  visit(tell_abort, here.between(kWaiting, kFreed),
        std::array{G{abort_notice_after_loss, s.bad == 1 || s.heard == 1},
                   G{abort_notice_after_reads, s.outstanding == 0}, G{abort_notice_once, s.prefill == kHeld}},
        freed(kTold, 1));
  visit(lease_expires, s.prefill == kHeld && here.between(kWaiting, kFreed), unguarded, freed(kExpired, 0));
}

}  // namespace pageproof::receive
