#include "fuzz/campaign/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "fuzz/campaign/json_file.hpp"
#include "model/json/failure.hpp"

namespace pageproof::fuzz {
namespace {

constexpr const char* kSchema = "fuzz_report_v1";
// More cases than any campaign tries; sums of counts up to this do not wrap.
constexpr std::uint64_t kMostCases = std::uint64_t{1} << 40;

auto run_key(const Run& run) {
  return std::tuple(run.seed, run.shard.count, run.shard.index);
}

auto failure_key(const FoundFailure& found) {
  return std::tie(found.file.seed, found.file.round, found.file.choices, found.failure.example);
}

nlohmann::json to_json(const FoundFailure& found) {
  nlohmann::json json = json_of(found.failure);
  json["case"] = to_json(found.file);
  return json;
}

Expected<FoundFailure> failure_from_json(const nlohmann::json& json, const std::string& subject) {
  Fields fields(json, subject);
  const Failure failure{fields.text("name"),     fields.text("claim"), fields.text("example"),
                        fields.text("expected"), fields.text("got"),   fields.text("replay")};
  const nlohmann::json file = fields.any("case");
  if (fields.error()) return std::unexpected(*fields.error());
  Expected<CaseFile> of = case_from_json(file, subject + ": case");
  if (!of) return std::unexpected(of.error());
  return FoundFailure{failure, *std::move(of)};
}

Expected<Run> run_from_json(const nlohmann::json& json, const std::string& subject) {
  Fields fields(json, subject);
  Run run;
  run.seed = fields.number("seed");
  const std::string shard = fields.text("shard");
  run.rounds = fields.number("rounds");
  run.seconds = fields.real("seconds");
  run.commit = fields.text("commit");
  if (fields.error()) return std::unexpected(*fields.error());
  const Expected<Shard> parsed = parse_shard(shard);
  if (!parsed) return std::unexpected(Error{subject, "shard", shard, parsed.error().problem});
  run.shard = *parsed;
  return run;
}

Expected<void> add_property(const nlohmann::json& json, const std::string& subject, CampaignReport& report) {
  Fields fields(json, subject);
  const std::string name = fields.text("name");
  PropertyReport property{fields.number("cases"), {}};
  const nlohmann::json failures = fields.list("failures");
  if (property.cases > kMostCases) fields.refuse("cases", "more than 2^40 cases");
  if (!fields.error() && report.properties.contains(name)) fields.refuse("name", "listed twice");
  if (fields.error()) return std::unexpected(*fields.error());
  for (const nlohmann::json& element : failures) {
    auto found = failure_from_json(element, subject + ": failures");
    if (!found) return std::unexpected(found.error());
    property.failures.push_back(*std::move(found));
  }
  report.properties.emplace(name, std::move(property));
  return {};
}

// Which shards of each seed there are, so that none is added twice.
class Shards {
 public:
  Expected<void> add(const Run& run, const std::string& subject) {
    const auto seed = shards_.try_emplace(run.seed, Cut{run.shard.count, {}}).first;
    const auto refuse = [&](std::string problem) {
      const std::string value = fmt::format("{} of seed {}", to_string(run.shard), run.seed);
      return std::unexpected(Error{subject, "shard", value, std::move(problem)});
    };
    Cut& cut = seed->second;
    if (cut.count != run.shard.count) {
      const Shard other{*cut.indices.begin(), cut.count};
      return refuse(fmt::format("shard {} of this seed is there, cut differently", to_string(other)));
    }
    if (!cut.indices.insert(run.shard.index).second) return refuse("this shard is there already");
    return {};
  }

