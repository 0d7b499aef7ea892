#include "model/receive/names.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace pageproof::receive {
namespace {

using enum Guard;
using enum Rule;

constexpr std::array<std::string_view, kSteps> kStepNames{
    "allocate",       "zero_runs",         "handshake_starts",
    "handshake_ends", "callback_runs",     "handshake_fails",
    "pair_refused",   "engine_forgotten",  "forward",
    "post_read",      "post_fails",        "none_to_post",
    "read_ends",      "read_fails",        "tell_prefill",
    "notice_again",   "notice_dropped",    "tell_abort",
    "lease_expires",  "conversion_begins", "launch_layer",
    "retire_layer",   "record_event",      "use_as_landed",
    "report",         "report_failure",    "other_reports",
    "other_fails",    "hear_of_failure",   "resolve",
    "recompute",      "schedule",          "decode_queued",
    "decode_runs",    "decode_retires",    "finish",
    "abort",          "free_blocks",       "end"};

struct RuleWords {
  std::string_view name;
  std::string_view claim;
};
constexpr std::array<RuleWords, kRules> kRuleWords{{
    {"unconverted_scheduled", "nothing is scheduled before every layer of its blocks is converted"},
    {"unconverted_decoded", "no decode step reads a block whose conversion has not run"},
    {"unread_scheduled", "nothing is scheduled before all its reads were posted and have ended"},
    {"freed_while_touched", "no block is free while a read, a conversion or a decode step may touch it"},
    {"reused_while_held", "no block is given to a request to fill while another one holds it to fill"},
    {"converted_while_read", "no kernel converts a page that a read may still fill"},
    {"converted_twice", "no layer of a block is converted twice"},
    {"match_converted", "pages of equal formats are not converted"},
    {"failed_converted", "the blocks of a failed request are not converted"},
    {"failed_scheduled", "a failed request is not scheduled on what it read"},
    {"scheduled_before_workers", "nothing is scheduled before every worker has reported"},
    {"failure_before_reads_end", "a failure is not reported while a read may still write"},
    {"policy_twice", "the failure policy is applied once to a request"},
    {"rejected_pair_posts", "a rejected pair posts no read"},
    {"unknown_engine_posts", "no read is in flight from an engine that is not ready"},
    {"zeroed_after_landing", "no zeroing kernel runs after a read of the block was posted"},
    {"stale_scheduled", "nothing is scheduled on bytes that were read after the prefill had freed them"},
    {"told_before_reads_end", "the prefill is not told before the reads have ended"},
    {"told_twice", "the prefill frees the pages of a request once"},
}};

constexpr GuardRow kGuardTable[] = {
    {block_is_free, reused_while_held, "only a block of the pool is handed out", "§5.7"},
    {prefix_is_published, unconverted_scheduled, "a prefix is shared when its bytes are ready", "§5.1"},
    {zero_has_run, zeroed_after_landing, "a read is posted after the zeroing kernel has run", "R01"},
    {pair_is_accepted, rejected_pair_posts, "a read is posted for an accepted pair alone", "RFC §1"},
    {engine_is_ready, unknown_engine_posts, "a read is posted when the handshake's callback has run",
     "H2, R12"},
    {engine_is_not_busy, unknown_engine_posts, "an engine is forgotten when no read needs it", "§5.7"},
    {prefill_still_holds, stale_scheduled, "a read that outlasts the lease counts as failed", "R05"},
    {notice_after_reads, told_before_reads_end, "the notice is sent when the last read has ended", "§5.3"},
    {abort_notice_after_reads, told_before_reads_end, "the notice of an abort waits for the reads", "H6"},
    {prefill_frees_once, told_twice, "a notice for pages already freed does nothing", "§5.4"},
    {reads_have_ended, converted_while_read, "conversion waits for the last read", "§5.4"},
    {all_reads_posted, unread_scheduled, "conversion waits until every read was posted", "§5.3"},
    {no_read_failed, failed_converted, "a failed request is not post-processed", "T13"},
    {pair_converts, match_converted, "conversion is decided for each engine, not for the worker", "T7, H1"},
    {not_converted_before, converted_twice, "a request is post-processed once", "P05"},
    {own_blocks_only, converted_twice, "prefix blocks that were here already are left alone", "§5.3"},
    {every_layer_launched, unconverted_scheduled, "the event is recorded behind the last layer", "RFC §4"},
    {event_completed, unconverted_scheduled, "the event has completed, not only been recorded",
     "RFC §4, R06"},
    {failure_after_reads, failure_before_reads_end, "failure is reported when no handle is outstanding",
     "H5, R04"},
    {every_worker_reported, scheduled_before_workers, "every worker's report is counted", "§5.1"},
    {no_worker_failed, failed_scheduled, "one failed worker fails the request", "R07"},
    {policy_once, policy_twice, "the second worker's failure applies no policy again", "R07"},
    {free_after_reads, freed_while_touched, "blocks are freed when no read is outstanding", "H6"},
    {free_after_conversion, freed_while_touched, "blocks are freed when the conversion has run", "RFC §4"},
    {free_after_decode, freed_while_touched, "blocks are freed when the last decode step has run",
     "R02, R03"},
};

constexpr std::array<std::string_view, kGuards> kGuardNames{
    "none",
    "block_is_free",
    "prefix_is_published",
    "zero_has_run",
    "pair_is_accepted",
    "engine_is_ready",
    "engine_is_not_busy",
    "prefill_still_holds",
    "notice_after_reads",
    "abort_notice_after_reads",
    "prefill_frees_once",
    "reads_have_ended",
    "all_reads_posted",
    "no_read_failed",
    "pair_converts",
    "not_converted_before",
    "own_blocks_only",
    "every_layer_launched",
    "event_completed",
    "failure_after_reads",
    "every_worker_reported",
    "no_worker_failed",
    "policy_once",
    "free_after_reads",
    "free_after_conversion",
    "free_after_decode",
};

constexpr std::array<std::string_view, kPhases> kPhaseNames{
    "fresh",     "waiting", "reading",     "converting", "recorded", "reported",
    "scheduled", "failed",  "recomputing", "draining",   "freed",    "ended"};

}  // namespace

std::string_view to_string(Step step) {
  return kStepNames[static_cast<std::size_t>(step)];
}
std::string_view to_string(Guard guard) {
  return kGuardNames[static_cast<std::size_t>(guard)];
}
std::string_view to_string(Rule rule) {
  return kRuleWords[static_cast<std::size_t>(rule)].name;
}
std::string_view claim_of(Rule rule) {
  return kRuleWords[static_cast<std::size_t>(rule)].claim;
}
std::string_view phase_name(int phase) {
  return phase >= 0 && phase < kPhases ? kPhaseNames[static_cast<std::size_t>(phase)] : "?";
}

std::optional<Guard> find_guard(std::string_view name) {
  const auto found = std::ranges::find(kGuardNames, name);
  if (found == kGuardNames.begin() || found == kGuardNames.end()) return std::nullopt;
  return static_cast<Guard>(found - kGuardNames.begin());
}

std::span<const GuardRow> guard_table() {
  return kGuardTable;
}
const GuardRow& row_of(Guard guard) {
  const auto found = std::ranges::find(kGuardTable, guard, &GuardRow::guard);
  assert(found != std::end(kGuardTable));
  return *found;
}

}  // namespace pageproof::receive
