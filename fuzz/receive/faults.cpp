#include "fuzz/receive/faults.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace pageproof::fuzz_receive {
namespace {

constexpr std::array<std::string_view, kFaults> kFaultNames{
    "reordering",      "delay",          "read_error",    "partial_read",     "post_error",
    "handshake_error", "slow_handshake", "rejected_pair", "worker_error",     "abort",
    "preemption",      "lease_expiry",   "lost_notice",   "duplicate_notice", "peer_death",
    "stale_metadata",  "slow_stream"};

constexpr std::array<std::string_view, kSituations> kSituationNames{
    "partial_block", "full_last_block", "prefix_hit",     "full_prefix_hit",  "shared_by_three",
    "block_reused",  "matching_pair",   "one_of_several", "recomputed",       "failed_request",
    "resumed",       "torn_read",       "late_notice",    "engine_forgotten", "other_handshake",
    "loss_heard",    "appended"};

using enum receive::Guard;

constexpr Cover kCovers[] = {
    {Fault::reordering, reads_have_ended, Flaw::none, "bytes"},
    {Fault::delay, reads_have_ended, Flaw::none, "converted_while_read"},
    {Fault::read_error, failure_after_reads, Flaw::none, "failure_before_reads_end"},
    {Fault::partial_read, no_read_failed, Flaw::none, "failed_converted"},
    {Fault::post_error, failure_after_reads, Flaw::none, "failure_before_reads_end"},
    {Fault::post_error, no_post_after_failure, Flaw::none, "told_before_reads_end"},
    {Fault::handshake_error, engine_is_ready, Flaw::none, "unknown_engine_posts"},
    {Fault::slow_handshake, engine_is_ready, Flaw::none, "unknown_engine_posts"},
    {Fault::rejected_pair, pair_is_accepted, Flaw::none, "rejected_pair_posts"},
    {Fault::worker_error, no_worker_failed, Flaw::none, "failed_scheduled"},
    {Fault::abort, free_after_report, Flaw::none, "freed_while_touched"},
    {Fault::abort, abort_notice_after_reads, Flaw::none, "told_before_reads_end"},
    {Fault::abort, no_post_after_loss, Flaw::none, "told_before_reads_end"},
    {Fault::preemption, free_after_decode, Flaw::none, "freed_while_touched"},
    {Fault::lease_expiry, prefill_still_holds, Flaw::none, "bytes"},
    {Fault::lost_notice, none, Flaw::lease_endless, "ends"},
    {Fault::duplicate_notice, prefill_frees_once, Flaw::none, "told_twice"},
    {Fault::peer_death, no_read_failed, Flaw::none, "failed_converted"},
    {Fault::stale_metadata, none, Flaw::key_unchecked, "bytes"},
    {Fault::slow_stream, event_completed, Flaw::none, "bytes"},
};

}  // namespace

Tally& Tally::operator+=(const Tally& other) {
  for (std::size_t i = 0; i < faults.size(); ++i) faults[i] += other.faults[i];
  for (std::size_t i = 0; i < situations.size(); ++i) situations[i] += other.situations[i];
  return *this;
}

std::string_view to_string(Fault fault) {
  return kFaultNames[static_cast<std::size_t>(fault)];
}
std::string_view to_string(Situation situation) {
  return kSituationNames[static_cast<std::size_t>(situation)];
}
std::uint32_t bit(Fault fault) {
  return 1U << static_cast<unsigned>(fault);
}

Expected<std::uint32_t> parse_faults(const std::vector<std::string>& names) {
  std::uint32_t faults = 0;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(kFaultNames, name);
    if (name == "all") {
      faults = kAllFaults;
    } else if (found != kFaultNames.end()) {
      faults |= 1U << (found - kFaultNames.begin());
    } else if (name != "none") {
      return std::unexpected(Error{"receive simulate", "--faults", name,
                                   fmt::format("no such fault; there are {}", fmt::join(kFaultNames, ", "))});
    }
  }
  const auto whole = [](const std::string& name) { return name == "all" || name == "none"; };
  if (const auto all = std::ranges::find_if(names, whole); names.size() > 1 && all != names.end()) {
    return std::unexpected(Error{"receive simulate", "--faults", *all, "stands alone or not at all"});
  }
  return names.empty() ? kAllFaults : faults;
}

std::string names_of_faults(std::uint32_t faults) {
  if (faults == kAllFaults) return "all";
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < kFaultNames.size(); ++i) {
    if ((faults >> i & 1) != 0) names.push_back(kFaultNames[i]);
  }
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ","));
}

std::uint32_t needed_by(Situation situation) {
  switch (situation) {
    case Situation::one_of_several:
    case Situation::recomputed:
    case Situation::failed_request:
      return bit(Fault::read_error);
    case Situation::resumed:
      return bit(Fault::preemption);
    case Situation::engine_forgotten:
    case Situation::other_handshake:
      return bit(Fault::slow_handshake);
    case Situation::loss_heard:
      return bit(Fault::abort);
    case Situation::torn_read:
    case Situation::late_notice:
      return bit(Fault::lease_expiry);
    default:
      return 0;
  }
}

bool needs_bytes(Situation situation) {
  return situation == Situation::torn_read || situation == Situation::appended;
}

std::span<const Cover> cover_table() {
  return kCovers;
}

}  // namespace pageproof::fuzz_receive
