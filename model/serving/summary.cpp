#include "model/serving/summary.hpp"

#include <algorithm>
#include <cmath>

#include "model/serving/refusal.hpp"

namespace pageproof::serving {
namespace {

constexpr double kMs = 1e3;

// Type 7 over the sorted values.
double percentile(const std::vector<double>& sorted, double share) {
  const double rank = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (sorted[below + 1] - sorted[below]) * (rank - static_cast<double>(below));
}

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  std::ranges::sort(values);
  return {mean,
          percentile(values, 0.5),
          std::sqrt(squares / static_cast<double>(values.size())),
          percentile(values, 0.9),
          percentile(values, 0.99),
          percentile(values, 0.999)};
}

// Gaps of kept steps: a length, and how many requests had it. Type 7 over each as often.
Spread exact_gaps(const Simulation& run) {
  std::vector<std::pair<double, std::uint64_t>> steps;
  std::uint64_t count = 0;
  double sum = 0, squares = 0;
  for (const auto& decoder : run.kept) {
    for (const StepRecord& step : decoder) {
      const std::uint64_t gaps = step.batch - step.joins;
      if (gaps == 0) continue;
      steps.emplace_back(step.seconds * kMs, gaps);
      count += gaps;
      sum += step.seconds * kMs * static_cast<double>(gaps);
    }
  }
  if (count == 0) return {};
  const double mean = sum / static_cast<double>(count);
  for (const auto& [value, gaps] : steps)
    squares += (value - mean) * (value - mean) * static_cast<double>(gaps);
  std::ranges::sort(steps);
  const auto at = [&](std::uint64_t rank) {
    std::uint64_t before = 0;
    for (const auto& [value, gaps] : steps) {
      if (rank < before + gaps) return value;
      before += gaps;
    }
    return steps.back().first;
  };
  const auto share = [&](double of) {
    const double rank = of * static_cast<double>(count - 1);
    const auto below = static_cast<std::uint64_t>(rank);
    const double low = at(below), high = at(std::min(below + 1, count - 1));
    return low + (high - low) * (rank - static_cast<double>(below));
  };
  return {mean,       share(0.5),  std::sqrt(squares / static_cast<double>(count)),
          share(0.9), share(0.99), share(0.999)};
}

Spread counted_gaps(const GapHistogram& gaps) {
  return {gaps.mean() * kMs,          gaps.percentile(0.5) * kMs,  gaps.deviation() * kMs,
          gaps.percentile(0.9) * kMs, gaps.percentile(0.99) * kMs, gaps.percentile(0.999) * kMs};
}

Gaps group_of(const GapHistogram& gaps) {
  return {gaps.count(), gaps.mean() * kMs, gaps.percentile(0.5) * kMs, gaps.percentile(0.99) * kMs};
}

void set_batch(const std::vector<double>& seconds, Summary& out) {
  double total = 0, weighted = 0, seen = 0;
  for (std::size_t batch = 1; batch < seconds.size(); ++batch) {
    total += seconds[batch];
    weighted += seconds[batch] * static_cast<double>(batch);
  }
  if (total == 0) return;
  out.batch_mean = weighted / total;
  for (std::size_t batch = 1; batch < seconds.size(); ++batch) {
    seen += seconds[batch];
    out.batch_p10 = static_cast<double>(batch);
    if (seen >= 0.1 * total) return;
  }
}

std::uint64_t most_in_one_second(const Simulation& run) {
  const double origin = run.requests.front().start;
  std::vector<std::pair<double, int>> changes;
  for (const RequestRecord& one : run.requests) {
    changes.emplace_back(std::floor(one.start - origin), 1);
    changes.emplace_back(std::floor(one.finish - origin) + 1, -1);
  }
  std::ranges::sort(changes);  // leaves before comes, in one second
  std::int64_t now = 0, most = 0;
  for (const auto& [second, change] : changes) most = std::max(most, now += change);
  return static_cast<std::uint64_t>(most);
}

}  // namespace

std::string_view to_string(Part part) {
  constexpr std::array<std::string_view, kParts> names = {
      "prefill wait", "prefill", "handover", "transfer", "notice", "conversion", "schedule", "first step"};
  return names[static_cast<std::size_t>(part)];
}

