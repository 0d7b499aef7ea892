// Rounds of the simulated world until the time is up, and what came of them as JSON that merges: shards run
// anywhere, their reports are put together in any order, and nothing that is not of one kind is.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/campaign/shard.hpp"
#include "fuzz/receive/drive.hpp"
#include "model/page/plain/failure.hpp"

namespace pageproof::fuzz_receive {

struct ShardRun {
  std::uint64_t seed = 0;
  fuzz::Shard shard;
  std::uint64_t rounds = 0;
  double seconds = 0;
  double cpu_seconds = 0;
};

// What has to be the same in runs that are put together, by name: requests, layers, convert, order, bytes,
// faults, mutant, commit.
using Setting = std::vector<std::pair<std::string, std::string>>;
Setting setting_of(const RoundOptions& options);
std::string to_string(const Setting& setting);

struct Campaign {
  Setting setting = {};  // empty: of no run yet
  std::vector<ShardRun> runs = {};
  std::uint64_t events = 0;  // steps of the model
  std::uint64_t pieces = 0;  // of READs and kernels
  std::uint64_t requests = 0;
  std::uint64_t scheduled = 0;
  std::uint64_t block_lives = 0;
  std::uint64_t compared_bytes = 0;
  Tally tally = {};
  std::vector<Failure> failures = {};

  bool holds() const { return failures.empty() && events > 0; }
};

// Its plain counts by name, for what reads, writes and adds them.
std::vector<std::pair<const char*, std::uint64_t*>> counts_of(Campaign& campaign);

// Faults and situations that could have come up in the setting and did not.
std::vector<std::string_view> never(const Campaign& campaign);

struct CampaignOptions {
  RoundOptions round;  // its seed is the campaign's
  fuzz::Shard shard = {};
  double seconds = 0;    // 0: one round
  Campaign before = {};  // one run of this seed, shard and setting that is gone on with; or none
};

// A violation ends the campaign, with its reduced trace.
// @pre `before` has at most one run, of the same seed, shard and setting
Campaign run_campaign(const CampaignOptions& options);
RoundOptions next_round(const CampaignOptions& options);  // the first that it runs

// Requests of a mutant's round at most: what is found among so many is quick to reduce.
inline constexpr std::uint64_t kMutantRequests = 100;

// Leaves the guard out and runs rounds until the rule named for it is broken, at most `rounds`: first the
// seed itself. The conversion's place is the one in which the guard matters (receive::GuardRow::shows).
struct Caught {
  std::optional<Violation> violation;
  std::vector<Record> trace;  // reduced
  std::uint64_t seed = 0;     // of the round
  std::string replay;         // the command that runs this round first
  std::uint64_t events = 0;   // until then
};
Caught catch_mutant(const RoundOptions& options, rx::Guard guard, std::uint64_t rounds);

nlohmann::json to_json(const Campaign& campaign);
Expected<Campaign> campaign_from_json(const nlohmann::json& json, const std::string& subject);
// The line that says how a report's setting differs from another's, where it does.
Expected<void> same_setting(const Setting& setting, const Setting& other, const std::string& subject);
// Refused: another setting, a round that both have run.
Expected<Campaign> merged(const Campaign& a, const Campaign& b, const std::string& subject);
std::string to_string(const Campaign& campaign);

}  // namespace pageproof::fuzz_receive
