// The steps of a life by name, and the guards: a guard is a care that somebody has to take, so each has a
// name and can be left out (a mutant). What then breaks is known (guard_table in names.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <utility>

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
  stranger_enters,
  stranger_leaves,
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
  hear_of_loss,
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
  drop,
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
  agent_calls_serialised,
  no_post_after_failure,
  no_post_after_loss,
  notify_after_zero,
  notify_pair_is_accepted,
  notify_engine_is_ready,
  engine_is_not_busy,
  engine_is_not_busy_elsewhere,
  prefill_still_holds,
  notice_after_posts,
  notice_after_reads,
  notice_once,
  abort_notice_after_loss,
  abort_notice_after_reads,
  abort_notice_once,
  prefill_frees_once,
  reads_have_ended,
  all_reads_posted,
  no_read_failed,
  no_loss_heard,
  pair_converts,
  not_converted_before,
  own_blocks_only,
  every_layer_launched,
  event_completed,
  as_landed_after_reads,
  as_landed_all_posted,
  as_landed_no_failure,
  as_landed_pair_matches,
  failure_after_reads,
  every_worker_reported,
  no_worker_failed,
  policy_once,
  policy_after_report,
  policy_after_workers,
  recompute_after_zero,
  free_after_report,
  free_after_workers,
  free_after_conversion,
  free_after_decode,
  free_after_zero,
};
inline constexpr int kGuards = static_cast<int>(Guard::free_after_zero) + 1;

template <class Truth>
struct Guarded {
  Guard guard;
  Truth holds;
};

// What a step has to know of others.
template <class Truth>
struct Around {
  // No conversion of a block that the request holds is enqueued and has not run. A fact of the device, not a
  // care: on the step path a decode step runs behind the conversions, in stream order.
  Truth settled;
  Truth engine_busy;  // a read of another request is in flight from the same engine
};

// Where a step is looked at from.
template <class Number>
struct Here {
  using Truth = decltype(std::declval<const Number&>() == 0);
  const Setting<Number>& given;
  const Life<Number>& s;
  const Engine<Number>& engine;
  Around<Truth> around;

  Truth at(int phase) const { return s.phase == phase; }
  Truth between(int first, int last) const { return s.phase >= first && s.phase <= last; }
};

// The request waits for its engine.
template <class Number>
auto needs_engine(const Life<Number>& s) {
  return s.bad == 0 && s.heard == 0 && (s.phase == kWaiting || (s.phase == kReading && s.posted < s.reads));
}

}  // namespace pageproof::receive
