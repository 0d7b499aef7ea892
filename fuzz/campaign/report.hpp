// What a campaign found, as JSON that merges: shards run anywhere, and their reports are put together in any
// order and grouping with the same result.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fuzz/campaign/case_file.hpp"
#include "fuzz/campaign/shard.hpp"

namespace pageproof::fuzz {

// One shard's run.
struct Run {
  std::uint64_t seed = 0;
  Shard shard;
  std::uint64_t rounds = 0;
  double seconds = 0;
  std::string commit;
};

struct FoundFailure {
  Failure failure;
  CaseFile file;
};

struct PropertyReport {
  std::uint64_t cases = 0;
  std::vector<FoundFailure> failures;
};

struct CampaignReport {
  std::vector<Run> runs;
  std::map<std::string, PropertyReport> properties;  // by name

  bool holds() const;  // no failure, and no property without a case
  std::uint64_t cases() const;
  double seconds() const;  // of all shards together
};

nlohmann::json to_json(const CampaignReport& report);
Expected<CampaignReport> report_from_json(const nlohmann::json& json, const std::string& subject);

// Refused: the same shard twice, and shards of one seed that were cut differently (they may share rounds).
// `subject` names what is being added.
Expected<CampaignReport> merged(const CampaignReport& a, const CampaignReport& b, const std::string& subject);

// For a person: a row a property, then every failure.
std::string to_string(const CampaignReport& report);

}  // namespace pageproof::fuzz
