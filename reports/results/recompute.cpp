#include "reports/results/recompute.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numeric>

#include "reports/results/statistics.hpp"

namespace pageproof::results {
namespace {

// The tools write every digit of a sum that another order of adding changes in its last ones.
constexpr double kAgreement = 1e-6;
constexpr double kUnit = 1000;

bool agree(double own, double recomputed) {
  return std::abs(own - recomputed) <= kAgreement * std::max(std::abs(own), std::abs(recomputed)) + 1e-9;
}

bool differ_by_unit(double own, double recomputed) {
  return recomputed != 0 && std::abs(own / recomputed * kUnit - 1) < 1e-3;
}

double tpot_ms(const Detailed& detailed, std::size_t i) {
  return kUnit * (detailed.latency_s[i] - detailed.ttft_s[i]) / (detailed.output_tokens[i] - 1.0);
}

void compare(Run& run, std::string field, double own, double recomputed) {
  if (agree(own, recomputed)) return;
  if (differ_by_unit(own, recomputed)) {
    run.findings.push_back({Weight::invalid, std::move(field), fmt::format("{}", own),
                            fmt::format("seconds taken for ms: its own arrays give {}", recomputed)});
    return;
  }
  run.findings.push_back({Weight::disagreement, std::move(field), fmt::format("{}", own),
                          fmt::format("its own arrays give {}", recomputed)});
}

}  // namespace

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

std::size_t good_requests(const Detailed& detailed, const Objectives& objectives) {
  const auto met = [](const std::optional<double>& objective, double value) {
    return !objective || value <= *objective;
  };
  std::size_t good = 0;
  for (std::size_t i = 0; i < detailed.requests(); ++i) {
    if (detailed.succeeded[i] == 0) continue;
    const double tpot = detailed.output_tokens[i] > 1 ? tpot_ms(detailed, i) : 0;
    const bool all = met(objectives.ttft_ms, kUnit * detailed.ttft_s[i]) && met(objectives.tpot_ms, tpot) &&
                     met(objectives.e2el_ms, kUnit * detailed.latency_s[i]);
    good += all ? 1 : 0;
  }
  return good;
}

double goodput(const Detailed& detailed, const Objectives& objectives, double duration_s) {
  return static_cast<double>(good_requests(detailed, objectives)) / duration_s;
}

void compare_with_arrays(Run& run) {
  if (!run.detailed) return;
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
                                 std::uint64_t recomputed) {
    if (!own) {
      own = recomputed;
    } else if (*own != recomputed) {
      run.findings.push_back({Weight::disagreement, field, fmt::format("{}", *own),
                              fmt::format("its own arrays give {}", recomputed)});
    }
  };
  compare_count("num_prompts", run.num_prompts, detailed.requests());
  compare_count("completed", run.completed, completed);
  compare_count("failed", run.failed, detailed.requests() - completed);
  if (!detailed.input_tokens.empty()) compare_count("total_input_tokens", run.total_input_tokens, input);
  compare_count("total_output_tokens", run.total_output_tokens, output);

  Series series = series_of(detailed);
  for (const auto& [name, own] : run.metrics) {
    if (const auto recomputed = metric_of(series, name)) compare(run, name, own, *recomputed);
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
