#include "reports/results/validity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
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

// Rules of requests make no sense of step times, and a summary without counts has none to check.
bool has_requests(const Run& run) {
  return run.tool != Tool::vllm_iterations;
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
    add_finding(run, Weight::disagreement, "completed", fmt::format("{}", *run.completed),
                fmt::format("num_prompts is {}", *run.num_prompts));
  }
  std::optional<std::uint64_t> failed = run.failed;
  if (!failed && run.num_prompts) failed = *run.num_prompts - std::min(*run.num_prompts, *run.completed);
  const double prompts = static_cast<double>(run.num_prompts.value_or(*run.completed + failed.value_or(0)));
  if (failed && static_cast<double>(*failed) > options.failed_ratio * prompts) {
    add_finding(run, Weight::invalid, run.failed ? "failed" : "completed",
                fmt::format("{}", run.failed ? *run.failed : *run.completed),
                fmt::format("{} of {:g} requests failed; allowed are {:g} %", *failed, prompts,
                            100 * options.failed_ratio));
  }
  const auto check_tokens = [&](const char* tag, const char* field, std::optional<std::uint64_t> total,
                                double tolerance) {
    const std::string text = run.tag(tag);
    if (text.empty() || !total) return;
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
    if (!average || !median || *average <= 0 || *average >= 0.45 * *median) continue;
    found.push_back({Weight::invalid, name, fmt::format("{}", *average),
                     fmt::format("less than half of {} {}, which no times have{}", half, *median,
                                 *average * 30 < *median ? ": of different units" : "")});
  }
  std::ranges::move(found, std::back_inserter(run.findings));
}

// A rate against count / duration.
void check_rates(Run& run) {
  if (!run.duration_s) return;
  if (!(*run.duration_s > 0)) {
    return add_finding(run, Weight::invalid, "duration", fmt::format("{}", *run.duration_s), "not above 0");
  }
  const auto total = [&](std::optional<std::uint64_t> tokens) { return tokens.value_or(0); };
  const std::array<std::pair<const char*, std::uint64_t>, 4> all{
      {{"request_throughput", total(run.completed)},
       {"output_throughput", total(run.total_output_tokens)},
       {"input_throughput", total(run.total_input_tokens)},
       {"total_token_throughput", total(run.total_input_tokens) + total(run.total_output_tokens)}}};
  for (const auto& [name, count] : all) {
    const auto own = run.metric(name);
    if (!own || count == 0 || *own <= 0) continue;
    const double expected = static_cast<double>(count) / *run.duration_s;
    const double ratio = *own / expected;
    if (std::abs(ratio - 1) <= 0.01) continue;
    const bool unit = std::abs(ratio / 1000 - 1) <= 0.01 || std::abs(ratio * 1000 - 1) <= 0.01;
    add_finding(
        run, unit ? Weight::invalid : Weight::disagreement, name, fmt::format("{}", *own),
        unit ? fmt::format(
                   "{} in the duration of {} s are {:g} a second: the duration is in other units than s",
                   count, *run.duration_s, expected)
             : fmt::format("{} in the duration of {} s are {:g} a second", count, *run.duration_s, expected));
  }
}

}  // namespace

void check_run(Run& run, const ReadOptions& options) {
  if (!has_requests(run)) return;
  check_counts(run, options);
  if (run.completed == 0U) return;
  check_metrics(run);
  check_order(run);
  check_rates(run);
}

