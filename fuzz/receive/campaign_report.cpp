// A campaign as JSON and as text, and two of them as one.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "fuzz/campaign/json_file.hpp"
#include "fuzz/receive/campaign.hpp"
#include "model/json/failure.hpp"

namespace pageproof::fuzz_receive {
namespace {

constexpr const char* kSchema = "receive_campaign_v2";
constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 60;  // sums of two do not wrap
constexpr const char* kSettingNames[] = {"requests", "layers", "convert", "order",
                                         "bytes",    "faults", "mutant",  "commit"};

std::vector<std::pair<const char*, std::uint64_t*>> counts_of(Campaign& campaign) {
  return {{"events", &campaign.events},           {"pieces", &campaign.pieces},
          {"requests", &campaign.requests},       {"scheduled", &campaign.scheduled},
          {"block_lives", &campaign.block_lives}, {"compared_bytes", &campaign.compared_bytes}};
}

// visit(name, count) over an enum's counts.
template <class Of, class Counts, class Visit>
void visit_counts(Counts& counts, Visit&& visit) {
  for (std::size_t i = 0; i < counts.size(); ++i) visit(to_string(static_cast<Of>(i)), counts[i]);
}

template <class Of, class Counts>
nlohmann::json json_of_counts(const Counts& counts) {
  nlohmann::json json;
  visit_counts<Of>(counts,
                   [&](std::string_view name, std::uint64_t count) { json[std::string(name)] = count; });
  return json;
}

template <class Of, class Counts>
std::optional<Error> read_counts(const nlohmann::json& json, const std::string& subject, Counts& counts) {
  fuzz::Fields fields(json, subject);
  visit_counts<Of>(counts, [&](std::string_view name, std::uint64_t& count) {
    const std::string key(name);
    count = fields.number(key.c_str());
    if (count > kMostCounted) fields.refuse(key.c_str(), "more than 2^60");
  });
  return fields.error();
}

// The first round that both runs have, of the same seed.
std::optional<std::uint64_t> shared_round(const ShardRun& a, const ShardRun& b) {
  if (a.seed != b.seed || a.rounds == 0 || b.rounds == 0) return std::nullopt;
  const std::uint64_t last = std::min(a.shard.round(a.rounds - 1), b.shard.round(b.rounds - 1));
  const std::uint64_t period = b.shard.count / std::gcd(a.shard.count, b.shard.count);
  std::uint64_t looked_at = 0;
  for (std::uint64_t nth = 0; nth < a.rounds && a.shard.round(nth) <= last; ++nth) {
    const std::uint64_t round = a.shard.round(nth);
    if (round < b.shard.round(0)) continue;
    if ((round - b.shard.round(0)) % b.shard.count == 0) return round;
    if (++looked_at > period) break;
  }
  return std::nullopt;
}

Expected<ShardRun> read_run(const nlohmann::json& json, const std::string& subject) {
  fuzz::Fields fields(json, subject);
  ShardRun run;
  run.seed = fields.number("seed");
  const std::string text = fields.text("shard");
  run.rounds = fields.number("rounds");
  if (run.rounds > kMostCounted / 1'000'000) fields.refuse("rounds", "more than 2^40");
  run.seconds = fields.real("seconds");
  run.cpu_seconds = fields.real("cpu_seconds");
  if (fields.error()) return std::unexpected(*fields.error());
  const auto shard = fuzz::parse_shard(text);
  if (!shard) return std::unexpected(Error{subject, "shard", text, shard.error().problem});
  run.shard = *shard;
  return run;
}

template <class Of, class Counts>
std::string table_of(const char* title, const Counts& counts) {
  std::string text;
  visit_counts<Of>(counts, [&](std::string_view name, std::uint64_t count) {
    text += fmt::format("{:<10}{:<18} {:>12} times\n", text.empty() ? title : "", name, count);
  });
  return text;
}

}  // namespace

std::string to_string(const Setting& setting) {
  std::string text;
  for (const auto& [name, value] : setting) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  }
  return text;
}

std::vector<std::string_view> never(const Campaign& campaign) {
  std::vector<std::string_view> names;
  std::uint32_t faults = kAllFaults;
  bool bytes = true;
  for (const auto& [name, value] : campaign.setting) {
    if (name == "bytes") bytes = value == "yes";
    if (name != "faults") continue;
    faults = 0;
    visit_counts<Fault>(campaign.tally.faults, [&](std::string_view fault, std::uint64_t) {
      const std::string list = "," + value + ",";
      if (value == "all" || list.contains(fmt::format(",{},", fault)))
        faults |= *parse_faults({std::string(fault)});
    });
  }
  for (int i = 0; i < kFaults; ++i) {
    const auto fault = static_cast<Fault>(i);
    if ((faults & bit(fault)) == 0 || campaign.tally.of(fault) > 0) continue;
    if (bytes || fault != Fault::partial_read) names.push_back(to_string(fault));
  }
  for (int i = 0; i < kSituations; ++i) {
    const auto situation = static_cast<Situation>(i);
    const std::uint32_t needed = needed_by(situation);
    if ((faults & needed) != needed || campaign.tally.of(situation) > 0) continue;
    if (bytes || !needs_bytes(situation)) names.push_back(to_string(situation));
  }
  return names;
}

