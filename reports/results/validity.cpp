#include "reports/results/validity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "reports/results/forms.hpp"
#include "reports/results/statistics.hpp"

namespace pageproof::results {
namespace {

constexpr std::array<const char*, 4> kCheckedLatencies{"ttft", "tpot", "itl", "e2el"};
constexpr std::array<const char*, 3> kCheckedRates{"request_throughput", "output_throughput",
                                                   "total_token_throughput"};

void add_finding(Run& run, Weight weight, std::string field, std::string value, std::string problem) {
  run.findings.push_back({weight, std::move(field), std::move(value), std::move(problem)});
}

std::string latency_of(std::string_view name) {
  for (const char* latency : kCheckedLatencies) {
    if (name.ends_with(fmt::format("_{}_ms", latency))) return latency;
  }
  return {};
}

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end || !std::isfinite(value)) return {};
  return value;
}

// A request that is not among those that completed failed, whatever `failed` says.
void check_failed(Run& run, double failed_ratio) {
  const std::uint64_t lost =
      run.num_prompts ? *run.num_prompts - std::min(*run.num_prompts, *run.completed) : 0;
  const std::uint64_t said = run.failed.value_or(0);
  const bool says_less = said < lost;
  if (says_less) run.failed = lost;
  const std::uint64_t failed = std::max(said, lost);
  const double prompts = static_cast<double>(run.num_prompts.value_or(*run.completed + failed));
  if (static_cast<double>(failed) <= failed_ratio * prompts) return;
  add_finding(run, Weight::invalid, says_less ? "completed" : "failed",
              fmt::format("{}", says_less ? *run.completed : said),
              fmt::format("{} of {:g} requests failed{}; allowed is a share of {:g}", failed, prompts,
                          says_less ? " or were lost" : "", failed_ratio));
}

// What is not there cannot be checked, which is not the same as being right.
void note_missing_counts(Run& run) {
  if (!run.num_prompts) {
    add_finding(run, Weight::note, "num_prompts", "", "missing: whether requests were lost is not known");
  }
  for (const auto& [field, total] : {std::pair("total_input_tokens", run.total_input_tokens),
                                     std::pair("total_output_tokens", run.total_output_tokens)}) {
    if (!total) add_finding(run, Weight::note, field, "", "missing: lengths and rates are not checked by it");
  }
}

void check_counts(Run& run, const ReadOptions& options) {
  const bool summary = run.tool == Tool::inferencex_summary || run.tool == Tool::aiperf_aggregate;
  if (!run.completed) {
    add_finding(run, summary ? Weight::note : Weight::invalid, "completed", "",
                summary ? "not in this form: whether requests failed is not known" : "missing");
    return;
  }
  if (*run.completed == 0) {
    add_finding(run, Weight::invalid, "completed", "0", "every request failed: all latencies are zeros");
    return;
  }
  if (run.num_prompts && *run.completed > *run.num_prompts) {
    add_finding(run, Weight::invalid, "completed", fmt::format("{}", *run.completed),
                fmt::format("num_prompts is {}", *run.num_prompts));
  }
  check_failed(run, options.failed_ratio);
  if (!summary) note_missing_counts(run);
  const auto check_tokens = [&](const char* tag, const char* field, std::optional<std::uint64_t> total,
                                double tolerance) {
    const std::string text = run.tag(tag);
    if (text.empty()) return;
    if (!total) {
      if (!summary)
        add_finding(run, Weight::note, tag, text, fmt::format("not verified: {} is missing", field));
      return;
    }
    const auto length = number_of(text);
    if (!length || *length <= 0) return add_finding(run, Weight::invalid, tag, text, "no number of tokens");
    const double expected = static_cast<double>(*run.completed) * *length;
    const double found = static_cast<double>(*total);
    if (std::abs(found - expected) <= tolerance * expected) return;
    add_finding(run, Weight::invalid, field, fmt::format("{}", *total),
                fmt::format("{} requests of {} {} tokens are {:g}; allowed are {:g} % beside", *run.completed,
                            text, tag, expected, 100 * tolerance));
  };
  check_tokens("osl", "total_output_tokens", run.total_output_tokens, options.output_tolerance);
  check_tokens("isl", "total_input_tokens", run.total_input_tokens, options.input_tolerance);
}

// What only a text can say: a rate of the prefill engine, which no client sees.
void check_said(Run& run) {
  const std::string text = run.tag("prefill_throughput");
  const auto rate = number_of(text);
  if (text.empty() || (rate && *rate > 0)) return;
  add_finding(run, Weight::invalid, "prefill_throughput", text, "not a number of tokens/s above 0");
}