void check_units(Run& run) {
  if (!has_requests(run) || run.completed.value_or(0) == 0 || !run.total_output_tokens) return;
  const double completed = static_cast<double>(*run.completed);
  const double gaps = static_cast<double>(*run.total_output_tokens) / completed - 1;
  std::optional<double> latency_ms;
  std::string latency_words;
  bool of_means = true;  // medians do not add up: they need more room
  for (const char* statistic : {"mean", "median"}) {
    const auto name = [&](const char* of) { return fmt::format("{}_{}_ms", statistic, of); };
    const auto ttft = run.metric(name("ttft"));
    const auto tpot = run.metric(name("tpot"));
    const auto e2el = run.metric(name("e2el"));
    if (!ttft || !tpot || *ttft <= 0 || *tpot <= 0 || gaps <= 0) continue;
    const double sum = *ttft + gaps * *tpot;
    if (!latency_ms) {
      latency_ms = e2el.value_or(sum);
      of_means = std::string_view(statistic) == "mean";
      latency_words = e2el ? name("e2el") : fmt::format("{} + {:g} x {}", name("ttft"), gaps, name("tpot"));
    }
    if (!e2el || *e2el <= 0) continue;
    // Lengths that differ bend the relation by some percent, a unit by 1000.
    const auto holds = [&](double a, double b, double c) {
      return std::abs(std::log(c / (a + gaps * b))) < std::log(2);
    };
    const double ratio = *e2el / sum;
    if (ratio < 30 && ratio > 1.0 / 30) continue;
    for (const double factor : {1000.0, 0.001}) {
      const std::array<std::pair<const char*, bool>, 3> places{
          {{"ttft", holds(*ttft * factor, *tpot, *e2el)},
           {"tpot", holds(*ttft, *tpot * factor, *e2el)},
           {"e2el", holds(*ttft, *tpot, *e2el * factor)}}};
      for (const auto& [of, mended] : places) {
        if (!mended) continue;
        add_finding(run, Weight::invalid, name(of), fmt::format("{}", *run.metric(name(of))),
                    fmt::format("{}: {} = {} + {:g} x {} holds with {:g} times it",
                                factor > 1 ? "seconds taken for ms" : "not in ms", name("e2el"), name("ttft"),
                                gaps, name("tpot"), factor));
      }
    }
    if (run.valid()) {
      add_finding(run, Weight::disagreement, name("e2el"), fmt::format("{}", *e2el),
                  fmt::format("{} + {:g} x {} is {:g}", name("ttft"), gaps, name("tpot"), sum));
    }
  }
  if (!latency_ms || !run.valid() || !run.duration_s || *run.duration_s <= 0) return;
  // Requests running, averaged over the run.
  const double running = completed * *latency_ms / 1000 / *run.duration_s;
  const double most = std::min(completed, static_cast<double>(run.max_concurrency.value_or(*run.completed)));
  const double least_running = of_means ? 0.5 : 0.05;
  const double most_running = most * (of_means ? 1.5 : 3);
  const bool at_once = run.request_rate && std::isinf(*run.request_rate) && run.failed.value_or(0) == 0;
  const auto say = [&](bool unit, std::string_view which, std::string problem) {
    add_finding(run, unit ? Weight::invalid : Weight::disagreement, latency_words,
                fmt::format("{:g} ms", *latency_ms), fmt::format("{}{}", unit ? which : "", problem));
  };
  if (at_once && running < least_running) {
    say(running * 1000 >= least_running && running * 1000 <= most_running, "seconds taken for ms: ",
        fmt::format("{} requests of it, sent as fast as they may, last {:g} s in all, and the run {:g} s",
                    *run.completed, completed * *latency_ms / 1000, *run.duration_s));
  }
  if (running > most_running) {
    say(at_once && running / 1000 <= most_running && running / 1000 >= least_running,
        "ms taken for seconds: ",
        fmt::format("{} requests of it in {:g} s are {:g} at a time, and no more than {:g} may run",
                    *run.completed, *run.duration_s, running, most));
  }
}

std::string fingerprint(const Run& run) {
  if (!run.date.empty() && run.duration_s) return fmt::format("{}|{}", run.date, *run.duration_s);
  std::string all = fmt::format("{}|{}|{}", run.date, run.duration_s.value_or(0), run.model_id);
  for (const auto& [name, value] : run.metrics) all += fmt::format("|{}={}", name, value);
  for (const auto& [name, value] : run.tags) all += fmt::format("|{}={}", name, value);
  return all;
}

void mark_duplicates(std::vector<Run>& runs) {
  std::map<std::string, std::string> first;
  for (Run& run : runs) {
    const auto [place, fresh] = first.try_emplace(fingerprint(run), run.source);
    if (fresh) continue;
    add_finding(run, Weight::invalid, "date", run.date,
                run.date.empty() ? fmt::format("the same numbers as {}", place->second)
                                 : fmt::format("the same date and duration as {}", place->second));
  }
}

}  // namespace pageproof::results