nlohmann::json to_json(const Campaign& campaign) {
  nlohmann::json runs = nlohmann::json::array();
  for (const ShardRun& run : campaign.runs) {
    runs.push_back({{"seed", run.seed},
                    {"shard", fuzz::to_string(run.shard)},
                    {"rounds", run.rounds},
                    {"seconds", run.seconds},
                    {"cpu_seconds", run.cpu_seconds}});
  }
  nlohmann::json failures = nlohmann::json::array();
  for (const Failure& failure : campaign.failures) failures.push_back(nlohmann::json(json_of(failure)));
  nlohmann::json setting = nlohmann::json::object();
  for (const auto& [name, value] : campaign.setting) setting[name] = value;
  nlohmann::json json = {{"schema", kSchema},
                         {"holds", campaign.holds()},
                         {"setting", setting},
                         {"runs", runs},
                         {"faults", json_of_counts<Fault>(campaign.tally.faults)},
                         {"situations", json_of_counts<Situation>(campaign.tally.situations)},
                         {"never", never(campaign)},
                         {"failures", failures}};
  Campaign counted = campaign;
  for (const auto& [name, count] : counts_of(counted)) json[name] = *count;
  return json;
}

Expected<Campaign> campaign_from_json(const nlohmann::json& json, const std::string& subject) {
  Campaign campaign;
  fuzz::Fields fields(json, subject);
  fields.expect("schema", kSchema);
  for (const auto& [name, count] : counts_of(campaign)) {
    *count = fields.number(name);
    if (*count > kMostCounted) fields.refuse(name, "more than 2^60");
  }
  const nlohmann::json setting = fields.any("setting");
  const nlohmann::json runs = fields.list("runs");
  const nlohmann::json failures = fields.list("failures");
  const nlohmann::json faults = fields.any("faults");
  const nlohmann::json situations = fields.any("situations");
  if (fields.error()) return std::unexpected(*fields.error());
  fuzz::Fields set(setting, subject + ": setting");
  for (const char* name : kSettingNames) campaign.setting.emplace_back(name, set.text(name));
  if (set.error()) return std::unexpected(*set.error());
  if (auto bad = read_counts<Fault>(faults, subject + ": faults", campaign.tally.faults)) {
    return std::unexpected(*std::move(bad));
  }
  if (auto bad = read_counts<Situation>(situations, subject + ": situations", campaign.tally.situations)) {
    return std::unexpected(*std::move(bad));
  }
  for (const nlohmann::json& one : runs) {
    const auto run = read_run(one, subject + ": runs");
    if (!run) return std::unexpected(run.error());
    campaign.runs.push_back(*run);
  }
  for (const nlohmann::json& one : failures) {
    fuzz::Fields failure(one, subject + ": failures");
    campaign.failures.push_back({failure.text("name"), failure.text("claim"), failure.text("example"),
                                 failure.text("expected"), failure.text("got"), failure.text("replay")});
    if (failure.error()) return std::unexpected(*failure.error());
  }
  return campaign;
}

Expected<void> same_setting(const Setting& setting, const Setting& other, const std::string& subject) {
  for (std::size_t i = 0; i < setting.size() && i < other.size(); ++i) {
    const auto& [name, value] = setting[i];
    if (value == other[i].second) continue;
    return std::unexpected(
        Error{subject, name, value, fmt::format("not {}, as the others", other[i].second)});
  }
  return {};
}

Expected<Campaign> merged(const Campaign& a, const Campaign& b, const std::string& subject) {
  if (a.runs.empty()) return b;
  if (const auto same = same_setting(b.setting, a.setting, subject); !same) {
    return std::unexpected(same.error());
  }
  Campaign both = a;
  for (const ShardRun& run : b.runs) {
    for (const ShardRun& there : a.runs) {
      const auto round = shared_round(there, run);
      if (!round) continue;
      return std::unexpected(Error{subject, "shard", fuzz::to_string(run.shard),
                                   fmt::format("round {} of seed {} is in shard {}, too", *round, run.seed,
                                               fuzz::to_string(there.shard))});
    }
    both.runs.push_back(run);
  }
  Campaign more = b;
  const auto from = counts_of(more);
  const auto to = counts_of(both);
  for (std::size_t i = 0; i < to.size(); ++i) *to[i].second += *from[i].second;
  both.tally += b.tally;
  both.failures.insert(both.failures.end(), b.failures.begin(), b.failures.end());
  return both;
}

std::string to_string(const Campaign& campaign) {
  double seconds = 0;  // of the processors
  std::string text = fmt::format("Setting   {}\n", to_string(campaign.setting));
  for (const ShardRun& run : campaign.runs) {
    seconds += run.cpu_seconds;
    text += fmt::format("Run       seed {} shard {}: {} rounds in {:.1f} s ({:.1f} s of CPU)\n", run.seed,
                        fuzz::to_string(run.shard), run.rounds, run.seconds, run.cpu_seconds);
  }
  const auto rate = [&](std::uint64_t count) {
    return seconds > 0 ? static_cast<double>(count) / seconds : 0.0;
  };
  text += fmt::format(
      "Events    {} steps of the model ({:.2f} million/s of CPU), {} pieces of READs and kernels\n",
      campaign.events, rate(campaign.events) / 1e6, campaign.pieces);
  text += fmt::format("Requests  {} ended, {} times scheduled\n", campaign.requests, campaign.scheduled);
  text += fmt::format("Blocks    {} lives ({:.0f}/s of CPU), {} bytes compared with the oracle\n",
                      campaign.block_lives, rate(campaign.block_lives), campaign.compared_bytes);
  text += table_of<Fault>("Faults", campaign.tally.faults);
  text += table_of<Situation>("Came up", campaign.tally.situations);
  if (const auto names = never(campaign); !names.empty()) {
    text += fmt::format("NEVER     {}: longer, or another seed\n", fmt::join(names, ", "));
  }
  for (const Failure& failure : campaign.failures) text += "\n" + pageproof::to_string(failure);
  return fmt::format("{}\n{}", campaign.holds() ? "HOLDS     no rule broken, every request ended" : "REFUTED",
                     text);
}

}  // namespace pageproof::fuzz_receive
