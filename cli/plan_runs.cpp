// pageproof plan-runs: which runs of the RFC's go/no-go can decide anything.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/decision_commands.hpp"
#include "cli/json.hpp"
#include "fuzz/campaign/shard.hpp"
#include "golden/container/atomic_file.hpp"
#include "golden/container/mapped_file.hpp"
#include "reports/decision/plan_report.hpp"
#include "reports/decision/sensitivity.hpp"

namespace pageproof::cli {
namespace {

constexpr int kBarWidth = 40;

bool show_progress(std::uint64_t done, std::uint64_t of) {
  const int full = of == 0 ? kBarWidth : static_cast<int>(kBarWidth * done / of);
  fmt::print(stderr, "\rplan-runs [{:<{}}] {} of {} simulated runs{}",
             std::string(static_cast<std::size_t>(full), '#'), kBarWidth, done, of, done == of ? "\n" : "");
  std::fflush(stderr);
  return true;
}

Expected<decision::PlanForecast> merge_files(const std::vector<std::string>& files) {
  std::vector<decision::PlanForecast> shards;
  for (const std::string& path : files) {
    const auto file = golden::MappedFile::open(path);
    if (!file) return std::unexpected(file.error());
    const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
    auto shard = decision::plan_from_json(text, path);
    if (!shard) return std::unexpected(shard.error());
    shards.push_back(std::move(*shard));
  }
  return decision::merged(shards, files);
}

Expected<decision::PlanForecast> forecast(const PlanRunsOptions& options) {
  if (!options.merge.empty()) return merge_files(options.merge);
  const auto shard = fuzz::parse_shard(options.shard);
  if (!shard) return std::unexpected(Error{"--shard", "", options.shard, shard.error().problem});
  decision::PlanOptions plan = options.plan;
  plan.shard = shard->index;
  plan.shards = shard->count;
  if (options.progress || isatty(STDERR_FILENO) == 1) plan.progress = show_progress;
  return decision::plan_runs(plan, decision::rfc_points());
}

}  // namespace

Result plan_runs(const PlanRunsOptions& options) {
  if (options.sensitivity) {
    const auto tornado = decision::tornado(options.plan, decision::rfc_points());
    if (!tornado) return std::unexpected(tornado.error());
    nlohmann::ordered_json json = {{"command", "plan-runs"}};
    json["sensitivity"] = decision::tornado_json(*tornado);
    return Report{.text = decision::tornado_text(*tornado), .json = one_document(json)};
  }
  const auto plan = forecast(options);
  if (!plan) return std::unexpected(plan.error());
  if (!options.judge_plan.empty()) {
    const std::string text = one_document(decision::judge_plan_json(*plan)) + "\n";
    const auto written = golden::write_file_atomically(options.judge_plan, std::string_view(text));
    if (!written) return std::unexpected(written.error());
  }
  return Report{.text = decision::plan_text(*plan, options.points),
                .json = one_document(decision::plan_json(*plan))};
}

}  // namespace pageproof::cli
