// Each guard with the rule that breaks without it, and the steps without which a request never ends.
#include <algorithm>
#include <array>

#include "model/receive/names.hpp"

namespace pageproof::receive {
namespace {

using enum Guard;
using enum Rule;

constexpr GuardRow kGuardTable[] = {
    {block_is_free, reused_while_held, "only a block of the pool is handed out", "§5.7"},
    {prefix_is_published, unconverted_scheduled, "a prefix is shared when its bytes are ready", "§5.1"},
    {zero_has_run, zeroed_after_landing, "a read is posted after the zeroing kernel has run", "R01"},
    {pair_is_accepted, rejected_pair_posts, "a read is posted for an accepted pair alone", "RFC §1"},
    {engine_is_ready, unknown_engine_posts, "a read is posted when the handshake's callback has run",
     "H1, H2, R12"},
    {agent_calls_serialised, agent_calls_overlap, "the threads call the transfer agent one at a time", "H3"},
    {no_post_after_failure, told_before_reads_end,
     "where the handshake, a post or a read has failed, no further read is posted", "§5.3"},
    {no_post_after_loss, told_before_reads_end,
     "where the request is known to be lost, no further read is posted", "§5.3, H6"},
    {notify_after_zero, zeroed_after_landing,
     "a request that reads nothing goes on when its new blocks are zeroed", "R01"},
    {notify_pair_is_accepted, rejected_pair_posts,
     "the notice of a prefix hit is sent for an accepted pair alone", "RFC §1"},
    {notify_engine_is_ready, unknown_engine_posts,
     "the notice of a prefix hit is sent when the callback has run", "H2, R12"},
    {engine_is_not_busy, unknown_engine_posts, "an engine is forgotten when no read of the request needs it",
     "§5.7"},
    {engine_is_not_busy_elsewhere, unknown_engine_posts,
     "an engine is forgotten when no read of any other request needs it", "§5.7"},
    {prefill_still_holds, stale_scheduled, "a read of pages that the prefill has freed counts as failed",
     "R05"},
    {notice_after_posts, told_before_reads_end, "the notice counts every read, the ones to be posted as well",
     "§5.3"},
    {notice_after_reads, told_before_reads_end, "the notice is sent when the last read has ended", "§5.3"},
    {notice_once, told_twice, "the notice of the reads frees pages that are held", "§5.4, R05"},
    {abort_notice_after_loss, told_before_reads_end,
     "the notice of an abort is sent for a request that is lost, not for one that reads on", "§5.3, T12"},
    {abort_notice_after_reads, told_before_reads_end, "the notice of an abort waits for the reads", "H6"},
    {abort_notice_once, told_twice, "the notice of an abort frees pages that are held", "§5.4, R05"},
    {prefill_frees_once, told_twice, "a notice that comes again does nothing", "§5.4"},
    {reads_have_ended, converted_while_read, "conversion waits for the last read", "§5.4"},
    {all_reads_posted, unread_scheduled, "conversion waits until every read was posted", "§5.3"},
    {no_read_failed, failed_converted, "a failed request is not post-processed", "T13"},
    {no_loss_heard, failed_converted, "a request known to be lost elsewhere is not post-processed",
     "T13, R07"},
    {pair_converts, match_converted, "conversion is decided for each engine, not for the worker", "T7, H1"},
    {not_converted_before, converted_twice, "a request is post-processed once", "P05"},
    {own_blocks_only, converted_twice, "prefix blocks that were here already are left alone", "§5.3"},
    {every_layer_launched, unconverted_scheduled, "the event is recorded behind the last layer", "RFC §4"},
    {event_completed, unconverted_scheduled, "the event has completed, not only been recorded", "RFC §4, R06",
     Shows::side_stream},
    {as_landed_after_reads, unread_scheduled, "pages are used as they land when the last read has ended",
     "§5.4"},
    {as_landed_all_posted, unread_scheduled, "pages are used as they land when every read was posted",
     "§5.3"},
    {as_landed_no_failure, failed_scheduled, "pages of a failed request are not used as they land", "T13"},
    {as_landed_pair_matches, unconverted_scheduled, "pages are used as they land where the formats are equal",
     "P03"},
    {failure_after_reads, failure_before_reads_end, "failure is reported when no handle is outstanding",
     "H5, R04"},
    {every_worker_reported, scheduled_before_workers, "every worker's report is counted", "§5.1"},
    {no_worker_failed, failed_scheduled, "one failed worker fails the request", "R07"},
    {policy_once, policy_twice, "the second worker's failure applies no policy again", "R07"},
    {policy_after_report, recomputed_while_touched,
     "the policy waits for this worker's report, and so for its reads and conversions", "H5, R07"},
    {policy_after_workers, recomputed_while_touched, "the policy waits for the other workers' reports",
     "H5, R07"},
    {recompute_after_zero, zeroed_after_landing,
     "the prompt is computed here when the zeroing kernel has run", "R01"},
    {free_after_report, freed_while_touched,
     "an aborted request keeps its blocks until this worker has reported it", "H6"},
    {free_after_workers, freed_while_touched,
     "an aborted request keeps its blocks until the other workers have reported it", "H6"},
    {free_after_conversion, freed_while_touched, "blocks are freed when the conversion has run", "RFC §4",
     Shows::step_path},
    {free_after_decode, freed_while_touched, "blocks are freed when the last decode step has run",
     "R02, R03"},
    {free_after_zero, freed_while_zeroed, "blocks are freed when the kernel that zeroes them has run", "R01"},
};

using enum Step;
constexpr std::array kHandshakesEnd{handshake_ends, handshake_fails};
constexpr std::array kAgentReturns{stranger_leaves};
constexpr std::array kReadsEnd{read_ends, read_fails};
constexpr std::array kKernelsRun{zero_runs, retire_layer, decode_runs, decode_retires};
constexpr std::array kWorkersReport{other_reports, other_fails};
constexpr std::array kReceivedGoesOn{conversion_begins, use_as_landed};
constexpr std::array kWorkerReports{report, report_failure};
constexpr std::array kFailureIsHeard{hear_of_failure, resolve};
constexpr std::array kAbortDrops{drop, finish};
constexpr std::array kAbortIsTold{tell_abort, lease_expires};
constexpr std::array kNoticeNamesTheRequest{tell_prefill, lease_expires};

constexpr EndingRow kEndingTable[] = {
    {"handshakes_end", kHandshakesEnd, Stuck::any, true, "a handshake ends, well or badly", "§5.5"},
    {"agent_returns", kAgentReturns, Stuck::any, true,
     "the handshake thread comes back out of the transfer agent", "H3, H4"},
    {"reads_end", kReadsEnd, Stuck::any, true,
     "a READ ends, well or badly: today's connector sets it no time limit", "§5.5"},
    {"kernels_run", kKernelsRun, Stuck::any, true, "a kernel that is enqueued runs", "device"},
    {"workers_report", kWorkersReport, Stuck::any, true, "every other worker reports, well or badly", "§5.1"},
    {"received_goes_on", kReceivedGoesOn, Stuck::any, false,
     "received pages are converted, or used as they landed", "§5.4"},
    {"worker_reports", kWorkerReports, Stuck::any, false, "this worker reports, well or badly", "§5.4"},
    {"failure_is_heard", kFailureIsHeard, Stuck::failed, false,
     "a failure is heard by the scheduler, and its policy applied", "§5.5, R07"},
    {"abort_drops", kAbortDrops, Stuck::aborted, false,
     "an aborted request that its workers have reported is dropped", "H6"},
    {"abort_is_told", kAbortIsTold, Stuck::aborted, false,
     "the prefill is told of an abort, or its lease runs out", "§5.3, T12"},
    {"failure_is_told", kAbortIsTold, Stuck::failed, false,
     "the prefill is told of a failure, or its lease runs out", "§5.5"},
    {"notice_names_the_request", kNoticeNamesTheRequest, Stuck::served, false,
     "the notice names the request as the prefill knows it", "R08"},
};

}  // namespace

std::span<const GuardRow> guard_table() {
  return kGuardTable;
}
std::span<const EndingRow> ending_table() {
  return kEndingTable;
}
const EndingRow* find_ending(std::string_view name) {
  const auto found = std::ranges::find(kEndingTable, name, &EndingRow::name);
  return found == std::end(kEndingTable) ? nullptr : found;
}

}  // namespace pageproof::receive
