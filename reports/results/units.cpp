// Units by relations between values of one run: never by how large a value is.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "reports/results/statistics.hpp"
#include "reports/results/validity.hpp"

namespace pageproof::results {
namespace {

constexpr double kOneUnit = 1000;
constexpr double kFar = 30;      // no difference of lengths bends a relation as far
constexpr double kExact = 0.01;  // what rounding may bend a relation that holds exactly
constexpr double kMostTokensAChunk = 100;

// Every request has as many output tokens as it was asked for, so means add up exactly.
bool lengths_are_equal(const Run& run) {
  const std::string osl = run.tag("osl");
  return !osl.empty() && fmt::format("{}", static_cast<double>(*run.total_output_tokens) /
                                               static_cast<double>(*run.completed)) == osl;
}

// A whole request, in ms, as mean or median say it.
struct Latency {
  double ttft_ms = 0;
  double tpot_ms = 0;
  double gaps = 0;  // output tokens of a request, less the first
  double whole_ms = 0;
  std::string words = {};
  bool of_means = true;  // medians do not add up: they need more room
  bool exact = false;    // no length bends it
};

void add_finding_of(Run& run, bool invalid, std::string field, std::string value, std::string problem) {
  run.findings.push_back({invalid ? Weight::invalid : Weight::disagreement, std::move(field),
                          std::move(value), std::move(problem)});
}

// End-to-end latency = TTFT + gaps x TPOT.
void check_sum(Run& run, std::string_view statistic, const Latency& latency, double e2el, bool exact) {
  const auto name = [&](const char* of) { return fmt::format("{}_{}_ms", statistic, of); };
  const double sum = latency.ttft_ms + latency.gaps * latency.tpot_ms;
  const double ratio = e2el / sum;
  const bool far = ratio >= kFar || ratio <= 1 / kFar;
  if (!far && (!exact || std::abs(ratio - 1) <= kExact)) return;
  const auto holds = [&](double ttft, double tpot, double whole) {
    return std::abs(std::log(whole / (ttft + latency.gaps * tpot))) < (exact ? kExact : std::log(2));
  };
  bool mended_any = false;
  for (const double factor : {kOneUnit, 1 / kOneUnit}) {
    const std::array<std::pair<const char*, bool>, 3> places{
        {{"ttft", holds(latency.ttft_ms * factor, latency.tpot_ms, e2el)},
         {"tpot", holds(latency.ttft_ms, latency.tpot_ms * factor, e2el)},
         {"e2el", holds(latency.ttft_ms, latency.tpot_ms, e2el * factor)}}};
    for (const auto& [of, mended] : places) {
      if (!mended) continue;
      mended_any = true;
      add_finding_of(run, true, name(of), fmt::format("{}", *run.metric(name(of))),
                     fmt::format("{}: {} = {} + {:g} x {} holds with {:g} times it",
                                 factor > 1 ? "seconds taken for ms" : "not in ms", name("e2el"),
                                 name("ttft"), latency.gaps, name("tpot"), factor));
    }
  }
  if (mended_any) return;
  add_finding_of(run, true, name("e2el"), fmt::format("{}", e2el),
                 fmt::format("{} + {:g} x {} is {:g}", name("ttft"), latency.gaps, name("tpot"), sum));
}

// Requests running, averaged over the run: no more than may, and no fewer than must.
void check_running(Run& run, const Latency& latency) {
  const double completed = static_cast<double>(*run.completed);
  const auto running_with = [&](double whole_ms) { return completed * whole_ms / 1000 / *run.duration_s; };
  const double running = running_with(latency.whole_ms);
  const double most = std::min(completed, static_cast<double>(run.max_concurrency.value_or(*run.completed)));
  const double least_running = latency.of_means ? 0.5 : 0.05;
  const double most_running = most * (latency.exact ? 1.05 : latency.of_means ? 1.5 : 3);
  const bool at_once = run.request_rate && std::isinf(*run.request_rate) && run.failed.value_or(0) == 0;
  const std::string value = fmt::format("{:g} ms", latency.whole_ms);
  if (running > most_running) {
    const bool unit = running / kOneUnit <= most_running &&
                      (!at_once || running / kOneUnit >= least_running) && running > kFar * most_running;
    const bool proved = unit || latency.exact || !latency.of_means || running > kFar * most_running;
    add_finding_of(
        run, proved, latency.words, value,
        fmt::format("{}{} requests of it in {:g} s are {:g} at a time, and no more than {:g} may run",
                    unit ? "ms taken for seconds: " : "", *run.completed, *run.duration_s, running, most));
  }
  if (!at_once) return;
  if (running < least_running) {
    const double mended = running * kOneUnit;
    const bool unit = mended >= least_running && mended <= most_running;
    add_finding_of(
        run, unit, latency.words, value,
        fmt::format("{}{} requests of it, sent as fast as they may, last {:g} s in all, and the run {:g} s",
                    unit ? "seconds taken for ms: " : "", *run.completed, completed * latency.whole_ms / 1000,
                    *run.duration_s));
    return;
  }
  // As many run as may until the last has begun: the run lasts no longer than all latencies / most, and the
  // longest one, which is taken as ten times the average; half of that is left to the client.
  const double must_run = 0.5 * most / (1 + 10 * most / completed);
  const double mended = running_with(latency.ttft_ms + latency.gaps * latency.tpot_ms * kOneUnit);
  if (running >= must_run || mended < must_run || mended > most_running) return;
  add_finding_of(
      run, true, latency.of_means ? "mean_tpot_ms" : "median_tpot_ms", fmt::format("{}", latency.tpot_ms),
      fmt::format("seconds taken for ms: {:g} requests of {} run at a time, {:g} may, and with 1000 "
                  "times it {:g} do",
                  running, latency.words, most, mended));
}

// A chunk has a token or a few: its gap is TPOT or a few times that.
void check_chunks(Run& run) {
  if (run.of_arrays) return;
  constexpr std::string_view kTpot = "_tpot_ms";
  std::vector<Finding> found;
  for (const auto& [name, tpot] : run.metrics) {
    if (!name.ends_with(kTpot) || tpot <= 0) continue;
    const std::string statistic = name.substr(0, name.size() - kTpot.size());
    const std::string of_chunks = statistic + "_itl_ms";
    const auto itl = run.metric(of_chunks);
    const bool central = statistic == "mean" || statistic == "median";
    const bool ordered = central || (Statistic::named(statistic) && statistic.starts_with('p'));
    if (!itl || *itl <= 0 || !ordered) continue;
    const double ratio = *itl / tpot;
    const auto about = [&](double factor) { return std::abs(ratio / factor - 1) <= 0.02; };
    const bool equal = statistic == "mean" && run.total_output_tokens && lengths_are_equal(run);
    const bool unit = about(kOneUnit) || about(1 / kOneUnit);
    if (!unit && !(central && ratio > kMostTokensAChunk) && !(equal && ratio < 0.5)) continue;
    const char* why = unit        ? ": one of them is in another unit"
                      : ratio > 1 ? ": more than 100 tokens a chunk"
                                  : ": less than a token a chunk";
    found.push_back({Weight::invalid, name, fmt::format("{}", tpot),
                     fmt::format("{} is {}, {:g} times it{}", of_chunks, *itl, ratio, why)});
  }
  for (Finding& finding : found) run.findings.push_back(std::move(finding));
}

}  // namespace

void check_units(Run& run) {
  if (!has_requests(run) || run.completed.value_or(0) == 0) return;
  std::optional<Latency> whole;
  const double gaps =
      static_cast<double>(run.total_output_tokens.value_or(0)) / static_cast<double>(*run.completed) - 1;
  for (const char* statistic : {"mean", "median"}) {
    const auto name = [&](const char* of) { return fmt::format("{}_{}_ms", statistic, of); };
    const auto ttft = run.metric(name("ttft"));
    const auto tpot = run.metric(name("tpot"));
    const auto e2el = run.metric(name("e2el"));
    if (!ttft || !tpot || *ttft <= 0 || *tpot <= 0 || gaps <= 0) continue;
    Latency latency{.ttft_ms = *ttft, .tpot_ms = *tpot, .gaps = gaps};
    latency.of_means = std::string_view(statistic) == "mean";
    latency.exact = latency.of_means && (e2el || lengths_are_equal(run));
    latency.whole_ms = e2el.value_or(*ttft + gaps * *tpot);
    latency.words = e2el ? name("e2el") : fmt::format("{} + {:g} x {}", name("ttft"), gaps, name("tpot"));
    const bool sums_exactly = latency.of_means && !run.of_arrays && lengths_are_equal(run);
    if (e2el && *e2el > 0) check_sum(run, statistic, latency, *e2el, sums_exactly);
    if (!whole) whole = std::move(latency);
  }
  if (whole && run.valid() && run.duration_s && *run.duration_s > 0) check_running(run, *whole);
  check_chunks(run);
}

}  // namespace pageproof::results
