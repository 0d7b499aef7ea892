#include "reports/results/client.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "reports/results/statistics.hpp"

namespace pageproof::results {
namespace {

// The step that yields a first token is longer than most, and the client's clock sees both of its ends late.
constexpr double kStepAndJitter = 1.5;

bool has_clock(const Detailed& detailed) {
  return !detailed.start_s.empty() &&
         std::ranges::any_of(detailed.succeeded, [](std::uint8_t succeeded) { return succeeded != 0; });
}

GapGroup group_of(std::vector<double>& gaps_ms) {
  GapGroup group{.count = gaps_ms.size()};
  if (gaps_ms.empty()) return group;
  group.mean_ms = mean(gaps_ms);
  group.p50_ms = percentile(gaps_ms, 50);
  group.p99_ms = percentile(gaps_ms, 99);
  return group;
}

}  // namespace

std::optional<DecodeBatch> decode_batch(const Detailed& detailed) {
  if (!has_clock(detailed)) return {};
  std::vector<std::pair<double, int>> changes;  // time, +1 or -1
  for (std::size_t i = 0; i < detailed.requests(); ++i) {
    const double first = detailed.start_s[i] + detailed.ttft_s[i];
    const double last = detailed.start_s[i] + detailed.latency_s[i];
    if (detailed.succeeded[i] == 0 || last <= first) continue;
    changes.emplace_back(first, 1);
    changes.emplace_back(last, -1);
  }
  if (changes.empty()) return {};
  std::ranges::sort(changes);
  std::vector<double> seconds_at(changes.size() / 2 + 1, 0.0);  // by requests running
  std::size_t running = 0;
  DecodeBatch batch{.seconds = changes.back().first - changes.front().first};
  double weighted = 0;
  for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
    running = changes[i].second > 0 ? running + 1 : running - 1;
    const double seconds = changes[i + 1].first - changes[i].first;
    seconds_at[running] += seconds;
    weighted += static_cast<double>(running) * seconds;
    batch.most = std::max(batch.most, running);
  }
  batch.mean = weighted / batch.seconds;
  const auto share = [&](double part) {
    double seconds = 0;
    for (std::size_t n = 0; n < seconds_at.size(); ++n) {
      seconds += seconds_at[n];
      if (seconds >= part * batch.seconds) return n;
    }
    return batch.most;
  };
  batch.p10 = share(0.1);
  batch.median = share(0.5);
  return batch;
}

std::optional<double> decode_batch_by_rate(const Run& run) {
  const auto rate = run.metric("output_throughput");
  auto tpot = run.metric("mean_tpot_ms");
  if (!tpot) tpot = run.metric("median_tpot_ms");
  if (!rate || !tpot) return {};
  return *rate * *tpot / 1000;
}

std::optional<GapSplit> split_gaps(const Detailed& detailed, std::optional<double> step_s) {
  if (!has_clock(detailed)) return {};
  std::vector<double> first_tokens;
  for (std::size_t i = 0; i < detailed.requests(); ++i) {
    if (detailed.succeeded[i] != 0) first_tokens.push_back(detailed.start_s[i] + detailed.ttft_s[i]);
  }
  std::ranges::sort(first_tokens);
  if (!step_s) {
    std::vector<double> gaps;
    for (std::size_t i = 0; i < detailed.requests(); ++i) {
      if (detailed.succeeded[i] != 0) std::ranges::copy(detailed.gaps_of(i), std::back_inserter(gaps));
    }
    step_s = gaps.empty() ? 0 : kStepAndJitter * percentile(gaps, 50);
  }
  std::vector<double> clean;
  std::vector<double> interfered;
  std::size_t arrivals = 0;
  for (std::size_t i = 0; i < detailed.requests(); ++i) {
    if (detailed.succeeded[i] == 0) continue;
    double begin = detailed.start_s[i] + detailed.ttft_s[i];
    // Its own first token is where its first gap begins, and so in none.
    const auto own = std::ranges::upper_bound(first_tokens, begin);
    auto next = own;
    for (const double gap : detailed.gaps_of(i)) {
      while (next != first_tokens.end() && *next <= begin) ++next;
      const double end = begin + gap;
      const bool hit = next != first_tokens.end() && *next <= end + *step_s;
      (hit ? interfered : clean).push_back(gap * 1000);
      begin = end;
    }
    if (detailed.gaps_of(i).empty()) continue;
    arrivals += static_cast<std::size_t>(std::ranges::upper_bound(first_tokens, begin + *step_s) - own);
  }
  return GapSplit{.step_ms = *step_s * 1000,
                  .clean = group_of(clean),
                  .interfered = group_of(interfered),
                  .arrivals = arrivals};
}

}  // namespace pageproof::results
