// The steps of a life, each with the place where it can happen, the guards that must hold, and its effect.
// A place is where the machinery is; a guard is a care that somebody has to take, so each has a name and can
// be left out (a mutant): what then breaks is known (guard_table in names.hpp).
//
//   visit_steps(setting, life, settled, [&](Step step, Truth place, std::array<Guarded<Truth>, n> guards,
//                                           auto effect) { ... effect(life) ... })
#pragma once

#include <array>
#include <cstdint>

#include "model/receive/life.hpp"

namespace pageproof::receive {

enum class Step : std::uint8_t {
  allocate,
  zero_runs,
  handshake_starts,
  handshake_ends,
  callback_runs,
  handshake_fails,
  pair_refused,
  engine_forgotten,
  forward,
  post_read,
  post_fails,
  none_to_post,
  read_ends,
  read_fails,
  tell_prefill,
  notice_again,
  notice_dropped,
  tell_abort,
  lease_expires,
  conversion_begins,
  launch_layer,
  retire_layer,
  record_event,
  use_as_landed,
  report,
  report_failure,
  other_reports,
  other_fails,
  hear_of_failure,
  resolve,
  recompute,
  schedule,
  decode_queued,
  decode_runs,
  decode_retires,
  finish,
  abort,
  free_blocks,
  end,
};
inline constexpr int kSteps = static_cast<int>(Step::end) + 1;

enum class Guard : std::uint8_t {
  none,
  block_is_free,
  prefix_is_published,
  zero_has_run,
  pair_is_accepted,
  engine_is_ready,
  engine_is_not_busy,
  prefill_still_holds,
  notice_after_reads,
  abort_notice_after_reads,
  prefill_frees_once,
  reads_have_ended,
  all_reads_posted,
  no_read_failed,
  pair_converts,
  not_converted_before,
  own_blocks_only,
  every_layer_launched,
  event_completed,
  failure_after_reads,
  every_worker_reported,
  no_worker_failed,
  policy_once,
  free_after_reads,
  free_after_conversion,
  free_after_decode,
};
inline constexpr int kGuards = static_cast<int>(Guard::free_after_decode) + 1;

template <class Truth>
struct Guarded {
  Guard guard;
  Truth holds;
};

// `settled`: no conversion of a block that the request holds is enqueued and has not run. It is a fact of the
// device, not a care: on the step path the decode step runs behind the conversions, in stream order.
template <class Number, class Truth, class Visit>
void visit_steps(const Setting<Number>& given, const Life<Number>& s, const Truth& settled, Visit&& visit) {
  using enum Step;
  using enum Guard;
  const auto at = [&](int phase) { return s.phase == phase; };
  const Truth blocks_here = s.phase >= kWaiting && s.phase <= kDraining;
  const Truth on_side = given.side == 1;
  const auto unguarded = std::array<Guarded<Truth>, 0>{};
  const auto one = [](Guard guard, const Truth& holds) {
    return std::array<Guarded<Truth>, 1>{Guarded<Truth>{guard, holds}};
  };
  using Two = std::array<Guarded<Truth>, 2>;
  using Four = std::array<Guarded<Truth>, 4>;

  // The scheduler allocates; which blocks, and their guards: take() below.
  visit(allocate, at(kFresh), unguarded, [](auto& n) { put(n.phase, kWaiting), put(n.zero, 1); });
  visit(zero_runs, blocks_here && s.zero == 1, unguarded, [](auto& n) { put(n.zero, 0); });

  // The handshake, on a thread of its own (§5.7).
  visit(handshake_starts, at(kWaiting) && s.engine == kAbsent && s.bad == 0, unguarded,
        [](auto& n) { put(n.engine, kPending); });
  visit(handshake_ends, s.engine == kPending, unguarded, [](auto& n) { put(n.engine, kDone); });
  visit(callback_runs, s.engine == kDone, unguarded, [](auto& n) { put(n.engine, kReady); });
  // A rejected pair fails its requests, as a broken handshake does.
  visit(pair_refused, at(kWaiting) && s.engine == kReady && s.verdict == kRejected && s.bad == 0, unguarded,
        [](auto& n) { put(n.bad, 1); });
  visit(handshake_fails, at(kWaiting) && s.engine == kPending && s.bad == 0, unguarded,
        [](auto& n) { put(n.engine, kAbsent), put(n.bad, 1); });
  visit(engine_forgotten, s.engine == kReady && s.phase >= kReading && s.phase <= kDraining,
        one(engine_is_not_busy, s.outstanding == 0 && s.phase != kReading),
        [](auto& n) { put(n.engine, kAbsent); });
  // A turn of the runner; reads are posted in one half of it, results are looked at behind the forward pass.
  visit(forward, s.phase != kEnded, unguarded, [&](auto& n) { n.turn = 1 - n.turn; });

  // The worker posts, handle by handle.
  const Truth turn_to_post = s.turn == given.deferred;
  visit(post_read, (at(kWaiting) || at(kReading)) && turn_to_post && s.posted < s.reads && s.bad == 0,
        std::array<Guarded<Truth>, 3>{Guarded<Truth>{engine_is_ready, s.engine == kReady},
                                      Guarded<Truth>{pair_is_accepted, s.verdict != kRejected},
                                      Guarded<Truth>{zero_has_run, s.zero == 0}},
        [](auto& n) {
          put(n.phase, kReading);
          n.posted = n.posted + 1;
          n.outstanding = n.outstanding + 1;
        });
  visit(post_fails,
        (at(kWaiting) || at(kReading)) && turn_to_post && s.posted < s.reads && s.bad == 0 &&
            s.engine == kReady && s.verdict != kRejected,
        unguarded, [](auto& n) { put(n.phase, kReading), put(n.bad, 1); });
  visit(none_to_post,
        at(kWaiting) && turn_to_post && s.reads == 0 && s.bad == 0 && s.engine == kReady && s.zero == 0 &&
            s.verdict != kRejected,
        unguarded, [](auto& n) { put(n.phase, kReading); });

  // The transport: reads end in any order, well or not.
  visit(read_ends, s.outstanding > 0, one(prefill_still_holds, s.prefill == kHeld), [&](auto& n) {
    n.outstanding = n.outstanding - 1;
    put_where(n.prefill != kHeld, n.stale, 1);
  });
  visit(read_fails, s.outstanding > 0, unguarded, [](auto& n) {
    n.outstanding = n.outstanding - 1;
    put(n.bad, 1);
  });

  // The prefill frees its pages: told by the read's notice, told of the end of a request that did not read
  // to the end, or when the lease has run out.
  const Truth may_free = s.prefill == kHeld;
  const Truth cut_short = s.bad == 1 || s.phase >= kDraining;
  const auto freed = [](int how) {
    return [how](auto& n) {
      put(n.prefill, how);
      n.frees = n.frees + 1;
      put_where(n.outstanding > 0, n.early_told, 1);
    };
  };
  visit(tell_prefill,
        s.posted == s.reads && s.bad == 0 && s.phase >= kReading && may_free && s.phase != kEnded,
        one(notice_after_reads, s.outstanding == 0), freed(kTold));
  visit(notice_again, s.prefill == kTold && s.duplicate == 1, one(prefill_frees_once, may_free), [](auto& n) {
    put(n.duplicate, 0);
    n.frees = n.frees + 1;
  });
  visit(notice_dropped, s.prefill == kTold && s.duplicate == 1, unguarded,
        [](auto& n) { put(n.duplicate, 0); });
  visit(tell_abort, cut_short && may_free && s.phase != kEnded && s.phase != kFresh,
        one(abort_notice_after_reads, s.outstanding == 0), freed(kTold));
  visit(lease_expires, may_free && s.phase != kEnded && s.phase != kFresh, unguarded, [](auto& n) {
    put(n.prefill, kExpired);
    n.frees = n.frees + 1;
  });

  // Received: converted layer by layer on one stream, or used as it is.
  const Truth results = s.turn == 1;
  visit(conversion_begins, (at(kReading) || at(kReported)) && results,
        std::array<Guarded<Truth>, 5>{Guarded<Truth>{reads_have_ended, s.outstanding == 0},
                                      Guarded<Truth>{all_reads_posted, s.posted == s.reads},
                                      Guarded<Truth>{no_read_failed, s.bad == 0},
                                      Guarded<Truth>{pair_converts, s.verdict == kConvert},
                                      Guarded<Truth>{not_converted_before, at(kReading)}},
        [](auto& n) { put(n.phase, kConverting), put(n.launched, 0), put(n.retired, 0), put(n.event, 0); });
  visit(launch_layer, at(kConverting) && s.launched < given.layers, unguarded,
        [](auto& n) { n.launched = n.launched + 1; });
  visit(retire_layer, s.retired < s.launched, unguarded, [](auto& n) { n.retired = n.retired + 1; });
  visit(record_event, at(kConverting), one(every_layer_launched, s.launched == given.layers), [](auto& n) {
    put(n.phase, kRecorded);
    n.event = n.launched;
  });
  visit(use_as_landed,
        at(kReading) && results && s.outstanding == 0 && s.posted == s.reads && s.bad == 0 &&
            s.verdict == kMatch,
        unguarded, [](auto& n) { put(n.phase, kReported); });
  // On the side stream the event has to complete; on the step path the stream's order is enough.
  visit(report, at(kRecorded), one(event_completed, !on_side || s.retired >= s.event),
        [](auto& n) { put(n.phase, kReported); });

  // Failure: of this worker, of another one; the policy once for all of them (R07).
  visit(report_failure, (at(kWaiting) || at(kReading)) && s.bad == 1,
        one(failure_after_reads, s.outstanding == 0), [](auto& n) {
          put(n.phase, kFailed);
          put_where(n.outstanding > 0, n.early, 1);
        });
  visit(other_reports, s.others > 0 && s.phase >= kWaiting, unguarded,
        [](auto& n) { n.others = n.others - 1; });
  visit(other_fails, s.others > 0 && s.phase >= kWaiting, unguarded, [](auto& n) {
    n.others = n.others - 1;
    put(n.others_bad, 1);
  });
  visit(hear_of_failure, at(kReported) && s.others == 0 && s.others_bad == 1, unguarded,
        [](auto& n) { put(n.phase, kFailed); });
  visit(resolve, (at(kFailed) || at(kRecomputing)) && s.others == 0 && s.zero == 0,
        one(policy_once, s.resolved == 0), [](auto& n) {
          n.resolved = n.resolved + 1;
          n.phase = choose(n.policy == 1, Arithmetic<Number>::literal(n.phase, kRecomputing),
                           Arithmetic<Number>::literal(n.phase, kDraining));
        });
  // The local prefill is a step on the main stream, behind what is there; it retires as decode steps do.
  visit(recompute, at(kRecomputing) && s.outstanding == 0 && s.retired == s.launched, unguarded,
        [](auto& n) { put(n.recomputed, 1), put(n.phase, kScheduled), put(n.decode, kQueued); });

  // Decode steps.
  visit(schedule, at(kReported),
        Two{Guarded<Truth>{every_worker_reported, s.others == 0},
            Guarded<Truth>{no_worker_failed, s.others_bad == 0}},
        [](auto& n) { put(n.phase, kScheduled); });
  visit(decode_queued, at(kScheduled) && s.decode == kIdle && s.steps > 0, unguarded, [](auto& n) {
    put(n.decode, kQueued);
    n.steps = n.steps - 1;
  });
  visit(decode_runs, s.decode == kQueued && (on_side || (settled && s.retired == s.launched)), unguarded,
        [](auto& n) { put(n.decode, kRunning); });
  visit(decode_retires, s.decode == kRunning, unguarded, [](auto& n) { put(n.decode, kIdle); });
  // The last step may still be on the device: the scheduler is ahead of it (R02). Preemption is the same.
  visit(finish, at(kScheduled), unguarded, [](auto& n) { put(n.phase, kDraining), put(n.steps, 0); });
  visit(abort, s.phase >= kWaiting && s.phase <= kRecomputing, unguarded,
        [](auto& n) { put(n.phase, kDraining), put(n.steps, 0); });
  visit(free_blocks, at(kDraining),
        Four{Guarded<Truth>{free_after_reads, s.outstanding == 0},
             Guarded<Truth>{free_after_conversion, s.retired == s.launched},
             Guarded<Truth>{free_after_decode, s.decode == kIdle}, Guarded<Truth>{zero_has_run, s.zero == 0}},
        [](auto& n) { put(n.phase, kFreed); });
  visit(end, at(kFreed) && !may_free && s.outstanding == 0 && s.retired == s.launched && s.decode == kIdle,
        unguarded, [](auto& n) { put(n.phase, kEnded); });
}

// How an allocation meets a block: not at all, as a new block, as a prefix that is here already.
enum class Take : std::uint8_t { nothing, own, share };

template <class Truth, class Number>
Guarded<Truth> guard_of(Take take, const Page<Number>& page) {
  if (take == Take::own) return {Guard::block_is_free, page.refs == 0};
  if (take == Take::share) return {Guard::prefix_is_published, page.published == 1};
  return {Guard::none, page.refs >= 0};
}

template <class Number>
void take(Take how, const Life<Number>& life, Tie<Number>& tie, Page<Number>& page) {
  if (how == Take::nothing) return;
  put(tie.holds, 1);
  page.refs = page.refs + 1;
  if (how == Take::share) {
    put(tie.shares, 1);
    return;
  }
  put(tie.own, 1);
  put(page.published, 0), put(page.started, 0), put(page.finished, 0), put(page.local, 0);
  put(page.wanted, 0);
  put_where(life.verdict == kConvert, page.wanted, 1);
}

// What a step does to a layer of a block, and to the tie. `before` is the life before the step; `without` a
// guard that is left out.
template <class Number>
void touch(Step step, const Life<Number>& before, Guard without, Tie<Number>& tie, Page<Number>& page) {
  const auto held = tie.holds == 1;
  const auto converts = without == Guard::own_blocks_only ? tie.holds == 1 : tie.own == 1;
  switch (step) {
    case Step::launch_layer:
      page.started = choose(converts && before.launched == page.layer, page.started + 1, page.started);
      break;
    case Step::retire_layer:
      page.finished = choose(converts && before.retired == page.layer, page.finished + 1, page.finished);
      break;
    case Step::recompute:
      put_where(tie.own == 1, page.local, 1);
      put_where(tie.own == 1, page.published, 1);
      break;
    case Step::schedule:
      put_where(tie.own == 1, page.published, 1);
      break;
    case Step::free_blocks:
      page.refs = choose(held, page.refs - 1, page.refs);
      put(tie.holds, 0);
      break;
    case Step::end:
      put(tie.own, 0);
      put(tie.shares, 0);
      break;
    default:
      break;
  }
}

}  // namespace pageproof::receive
