#include "fuzz/receive/shown.hpp"

#include <algorithm>

namespace pageproof::fuzz_receive {
namespace {

using enum receive::Guard;

constexpr std::string_view kEngine = "no line says what the handshake agreed on, or when its callback ran";
constexpr std::string_view kOthers = "the log is one worker's: what another one reports is not in it";
constexpr std::string_view kPrefill =
    "what the prefill does with its pages is not in the decode worker's log";

constexpr Shown kShown[] = {
    {block_is_free, {"reused_while_held"}},
    {prefix_is_published,
     {"unconverted_scheduled", "unread_scheduled", "failed_scheduled", "unconverted_decoded"}},
    {zero_has_run, {"zeroed_after_landing"}},
    {pair_is_accepted, {}, kEngine},
    {engine_is_ready, {}, kEngine},
    {agent_calls_serialised, {}, "no line is written inside the transfer agent, by either thread"},
    // The read behind the failed post has the failed one's handle, so the failure can be what is out of
    // order.
    {no_post_after_failure, {"told_before_reads_end", "failure_before_reads_end"}},
    {no_post_after_loss, {"told_before_reads_end"}},
    {notify_after_zero, {}, "a request that reads nothing has no new block"},
    {notify_pair_is_accepted, {}, kEngine},
    {notify_engine_is_ready, {}, kEngine},
    {engine_is_not_busy, {}, kEngine},
    {engine_is_not_busy_elsewhere, {}, kEngine},
    {prefill_still_holds, {}, kPrefill},
    {notice_after_posts, {"told_before_reads_end"}},
    {notice_after_reads, {"told_before_reads_end"}},
    {notice_once, {}, kPrefill},
    {abort_notice_after_loss, {"told_before_reads_end"}},
    {abort_notice_after_reads, {"told_before_reads_end"}},
    {abort_notice_once, {}, kPrefill},
    {prefill_frees_once, {}, kPrefill},
    {reads_have_ended, {"converted_while_read", "failed_converted"}},
    {all_reads_posted, {"unread_converted"}},
    {no_read_failed, {"failed_converted"}},
    {no_loss_heard, {}, "no line says that a worker heard of a loss elsewhere"},
    {pair_converts, {"match_converted"}},
    {not_converted_before, {"converted_twice"}},
    {own_blocks_only, {"converted_twice", "not_own_written"}},
    {every_layer_launched, {"unconverted_scheduled"}},
    {event_completed, {"unconverted_decoded"}},
    {as_landed_after_reads, {"reported_before_reads_end"}},
    {as_landed_all_posted, {"unread_scheduled"}},
    {as_landed_no_failure, {"failed_scheduled"}},
    {as_landed_pair_matches, {"unconverted_scheduled"}},
    {failure_after_reads, {"failure_before_reads_end"}},
    {every_worker_reported, {}, kOthers},
    {no_worker_failed, {}, kOthers},
    {policy_once, {}, "the policy is the scheduler's: no line says that it was applied"},
    {policy_after_report, {"recomputed_while_touched", "freed_while_touched"}},
    {policy_after_workers, {}, kOthers},
    {recompute_after_zero, {"overwritten_after_fill"}},
    {free_after_report, {"freed_while_touched"}},
    {free_after_workers, {}, kOthers},
    {free_after_conversion, {"freed_while_touched"}},
    {free_after_decode, {"freed_while_touched"}},
    {free_after_zero, {"freed_while_zeroed"}},
};

}  // namespace

bool Shown::names(std::string_view rule) const {
  return !rule.empty() && std::ranges::find(rules, rule) != rules.end();
}

std::span<const Shown> shown_table() {
  return kShown;
}

}  // namespace pageproof::fuzz_receive
