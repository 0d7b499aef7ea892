// The same run twice is no repeat.
#include <fmt/format.h>

#include <map>
#include <numeric>
#include <span>

#include "reports/results/validity.hpp"

namespace pageproof::results {
namespace {

double sum(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

std::string fingerprint_of(const Run& run) {
  if (!run.date.empty() && run.duration_s) return fmt::format("{}|{}", run.date, *run.duration_s);
  std::string all = fmt::format("{}|{}|{}|{}|{}|{}", run.date, run.duration_s.value_or(0), run.model_id,
                                run.num_prompts.value_or(0), run.completed.value_or(0),
                                run.total_output_tokens.value_or(0));
  for (const auto& [name, value] : run.metrics) all += fmt::format("|{}={}", name, value);
  for (const auto& [name, value] : run.tags) all += fmt::format("|{}={}", name, value);
  if (run.detailed) {
    const Detailed& detailed = *run.detailed;
    all += fmt::format("|{}|{}|{}", sum(detailed.ttft_s), sum(detailed.latency_s), sum(detailed.gaps_s));
  }
  return all;
}

void mark_duplicates(std::vector<Run>& runs) {
  std::map<std::string, std::string> first;
  for (Run& run : runs) {
    const auto [place, fresh] = first.try_emplace(run.fingerprint, run.source);
    if (fresh) continue;
    run.findings.push_back({Weight::invalid, "date", run.date,
                            fmt::format("the same {} as {}",
                                        run.date.empty() ? "numbers" : "date and duration", place->second)});
  }
}

}  // namespace pageproof::results
