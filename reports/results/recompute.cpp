#include "reports/results/recompute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "reports/results/statistics.hpp"

namespace pageproof::results {
namespace {

// The tools write every digit of a sum that another order of adding changes in its last ones.
constexpr double kAgreement = 1e-6;
constexpr double kUnit = 1000;
constexpr double kSlackOfDuration = 1.01;

bool differ_by_unit(double own, double recomputed) {
  return recomputed != 0 && std::abs(own / recomputed * kUnit - 1) < 1e-3;
}

// The finding of a number that the arrays do not give.
Finding contradiction(std::string field, double own, double recomputed) {
  const bool unit = differ_by_unit(own, recomputed);
  return {unit ? Weight::invalid : Weight::disagreement, std::move(field), fmt::format("{}", own),
          fmt::format("{}its own arrays give {}", unit ? "seconds taken for ms: " : "", recomputed)};
}

// Requests lie between the first start and the last end, and the client's clock runs at least as long.
void compare_duration(Run& run) {
  const Detailed& detailed = *run.detailed;
  if (!run.duration_s || detailed.start_s.empty()) return;
  double first = INFINITY;
  double last = -INFINITY;
  for (std::size_t i = 0; i < detailed.requests(); ++i) {
    if (detailed.succeeded[i] == 0) continue;
    first = std::min(first, detailed.start_s[i]);
    last = std::max(last, detailed.start_s[i] + detailed.latency_s[i]);
  }
  if (!(last - first > *run.duration_s * kSlackOfDuration)) return;
  run.findings.push_back({Weight::invalid, "duration", fmt::format("{}", *run.duration_s),
                          fmt::format("its own arrays run over {:g} s", last - first)});
}

}  // namespace

bool agree(double own, double recomputed) {
  return std::abs(own - recomputed) <= kAgreement * std::max(std::abs(own), std::abs(recomputed)) + 1e-9;
}

double tpot_ms(const Detailed& detailed, std::size_t request) {
  if (detailed.output_tokens[request] <= 1) return 0;
  return kUnit * (detailed.latency_s[request] - detailed.ttft_s[request]) /
         (detailed.output_tokens[request] - 1.0);
}

Series series_of(const Detailed& detailed) {
  Series series;
  series.itl_ms.reserve(detailed.gaps_s.size());
  for (std::size_t i = 0; i < detailed.requests(); ++i) {
    if (detailed.succeeded[i] == 0) continue;
    series.ttft_ms.push_back(kUnit * detailed.ttft_s[i]);
    series.e2el_ms.push_back(kUnit * detailed.latency_s[i]);
    if (detailed.output_tokens[i] > 1) series.tpot_ms.push_back(tpot_ms(detailed, i));
    for (const double gap : detailed.gaps_of(i)) series.itl_ms.push_back(kUnit * gap);
  }
  return series;
}

std::optional<double> metric_of(Series& series, std::string_view name) {
  const std::array<std::pair<std::string_view, std::vector<double>*>, 4> all{{{"_ttft_ms", &series.ttft_ms},
                                                                              {"_tpot_ms", &series.tpot_ms},
                                                                              {"_itl_ms", &series.itl_ms},
                                                                              {"_e2el_ms", &series.e2el_ms}}};
  for (const auto& [suffix, values] : all) {
    if (!name.ends_with(suffix)) continue;
    const auto statistic = Statistic::named(name.substr(0, name.size() - suffix.size()));
    if (statistic) return statistic->of(*values);
  }
  return {};
}

void compare_with_arrays(Run& run) {
  if (!run.detailed) return;
  run.of_arrays = true;
  const Detailed& detailed = *run.detailed;
  std::uint64_t completed = 0;
  std::uint64_t input = 0;
  std::uint64_t output = 0;
  for (std::size_t i = 0; i < detailed.requests(); ++i) {
    if (detailed.succeeded[i] == 0) continue;
    ++completed;
    input += detailed.input_tokens.empty() ? 0 : detailed.input_tokens[i];
    output += detailed.output_tokens[i];
  }
  const auto compare_count = [&](const char* field, std::optional<std::uint64_t>& own,
                                 std::uint64_t recomputed, bool may_be_more = false) {
    if (own && *own != recomputed) {
      run.findings.push_back({Weight::disagreement, field, fmt::format("{}", *own),
                              fmt::format("its own arrays give {}", recomputed)});
    }
    own = may_be_more ? std::max(own.value_or(0), recomputed) : recomputed;
  };
  // What was asked for and what failed may lack in the arrays.
  compare_count("num_prompts", run.num_prompts, detailed.requests(), true);
  compare_count("completed", run.completed, completed);
  compare_count("failed", run.failed, detailed.requests() - completed, true);
  if (!detailed.input_tokens.empty()) compare_count("total_input_tokens", run.total_input_tokens, input);
  compare_count("total_output_tokens", run.total_output_tokens, output);
  compare_duration(run);

  Series series = series_of(detailed);
  for (auto& [name, own] : run.metrics) {
    const auto recomputed = metric_of(series, name);
    if (!recomputed || agree(own, *recomputed)) continue;
    run.findings.push_back(contradiction(name, own, *recomputed));
    own = *recomputed;
  }
  constexpr std::array<const char*, 5> kAddedStatistics{"mean", "median", "std", "p90", "p99"};
  constexpr std::array<const char*, 4> kAddedSeries{"ttft", "tpot", "itl", "e2el"};
  for (const char* of : kAddedSeries) {
    for (const char* statistic : kAddedStatistics) {
      const std::string name = fmt::format("{}_{}_ms", statistic, of);
      if (!run.metrics.contains(name)) run.metrics.emplace(name, *metric_of(series, name));
    }
  }
}

}  // namespace pageproof::results
