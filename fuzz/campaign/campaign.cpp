#include "fuzz/campaign/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "fuzz/campaign/commit.hpp"
#include "fuzz/campaign/run.hpp"

namespace pageproof::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t cases_of(const Property& property, std::uint64_t round_cases) {
  const std::uint64_t share = round_cases * property.quick_cases / kQuickCases;
  return std::clamp<std::uint64_t>(share, 1, round_cases);
}

}  // namespace

FoundFailure keep(const Property& property, const Found& found, std::uint64_t seed, std::uint64_t round,
                  const std::string& cases_folder) {
  FoundFailure kept{found.failure, case_file(property, found, seed, round)};
  const Expected<std::string> path = write_case(kept.file, cases_folder);
  kept.failure.replay = path ? "pageproof fuzz --replay " + *path
                             : fmt::format("(no case file: {})", pageproof::to_string(path.error()));
  return kept;
}

CampaignReport run_campaign(std::span<const Property> properties, const CampaignOptions& options) {
  const Clock::time_point start = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  CampaignReport report;
  report.runs = {{options.seed, options.shard, 0, 0, std::string(commit())}};
  Run& run = report.runs.front();
  std::uint64_t cases = 0, failures = 0;
  const auto goes_on = [&] {
    const bool time_left = run.rounds == 0 || seconds() < options.seconds;
    return time_left && failures < properties.size() && run.rounds < options.most_rounds;
  };
  while (goes_on()) {
    const std::uint64_t round = options.shard.round(run.rounds);
    for (const Property& property : properties) {
      PropertyReport& row = report.properties[property.name];
      if (!row.failures.empty()) continue;
      if (run.rounds > 0 && seconds() >= options.seconds) break;
      const std::uint64_t seed = round_seed(options.seed, round, property.name);
      const Tried tried = run_random(property.run, seed, cases_of(property, options.round_cases));
      row.cases += tried.cases;
      cases += tried.cases;
      if (tried.found) {
        row.failures.push_back(keep(property, *tried.found, options.seed, round, options.cases_folder));
        ++failures;
      }
      options.progress(seconds(), cases, failures);
    }
    ++run.rounds;
  }
  run.seconds = seconds();
  return report;
}

}  // namespace pageproof::fuzz
