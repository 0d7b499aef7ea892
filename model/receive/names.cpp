#include "model/receive/names.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace pageproof::receive {
namespace {

constexpr std::array<std::string_view, kSteps> kStepNames{
    "allocate",
    "zero_runs",
    "handshake_starts",
    "handshake_ends",
    "callback_runs",
    "handshake_fails",
    "pair_refused",
    "engine_forgotten",
    "stranger_enters",
    "stranger_leaves",
    "forward",
    "post_read",
    "post_fails",
    "none_to_post",
    "read_ends",
    "read_fails",
    "tell_prefill",
    "notice_again",
    "notice_dropped",
    "tell_abort",
    "lease_expires",
    "conversion_begins",
    "launch_layer",
    "retire_layer",
    "record_event",
    "use_as_landed",
    "report",
    "report_failure",
    "hear_of_loss",
    "other_reports",
    "other_fails",
    "hear_of_failure",
    "resolve",
    "recompute",
    "schedule",
    "decode_queued",
    "decode_runs",
    "decode_retires",
    "finish",
    "abort",
    "drop",
    "free_blocks",
    "end",
};

constexpr std::array<std::string_view, kGuards> kGuardNames{
    "none",
    "block_is_free",
    "prefix_is_published",
    "zero_has_run",
    "pair_is_accepted",
    "engine_is_ready",
    "agent_calls_serialised",
    "no_post_after_failure",
    "no_post_after_loss",
    "notify_after_zero",
    "notify_pair_is_accepted",
    "notify_engine_is_ready",
    "engine_is_not_busy",
    "engine_is_not_busy_elsewhere",
    "prefill_still_holds",
    "notice_after_posts",
    "notice_after_reads",
    "notice_once",
    "abort_notice_after_loss",
    "abort_notice_after_reads",
    "abort_notice_once",
    "prefill_frees_once",
    "reads_have_ended",
    "all_reads_posted",
    "no_read_failed",
    "no_loss_heard",
    "pair_converts",
    "not_converted_before",
    "own_blocks_only",
    "every_layer_launched",
    "event_completed",
    "as_landed_after_reads",
    "as_landed_all_posted",
    "as_landed_no_failure",
    "as_landed_pair_matches",
    "failure_after_reads",
    "every_worker_reported",
    "no_worker_failed",
    "policy_once",
    "policy_after_report",
    "policy_after_workers",
    "recompute_after_zero",
    "free_after_report",
    "free_after_workers",
    "free_after_conversion",
    "free_after_decode",
    "free_after_zero",
};

constexpr std::array<std::string_view, kPhases> kPhaseNames{
    "fresh",     "waiting", "reading",     "converting", "recorded", "reported",
    "scheduled", "failed",  "recomputing", "draining",   "freed",    "ended",
};

constexpr std::array<std::string_view, kRules> kRuleNames{
    "unconverted_scheduled",
    "unconverted_decoded",
    "unread_scheduled",
    "freed_while_touched",
    "freed_while_zeroed",
    "reused_while_held",
    "converted_while_read",
    "converted_twice",
    "match_converted",
    "failed_converted",
    "failed_scheduled",
    "scheduled_before_workers",
    "failure_before_reads_end",
    "recomputed_while_touched",
    "policy_twice",
    "rejected_pair_posts",
    "unknown_engine_posts",
    "agent_calls_overlap",
    "zeroed_after_landing",
    "stale_scheduled",
    "told_before_reads_end",
    "told_twice",
};
constexpr std::array<std::string_view, kRules> kClaims{
    "nothing is scheduled before every layer of its blocks is converted",
    "no decode step reads a block whose conversion has not run",
    "nothing is scheduled before all its reads were posted and have ended",
    "no block is free while a read, a conversion or a decode step may touch it, here or at another worker",
    "no block is free while a kernel that zeroes it is enqueued",
    "no block is given to a request to fill while another one holds it to fill",
    "no kernel converts a page that a read may still fill",
    "no layer of a block is converted twice",
    "pages of equal formats are not converted",
    "the blocks of a failed request are not converted, once this worker knows of the failure",
    "a failed request is not scheduled on what it read",
    "nothing is scheduled before every worker has reported",
    "a failure is not reported while a read may still write",
    "no prompt is computed here into blocks that a read or a conversion may touch, here or at another worker",
    "the failure policy is applied once to a request",
    "a rejected pair posts no read and sends no notice",
    "no read is posted to, or in flight from, an engine that is not ready, and no notice sent to it",
    "the main thread does not call the transfer agent while the handshake thread is inside it",
    "no zeroing kernel runs after bytes came to the block, by a read, a prefill here or a decode step",
    "nothing is scheduled on bytes that were read after the prefill had freed them",
    "the prefill is not told before the reads have ended",
    "the prefill frees the pages of a request once",
};

// The word that stands at a value's place.
template <class Value, std::size_t size>
std::string_view word(const std::array<std::string_view, size>& words, Value value) {
  const auto place = static_cast<std::size_t>(value);
  return place < size ? words[place] : "?";
}

}  // namespace

std::string_view to_string(Step step) {
  return word(kStepNames, step);
}
std::string_view to_string(Guard guard) {
  return word(kGuardNames, guard);
}
std::string_view to_string(Rule rule) {
  return word(kRuleNames, rule);
}
std::string_view claim_of(Rule rule) {
  return word(kClaims, rule);
}
std::string_view phase_name(int phase) {
  return word(kPhaseNames, phase);
}

std::optional<Guard> find_guard(std::string_view name) {
  const auto found = std::ranges::find(kGuardNames, name);
  if (found == kGuardNames.begin() || found == kGuardNames.end()) return std::nullopt;
  return static_cast<Guard>(found - kGuardNames.begin());
}

const GuardRow& row_of(Guard guard) {
  const auto found = std::ranges::find(guard_table(), guard, &GuardRow::guard);
  assert(found != guard_table().end());
  return *found;
}

}  // namespace pageproof::receive
