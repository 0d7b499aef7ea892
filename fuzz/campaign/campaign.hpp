// A campaign: the properties in rounds until the time is up. What a round tries depends on the seed, the
// round and the property's name alone, so a run can be repeated and shards share no case but by chance.
#pragma once

#include <functional>
#include <span>

#include "fuzz/campaign/report.hpp"
#include "fuzz/property/property.hpp"

namespace pageproof::fuzz {

struct CampaignOptions {
  std::uint64_t seed = 1;
  Shard shard;
  double seconds = 10;              // the first round is always finished
  std::uint64_t round_cases = 100;  // of each property, fewer for a costly one
  std::uint64_t most_rounds = UINT64_MAX;
  std::string cases_folder = kCasesFolder;  // where a failing case is written
  std::function<void(double seconds, std::uint64_t cases, std::uint64_t failures)> progress = [](auto...) {};
};

// A property that failed is not tried further.
CampaignReport run_campaign(std::span<const Property> properties, const CampaignOptions& options);

// What was found, as a Failure with its replay line; writes the case file.
FoundFailure keep(const Property& property, const Found& found, std::uint64_t seed, std::uint64_t round,
                  const std::string& cases_folder);

}  // namespace pageproof::fuzz
