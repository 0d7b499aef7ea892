#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <random>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "fuzz/campaign/campaign.hpp"
#include "fuzz/campaign/json_file.hpp"
#include "fuzz/campaign/select.hpp"
#include "model/json/failure.hpp"

namespace pageproof::cli {
namespace {

std::string dumped(const nlohmann::json& json) {
  return one_document(nlohmann::ordered_json(json));
}

Report shown(const fuzz::CampaignReport& report) {
  return {report.holds(), fuzz::to_string(report), dumped(to_json(report))};
}

Report list(const std::vector<fuzz::Property>& properties) {
  Report report;
  nlohmann::json rows = nlohmann::json::array();
  for (const fuzz::Property& property : properties) {
    report.text += fmt::format("{}\n    {}\n", property.name, property.claim);
    nlohmann::json mutants = nlohmann::json::array();
    for (const fuzz::Mutant& mutant : property.mutants) {
      report.text += fmt::format("    mutant {}: {}\n", mutant.name, mutant.fault);
      mutants.push_back({{"name", mutant.name}, {"fault", mutant.fault}});
    }
    rows.push_back({{"name", property.name}, {"claim", property.claim}, {"mutants", mutants}});
  }
  report.json = dumped({{"properties", rows}});
  return report;
}

Result replay(const std::string& path) {
  const Expected<fuzz::CaseFile> file = fuzz::read_case(path);
  if (!file) return std::unexpected(file.error());
  const auto failure = fuzz::replay(*file, fuzz::all_properties(), path);
  if (!failure) return std::unexpected(failure.error());
  nlohmann::json json = {
      {"property", file->property}, {"holds", !failure->has_value()}, {"case", file->values}};
  if (!failure->has_value()) {
    return Report{true, fmt::format("HOLDS     {}\nExample   {}\n", file->property, file->values.dump()),
                  dumped(json)};
  }
  json["failure"] = json_of(**failure);
  return Report{false, pageproof::to_string(**failure), dumped(json)};
}

Result merge(const std::vector<std::string>& paths) {
  fuzz::CampaignReport sum;
  for (const std::string& path : paths) {
    const Expected<nlohmann::json> json = fuzz::read_json(path);
    if (!json) return std::unexpected(json.error());
    const Expected<fuzz::CampaignReport> report = fuzz::report_from_json(*json, path);
    if (!report) return std::unexpected(report.error());
    Expected<fuzz::CampaignReport> next = merged(sum, *report, path);
    if (!next) return std::unexpected(next.error());
    sum = *std::move(next);
  }
  return shown(sum);
}

// A line on a terminal that is written over; nothing where stderr is a file.
auto terminal_progress(double of_seconds) {
  const bool terminal = isatty(STDERR_FILENO) == 1;
  return [terminal, of_seconds, last = -1.0](double seconds, std::uint64_t cases,
                                             std::uint64_t failures) mutable {
    if (!terminal || seconds - last < 0.1) return;
    last = seconds;
    fmt::print(stderr, "\rfuzz  {:.1f} of {:.1f} s   {} cases   {} failures ", seconds, of_seconds, cases,
               failures);
    std::fflush(stderr);
  };
}

// One of: replay, merge, list, a campaign.
Expected<void> one_mode(const FuzzOptions& options) {
  const int modes =
      (options.replay.empty() ? 0 : 1) + (options.merge.empty() ? 0 : 1) + (options.list ? 1 : 0);
  if (modes > 1) {
    return std::unexpected(
        Error{"pageproof fuzz", "options", "", "--replay, --merge and --list exclude each other"});
  }
  if (!(options.seconds >= 0)) {
    return std::unexpected(
        Error{"--seconds", "", fmt::format("{}", options.seconds), "not a number of seconds of at least 0"});
  }
  const bool takes_names = options.replay.empty() && options.merge.empty();
  if (!takes_names && !options.properties.empty()) {
    return std::unexpected(Error{"pageproof fuzz", "PROPERTY", options.properties.front(),
                                 "--replay and --merge take no property; the files name theirs"});
  }
  return {};
}

}  // namespace

Result fuzz(const FuzzOptions& options) {
  if (const auto one = one_mode(options); !one) return std::unexpected(one.error());
  if (!options.replay.empty()) return replay(options.replay);
  if (!options.merge.empty()) return merge(options.merge);
  const auto properties = fuzz::select(fuzz::all_properties(), options.properties);
  if (!properties) return std::unexpected(properties.error());
  if (options.list) return list(*properties);
  const Expected<fuzz::Shard> shard = fuzz::parse_shard(options.shard);
  if (!shard) return std::unexpected(shard.error());

  fuzz::CampaignOptions campaign;
  campaign.seed = options.seed != 0 ? options.seed : std::random_device{}() + std::uint64_t{1};
  campaign.shard = *shard;
  campaign.seconds = options.seconds;
  campaign.progress = terminal_progress(options.seconds);
  const fuzz::CampaignReport report = fuzz::run_campaign(*properties, campaign);
  if (isatty(STDERR_FILENO) == 1) fmt::print(stderr, "\r\x1b[K");
  return shown(report);
}

}  // namespace pageproof::cli