void check_metrics(Run& run) {
  const bool one_token = run.completed && run.total_output_tokens == run.completed;
  bool any = false;
  for (auto at = run.metrics.begin(); at != run.metrics.end();) {
    const std::string latency = latency_of(at->first);
    const bool rate = std::ranges::find(kCheckedRates, at->first) != kCheckedRates.end();
    const bool spread = at->first.starts_with("std_") || at->first.starts_with("min_");
    if (one_token && (latency == "tpot" || latency == "itl")) {  // there is none between one token
      at = run.metrics.erase(at);
      continue;
    }
    any = any || !latency.empty();
    const bool too_small = spread ? at->second < 0 : at->second <= 0;
    if ((!latency.empty() || rate) && too_small && run.completed != 0U) {
      add_finding(run, Weight::invalid, at->first, fmt::format("{}", at->second),
                  spread ? "below 0" : "not above 0");
    }
    ++at;
  }
  if (one_token)
    add_finding(run, Weight::note, "total_output_tokens", "", "one token a request: no TPOT and no ITL");
  if (!any && run.valid())
    add_finding(run, Weight::invalid, "mean_ttft_ms", "", "missing, as every other latency");
}

// median <= p90 <= p99 <= p99.9 of each latency, and the mean no less than half of the median.
void check_order(Run& run) {
  std::vector<Finding> found;
  for (const char* latency : kCheckedLatencies) {
    std::vector<std::pair<double, std::string>> percents;
    for (const auto& [name, value] : run.metrics) {
      if (latency_of(name) != latency) continue;
      const auto statistic = Statistic::named(name.substr(0, name.find('_')));
      if (statistic && statistic->percent()) percents.emplace_back(*statistic->percent(), name);
    }
    std::ranges::sort(percents);
    for (std::size_t i = 1; i < percents.size(); ++i) {
      const double lower = run.metrics[percents[i - 1].second];
      const double upper = run.metrics[percents[i].second];
      if (upper >= lower * (1 - 1e-9) || percents[i].first == percents[i - 1].first) continue;
      found.push_back({Weight::invalid, percents[i].second, fmt::format("{}", upper),
                       fmt::format("below {} {}{}", percents[i - 1].second, lower,
                                   upper * 30 < lower ? ": of different units" : "")});
    }
  }
  // Half of the values are no less than the median, and none is below 0.
  for (const char* latency : kCheckedLatencies) {
    const std::string name = fmt::format("mean_{}_ms", latency);
    const std::string half = fmt::format("median_{}_ms", latency);
    const auto average = run.metric(name);
    const auto median = run.metric(half);
    if (!average || !median || *average <= 0 || *average >= 0.5 * (1 - 1e-9) * *median) continue;
    found.push_back({Weight::invalid, name, fmt::format("{}", *average),
                     fmt::format("less than half of {} {}, which no times have{}", half, *median,
                                 *average * 30 < *median ? ": of different units" : "")});
  }
  std::ranges::move(found, std::back_inserter(run.findings));
}

// A rate against count / duration, which is right where arrays gave the count.
void check_rates(Run& run) {
  if (!run.duration_s) return;
  if (!(*run.duration_s > 0)) {
    return add_finding(run, Weight::invalid, "duration", fmt::format("{}", *run.duration_s), "not above 0");
  }
  const auto input = run.total_input_tokens;
  const auto output = run.total_output_tokens;
  const std::array<std::pair<const char*, std::uint64_t>, 4> all{
      {{"request_throughput", run.completed.value_or(0)},
       {"output_throughput", output.value_or(0)},
       {"input_throughput", input.value_or(0)},
       {"total_token_throughput", input && output ? *input + *output : 0}}};
  for (const auto& [name, count] : all) {
    const auto own = run.metric(name);
    if (!own || count == 0 || *own <= 0) continue;
    const double expected = static_cast<double>(count) / *run.duration_s;
    const double ratio = *own / expected;
    if (std::abs(ratio - 1) <= 0.01) continue;
    const bool unit = std::abs(ratio / 1000 - 1) <= 0.01 || std::abs(ratio * 1000 - 1) <= 0.01;
    const bool counted = run.of_arrays && !unit;
    add_finding(run, counted ? Weight::disagreement : Weight::invalid, name, fmt::format("{}", *own),
                fmt::format("{} in the duration of {} s are {:g} a second{}", count, *run.duration_s,
                            expected, unit ? ": the rate or the duration is in another unit" : ""));
    if (run.of_arrays) run.metrics[name] = expected;
  }
}

}  // namespace

bool has_requests(const Run& run) {
  return run.tool != Tool::vllm_iterations;
}

void check_run(Run& run, const ReadOptions& options) {
  if (!has_requests(run)) return;
  check_counts(run, options);
  if (run.completed == 0U) return;
  if (run.max_concurrency == 0U) {
    add_finding(run, Weight::invalid, "max_concurrency", "0", "no request may run; no limit is null");
  }
  check_said(run);
  check_metrics(run);
  check_order(run);
  check_rates(run);
}

}  // namespace pageproof::results
