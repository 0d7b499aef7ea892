#include "fuzz/receive/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "fuzz/campaign/commit.hpp"

namespace pageproof::fuzz_receive {
namespace {

// The options that run the round again.
std::string words_of(const RoundOptions& options) {
  return fmt::format("--seed {} --requests {} --layers {} --convert {} --order {}{}{}", options.seed,
                     options.requests, options.world.layers, options.world.side ? "side" : "step",
                     options.world.deferred ? "after" : "before",
                     options.faults == kAllFaults ? "" : " --faults " + names_of_faults(options.faults),
                     options.world.bytes ? "" : " --no-bytes");
}

Failure failure_of(const RoundOptions& options, const Violation& violation,
                   const std::vector<Record>& records) {
  std::string example = violation.what;
  for (const Record& record : records) example += "\n            " + to_string(record);
  return {fmt::format("receive.{}", violation.name),
          violation.claim,
          std::move(example),
          "never",
          fmt::format("{} moves into it, commit {}", records.size(), fuzz::commit()),
          "pageproof receive simulate " + words_of(options)};
}

// Round 0 is the seed's own.
std::uint64_t seed_behind(std::uint64_t seed, std::uint64_t round) {
  return round == 0 ? seed : seed_of_round(seed, round);
}

// The first round of an unsharded campaign is the seed's own: it replays by its seed alone.
RoundOptions round_behind(const CampaignOptions& options, std::uint64_t rounds) {
  RoundOptions one = options.round;
  one.seed = seed_behind(options.round.seed, options.shard.round(rounds));
  return one;
}

void add(Campaign& campaign, const RoundOptions& one, const Round& round) {
  campaign.events += round.events;
  campaign.pieces += round.pieces;
  campaign.requests += round.ended;
  campaign.scheduled += round.scheduled;
  campaign.block_lives += round.block_lives;
  campaign.compared_bytes += round.compared_bytes;
  campaign.tally += round.tally;
  if (round.violation) {
    RoundOptions again = one;
    again.records = true;
    campaign.failures.push_back(
        failure_of(one, *round.violation, reduced(one.world, *round.violation, run_round(again).records)));
  }
  if (round.stuck != 0) {
    const Violation stuck{"ends", "every request ends", fmt::format("{} of {}", round.ended, one.requests)};
    campaign.failures.push_back(failure_of(one, stuck, {}));
  }
}

}  // namespace

Setting setting_of(const RoundOptions& options) {
  const WorldOptions& world = options.world;
  return {{"requests", std::to_string(options.requests)},
          {"layers", std::to_string(world.layers)},
          {"convert", world.side ? "side" : "step"},
          {"order", world.deferred ? "after" : "before"},
          {"bytes", world.bytes ? "yes" : "no"},
          {"faults", names_of_faults(options.faults)},
          {"mutant", std::string(to_string(world.without))},
          {"commit", std::string(fuzz::commit())}};
}

RoundOptions next_round(const CampaignOptions& options) {
  return round_behind(options, options.before.runs.empty() ? 0 : options.before.runs.front().rounds);
}

Campaign run_campaign(const CampaignOptions& options) {
  Campaign campaign = options.before;
  campaign.setting = setting_of(options.round);
  ShardRun run;
  if (!campaign.runs.empty()) run = campaign.runs.front();
  campaign.runs.clear();
  run.seed = options.round.seed;
  run.shard = options.shard;
  const ShardRun gone = run;
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();
  do {
    RoundOptions one = round_behind(options, run.rounds);
    one.records = false;
    add(campaign, one, run_round(one));
    ++run.rounds;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    run.seconds = gone.seconds + seconds;
    run.cpu_seconds = gone.cpu_seconds + static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
    if (seconds >= options.seconds) break;
  } while (campaign.failures.empty());
  campaign.runs.push_back(run);
  return campaign;
}

Caught catch_mutant(const RoundOptions& options, rx::Guard guard, std::uint64_t rounds) {
  Caught caught;
  RoundOptions one = options;
  one.world.without = guard;
  const rx::GuardRow& row = rx::row_of(guard);
  one.world.only = row.breaks;
  if (row.shows != rx::Shows::anywhere) one.world.side = row.shows == rx::Shows::side_stream;
  one.requests = std::min(one.requests, kMutantRequests);
  for (std::uint64_t number = 0; number < rounds && !caught.violation; ++number) {
    one.seed = seed_behind(options.seed, number);
    const Round round = run_round(one);
    caught.events += round.events;
    if (!round.violation) continue;
    caught.violation = round.violation;
    caught.seed = one.seed;
    caught.replay =
        fmt::format("pageproof receive simulate --mutant {} {}", rx::to_string(guard), words_of(one));
    caught.trace = reduced(one.world, *round.violation, round.records);
  }
  return caught;
}

}  // namespace pageproof::fuzz_receive