std::array<double, kParts> parts_of(const RequestRecord& r) {
  return {r.prefill_start - r.start,    r.prefill_end - r.prefill_start,
          r.read_start - r.prefill_end, r.read_end - r.read_start,
          r.noticed - r.read_end,       r.converted - r.noticed + r.stall,
          r.joined - r.converted,       r.first_token - r.joined - r.stall};
}

double tpot_seconds(const RequestRecord& request) {
  if (request.output_tokens < 2) return 0;
  return (request.finish - request.first_token) / (request.output_tokens - 1);
}

std::vector<double> gaps_of(const Simulation& run, const RequestRecord& request) {
  std::vector<double> gaps;
  gaps.reserve(request.output_tokens - 1);
  const std::vector<StepRecord>& steps = run.kept[request.decoder];
  for (std::uint32_t token = 1; token < request.output_tokens; ++token) {
    gaps.push_back(steps[request.first_step + token].seconds);
  }
  return gaps;
}

Summary summarize(const Simulation& run, const Objectives& objectives, std::uint32_t prefill_servers) {
  Summary out{.requests = run.requests.size(), .duration_s = run.duration};
  std::vector<double> ttft, tpot, e2el;
  std::array<std::vector<double>, kParts> parts;
  std::uint64_t good = 0;
  for (const RequestRecord& one : run.requests) {
    out.input_tokens += one.input_tokens;
    out.output_tokens += one.output_tokens;
    ttft.push_back((one.first_token - one.start) * kMs);
    e2el.push_back((one.finish - one.start) * kMs);
    const double per_token = tpot_seconds(one) * kMs;
    if (one.output_tokens > 1) tpot.push_back(per_token);
    good += ttft.back() <= objectives.ttft_ms.value_or(kNever) &&
            per_token <= objectives.tpot_ms.value_or(kNever) &&
            e2el.back() <= objectives.e2el_ms.value_or(kNever);
    const std::array<double, kParts> split = parts_of(one);
    for (std::size_t i = 0; i < kParts; ++i) parts[i].push_back(split[i] * kMs);
    out.post_ms += (one.read_posted - one.read_start) * kMs;
    out.client_queue_ms += (one.start - one.arrival) * kMs;
  }
  const double count = static_cast<double>(run.requests.size());
  out.post_ms /= count;
  out.client_queue_ms /= count;
  out.ttft_ms = spread_of(std::move(ttft));
  out.tpot_ms = spread_of(std::move(tpot));
  out.e2el_ms = spread_of(std::move(e2el));
  for (std::size_t i = 0; i < kParts; ++i) out.parts_ms[i] = spread_of(std::move(parts[i]));
  if (run.kept.empty()) {
    GapHistogram all = run.clean;
    all.add(run.interfered);
    out.itl_ms = counted_gaps(all);
  } else {
    out.itl_ms = exact_gaps(run);
  }
  out.clean = group_of(run.clean);
  out.interfered = group_of(run.interfered);
  out.batch_steady = std::ranges::any_of(run.steady_seconds, [](double seconds) { return seconds > 0; });
  set_batch(out.batch_steady ? run.steady_seconds : run.batch_seconds, out);
  out.good_per_s = static_cast<double>(good) / run.duration;
  out.prefill_tokens_per_s =
      run.prefill_busy_seconds > 0 ? static_cast<double>(run.prefilled_tokens) / run.prefill_busy_seconds : 0;
  out.prefill_busy = run.prefill_busy_seconds / (run.duration * prefill_servers);
  out.joins_a_step = static_cast<double>(run.steps_with_join) / static_cast<double>(run.steps);
  out.conversions_a_step = static_cast<double>(run.steps_with_conversion) / static_cast<double>(run.steps);
  out.steps = run.steps;
  out.most_tokens_a_second = run.most_tokens_a_second;
  out.most_concurrent = most_in_one_second(run);
  out.capacity_waits = run.capacity_waits;
  out.preemption_risks = run.preemption_risks;
  out.most_kv_tokens = run.most_kv_tokens;
  return out;
}

}  // namespace pageproof::serving
