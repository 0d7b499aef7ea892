// A campaign as JSON, and back.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "fuzz/campaign/json_file.hpp"
#include "fuzz/receive/campaign.hpp"
#include "model/json/failure.hpp"

namespace pageproof::fuzz_receive {
namespace {

constexpr const char* kSchema = "receive_campaign_v2";
constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 60;  // sums of two do not wrap
constexpr const char* kSettingNames[] = {"requests", "layers", "convert", "order",
                                         "bytes",    "faults", "mutant",  "commit"};

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

}  // namespace

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

}  // namespace pageproof::fuzz_receive
