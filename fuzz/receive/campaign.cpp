#include "fuzz/receive/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>

#include "fuzz/campaign/commit.hpp"
#include "fuzz/campaign/json_file.hpp"
#include "model/json/failure.hpp"

namespace pageproof::fuzz_receive {
namespace {

constexpr const char* kSchema = "receive_campaign_v1";
constexpr std::uint64_t kMutantRequests = 300;  // a round: what is found in it is quick to reduce
constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 60;  // sums of two do not wrap

Failure failure_of(const RoundOptions& options, std::uint64_t seed, const Violation& violation,
                   const std::vector<Record>& records) {
  std::string example = violation.what;
  for (const Record& record : records) example += "\n            " + to_string(record);
  return {fmt::format("receive.{}", violation.name),
          violation.claim,
          std::move(example),
          "never",
          fmt::format("{} steps into it, commit {}", records.size(), fuzz::commit()),
          fmt::format(
              "pageproof receive simulate --seed {} --requests {} --layers {} --convert {} --order {}{}{}",
              seed, options.requests, options.world.layers, options.world.side ? "side" : "step",
              options.world.deferred ? "after" : "before",
              options.faults == kAllFaults ? "" : " --faults " + names_of_faults(options.faults),
              options.world.bytes ? "" : " --no-bytes")};
}

}  // namespace

std::string setting_of(const WorldOptions& options) {
  return fmt::format("{} layers {} {} {}", options.layers, options.side ? "side" : "step",
                     options.deferred ? "after" : "before", options.bytes ? "bytes" : "no-bytes");
}

namespace {

// The first round of an unsharded campaign is the seed's own: it replays by its seed alone.
RoundOptions round_behind(const CampaignOptions& options, std::uint64_t rounds) {
  RoundOptions one = options.round;
  if (const std::uint64_t number = options.shard.round(rounds); number != 0) {
    one.seed = seed_of_round(options.round.seed, number);
  }
  return one;
}

}  // namespace

RoundOptions next_round(const CampaignOptions& options) {
  return round_behind(options, options.before.runs.empty() ? 0 : options.before.runs.front().rounds);
}

Campaign run_campaign(const CampaignOptions& options) {
  Campaign campaign = options.before;
  ShardRun run;
  if (!campaign.runs.empty()) run = campaign.runs.front();
  campaign.runs.clear();
  run.seed = options.round.seed;
  run.shard = options.shard;
  run.commit = fuzz::commit();
  run.setting = setting_of(options.round.world);
  const ShardRun gone = run;
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();
  do {
    const RoundOptions one = round_behind(options, run.rounds);
    const Round round = run_round(one);
    ++run.rounds;
    campaign.events += round.events;
    campaign.requests += round.ended;
    campaign.scheduled += round.scheduled;
    campaign.block_lives += round.block_lives;
    campaign.compared_bytes += round.compared_bytes;
    for (std::size_t i = 0; i < campaign.faults.size(); ++i) campaign.faults[i] += round.faults[i];
    if (round.violation) {
      campaign.failures.push_back(
          failure_of(one, one.seed, *round.violation, reduced(one.world, *round.violation, round.records)));
    }
    if (round.stuck != 0) {
      const Violation stuck{"ends", "every request ends", fmt::format("{} of {}", round.ended, one.requests)};
      campaign.failures.push_back(failure_of(one, one.seed, stuck, {}));
    }
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
    one.seed = seed_of_round(options.seed, number);
    const Round round = run_round(one);
    caught.events += round.events;
    if (!round.violation) continue;
    caught.violation = round.violation;
    caught.seed = one.seed;
    caught.trace = reduced(one.world, *round.violation, round.records);
  }
  return caught;
}

nlohmann::json to_json(const Campaign& campaign) {
  nlohmann::json runs = nlohmann::json::array();
  for (const ShardRun& run : campaign.runs) {
    runs.push_back({{"seed", run.seed},
                    {"shard", fuzz::to_string(run.shard)},
                    {"rounds", run.rounds},
                    {"seconds", run.seconds},
                    {"cpu_seconds", run.cpu_seconds},
                    {"commit", run.commit},
                    {"setting", run.setting}});
  }
  nlohmann::json failures = nlohmann::json::array();
  for (const Failure& failure : campaign.failures) failures.push_back(nlohmann::json(json_of(failure)));
  nlohmann::json faults;
  for (int i = 0; i < kFaults; ++i) {
    faults[std::string(to_string(static_cast<Fault>(i)))] = campaign.faults[static_cast<std::size_t>(i)];
  }
  return {{"schema", kSchema},
          {"holds", campaign.holds()},
          {"runs", runs},
          {"events", campaign.events},
          {"requests", campaign.requests},
          {"scheduled", campaign.scheduled},
          {"block_lives", campaign.block_lives},
          {"compared_bytes", campaign.compared_bytes},
          {"faults", faults},
          {"failures", failures}};
}

Expected<Campaign> campaign_from_json(const nlohmann::json& json, const std::string& subject) {
  Campaign campaign;
  fuzz::Fields fields(json, subject);
  fields.expect("schema", kSchema);
  for (auto& [name, count] : {std::pair<const char*, std::uint64_t*>{"events", &campaign.events},
                              {"requests", &campaign.requests},
                              {"scheduled", &campaign.scheduled},
                              {"block_lives", &campaign.block_lives},
                              {"compared_bytes", &campaign.compared_bytes}}) {
    *count = fields.number(name);
    if (*count > kMostCounted) fields.refuse(name, "more than 2^60");
  }
  const nlohmann::json runs = fields.list("runs");
  const nlohmann::json failures = fields.list("failures");
  const nlohmann::json faults = fields.any("faults");
  if (fields.error()) return std::unexpected(*fields.error());
  fuzz::Fields counts(faults, subject + ": faults");
  for (int i = 0; i < kFaults; ++i) {
    const std::string name(to_string(static_cast<Fault>(i)));
    const std::uint64_t count = counts.number(name.c_str());
    if (count > kMostCounted) counts.refuse(name.c_str(), "more than 2^60");
    campaign.faults[static_cast<std::size_t>(i)] = count;
  }
  if (counts.error()) return std::unexpected(*counts.error());
  for (const nlohmann::json& one : runs) {
    fuzz::Fields run(one, subject + ": runs");
    ShardRun shard;
    shard.seed = run.number("seed");
    const std::string text = run.text("shard");
    shard.rounds = run.number("rounds");
    shard.seconds = run.real("seconds");
    shard.cpu_seconds = run.real("cpu_seconds");
    shard.commit = run.text("commit");
    shard.setting = run.text("setting");
    if (run.error()) return std::unexpected(*run.error());
    const auto parsed = fuzz::parse_shard(text);
    if (!parsed) return std::unexpected(Error{subject, "shard", text, parsed.error().problem});
    shard.shard = *parsed;
    campaign.runs.push_back(std::move(shard));
  }
  for (const nlohmann::json& one : failures) {
    fuzz::Fields failure(one, subject + ": failures");
    campaign.failures.push_back({failure.text("name"), failure.text("claim"), failure.text("example"),
                                 failure.text("expected"), failure.text("got"), failure.text("replay")});
    if (failure.error()) return std::unexpected(*failure.error());
  }
  return campaign;
}

Expected<Campaign> merged(const Campaign& a, const Campaign& b, const std::string& subject) {
  Campaign both = a;
  for (const ShardRun& run : b.runs) {
    const bool there = std::ranges::any_of(a.runs, [&](const ShardRun& one) {
      return one.seed == run.seed && one.setting == run.setting &&
             (one.shard == run.shard || one.shard.count != run.shard.count);
    });
    if (there) {
      return std::unexpected(
          Error{subject, "shard", fuzz::to_string(run.shard),
                fmt::format("of seed {} ({}) is there, or cut differently", run.seed, run.setting)});
    }
    both.runs.push_back(run);
  }
  both.events += b.events;
  both.requests += b.requests;
  both.scheduled += b.scheduled;
  both.block_lives += b.block_lives;
  both.compared_bytes += b.compared_bytes;
  for (std::size_t i = 0; i < both.faults.size(); ++i) both.faults[i] += b.faults[i];
  both.failures.insert(both.failures.end(), b.failures.begin(), b.failures.end());
  return both;
}

std::string to_string(const Campaign& campaign) {
  double seconds = 0;  // of the processors
  std::string text;
  for (const ShardRun& run : campaign.runs) {
    seconds += run.cpu_seconds;
    text += fmt::format(
        "Run       seed {} shard {}, {}: {} rounds in {:.1f} s ({:.1f} s of CPU), commit {}\n", run.seed,
        fuzz::to_string(run.shard), run.setting, run.rounds, run.seconds, run.cpu_seconds, run.commit);
  }
  text +=
      fmt::format("Events    {} ({:.2f} million/s of CPU), {} requests ended, {} scheduled\n",
                  campaign.events, seconds > 0 ? static_cast<double>(campaign.events) / seconds / 1e6 : 0.0,
                  campaign.requests, campaign.scheduled);
  text += fmt::format(
      "Blocks    {} lives ({:.0f}/s of CPU), {} bytes compared with the oracle\n", campaign.block_lives,
      seconds > 0 ? static_cast<double>(campaign.block_lives) / seconds : 0.0, campaign.compared_bytes);
  text += "Faults   ";
  for (int i = 0; i < kFaults; ++i) {
    text += fmt::format(" {} {}{}", to_string(static_cast<Fault>(i)),
                        campaign.faults[static_cast<std::size_t>(i)], i + 1 < kFaults ? "," : "\n");
  }
  for (const Failure& failure : campaign.failures) text += "\n" + pageproof::to_string(failure);
  return fmt::format("{}\n{}", campaign.holds() ? "HOLDS     no rule broken, every request ended" : "REFUTED",
                     text);
}

}  // namespace pageproof::fuzz_receive