 private:
  struct Cut {
    std::uint64_t count;
    std::set<std::uint64_t> indices;
  };
  std::map<std::uint64_t, Cut> shards_;
};

}  // namespace

bool CampaignReport::holds() const {
  return !properties.empty() && std::ranges::all_of(properties, [](const auto& entry) {
    return entry.second.cases > 0 && entry.second.failures.empty();
  });
}

std::uint64_t CampaignReport::cases() const {
  std::uint64_t sum = 0;
  for (const auto& [name, property] : properties) sum += property.cases;
  return sum;
}

double CampaignReport::seconds() const {
  double sum = 0;
  for (const Run& run : runs) sum += run.seconds;
  return sum;
}

nlohmann::json to_json(const CampaignReport& report) {
  nlohmann::json runs = nlohmann::json::array();
  for (const Run& run : report.runs) {
    runs.push_back({{"seed", run.seed},
                    {"shard", to_string(run.shard)},
                    {"rounds", run.rounds},
                    {"seconds", run.seconds},
                    {"commit", run.commit}});
  }
  nlohmann::json properties = nlohmann::json::array();
  for (const auto& [name, property] : report.properties) {
    nlohmann::json failures = nlohmann::json::array();
    for (const FoundFailure& found : property.failures) failures.push_back(to_json(found));
    properties.push_back({{"name", name}, {"cases", property.cases}, {"failures", failures}});
  }
  return {{"schema", kSchema}, {"holds", report.holds()}, {"runs", runs}, {"properties", properties}};
}

Expected<CampaignReport> report_from_json(const nlohmann::json& json, const std::string& subject) {
  Fields fields(json, subject);
  fields.expect("schema", kSchema);
  const nlohmann::json runs = fields.list("runs");
  const nlohmann::json properties = fields.list("properties");
  if (!fields.error() && runs.empty()) fields.refuse("runs", "a report has at least one run");
  if (fields.error()) return std::unexpected(*fields.error());
  CampaignReport report;
  Shards shards;
  for (const nlohmann::json& element : runs) {
    auto run = run_from_json(element, subject + ": runs");
    if (!run) return std::unexpected(run.error());
    if (const auto added = shards.add(*run, subject); !added) return std::unexpected(added.error());
    report.runs.push_back(*std::move(run));
  }
  std::ranges::sort(report.runs, {}, run_key);
  for (const nlohmann::json& element : properties) {
    if (auto added = add_property(element, subject + ": properties", report); !added) {
      return std::unexpected(added.error());
    }
  }
  return report;
}

Expected<CampaignReport> merged(const CampaignReport& a, const CampaignReport& b,
                                const std::string& subject) {
  CampaignReport sum = a;
  Shards shards;
  for (const std::vector<Run>* runs : {&a.runs, &b.runs}) {
    for (const Run& run : *runs) {
      if (const auto added = shards.add(run, subject); !added) return std::unexpected(added.error());
    }
  }
  sum.runs.insert(sum.runs.end(), b.runs.begin(), b.runs.end());
  for (const auto& [name, property] : b.properties) {
    PropertyReport& into = sum.properties[name];
    into.cases += property.cases;
    into.failures.insert(into.failures.end(), property.failures.begin(), property.failures.end());
    std::ranges::sort(into.failures, {}, failure_key);
  }
  std::ranges::sort(sum.runs, {}, run_key);
  return sum;
}

std::string to_string(const CampaignReport& report) {
  std::string text = fmt::format("{:<44}{:>12}  result\n", "property", "cases");
  for (const auto& [name, property] : report.properties) {
    const char* result = property.failures.empty() ? "holds" : "REFUTED";
    text += fmt::format("{:<44}{:>12}  {}\n", name, property.cases, property.cases == 0 ? "EMPTY" : result);
  }
  const double seconds = report.seconds();
  text += fmt::format("{} cases in {:.1f} s", report.cases(), seconds);
  if (seconds > 0) text += fmt::format(", {:.0f} cases/s", static_cast<double>(report.cases()) / seconds);
  text += "\n";
  for (const Run& run : report.runs) {
    text += fmt::format("seed {}  shard {}  {} rounds  {:.1f} s  commit {}\n", run.seed, to_string(run.shard),
                        run.rounds, run.seconds, run.commit);
  }
  for (const auto& [name, property] : report.properties) {
    for (const FoundFailure& found : property.failures) {
      text += fmt::format("\n{}Found     seed {} round {} commit {}\n", to_string(found.failure),
                          found.file.seed, found.file.round, found.file.commit);
    }
  }
  return text;
}

}  // namespace pageproof::fuzz
