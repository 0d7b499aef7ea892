#include "reports/gonogo/gaps.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace pageproof::gonogo {
namespace {

constexpr double kMs = 1000;

// numpy's type 7; sorts what it needs of `values`.
double percentile(std::vector<double>& values, double share) {
  const double place = share * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(low);
  std::ranges::nth_element(values, at);
  if (low + 1 == values.size()) return *at;
  const double next = *std::min_element(at + 1, values.end());
  return *at + (place - static_cast<double>(low)) * (next - *at);
}

bool counts(const results::Detailed& all, std::size_t request) {
  return (all.succeeded.empty() || all.succeeded[request] != 0) && !all.start_s.empty();
}

// When first tokens came, in order.
std::vector<double> arrivals_of(const results::Detailed& all) {
  std::vector<double> arrivals;
  for (std::size_t i = 0; i < all.requests(); ++i) {
    if (counts(all, i)) arrivals.push_back(all.start_s[i] + all.ttft_s[i]);
  }
  std::ranges::sort(arrivals);
  return arrivals;
}

// Adds one request's gaps. `after_s`: how long after a gap a first token still counts. Its own first token,
// and those of the same step, are where its gaps begin and touch none of them.
void add_request(GapSplit& split, std::span<const double> gaps_s, double first_token_s,
                 std::span<const double> arrivals, double after_s) {
  double begin = first_token_s;
  const auto first = std::ranges::upper_bound(arrivals, begin);
  auto next = first;
  for (const double gap : gaps_s) {
    const double end = begin + gap;
    while (next != arrivals.end() && *next <= begin) ++next;
    if (next != arrivals.end() && *next <= end + after_s) {
      ++split.interfered;
      split.interfered_sum_ms += gap * kMs;
    } else {
      ++split.clean;
      split.clean_sum_ms += gap * kMs;
    }
    begin = end;
  }
  if (gaps_s.empty()) return;
  split.pairs += static_cast<std::size_t>(std::ranges::upper_bound(arrivals, begin + after_s) - first);
}

}  // namespace

double GapSplit::clean_mean_ms() const {
  return clean == 0 ? 0 : clean_sum_ms / static_cast<double>(clean);
}

double GapSplit::interfered_mean_ms() const {
  return interfered == 0 ? 0 : interfered_sum_ms / static_cast<double>(interfered);
}

double GapSplit::delta_ms() const {
  return clean == 0 || interfered == 0 ? 0 : interfered_mean_ms() - clean_mean_ms();
}

std::optional<double> GapSplit::arrival_ms() const {
  if (pairs == 0 || clean == 0) return std::nullopt;
  return (interfered_sum_ms - static_cast<double>(interfered) * clean_mean_ms()) / static_cast<double>(pairs);
}

double GapSplit::interfered_share() const {
  const std::size_t all = clean + interfered;
  return all == 0 ? 0 : static_cast<double>(interfered) / static_cast<double>(all);
}

std::optional<GapSplit> split_gaps(const results::Run& run) {
  if (!run.detailed || run.detailed->gap_begin.size() != run.detailed->requests() + 1) return std::nullopt;
  const results::Detailed& all = *run.detailed;
  std::vector<double> gaps;
  for (std::size_t i = 0; i < all.requests(); ++i) {
    if (!counts(all, i)) continue;
    const std::span<const double> own = all.gaps_of(i);
    gaps.insert(gaps.end(), own.begin(), own.end());
  }
  if (gaps.empty()) return std::nullopt;
  GapSplit split;
  split.p50_ms = percentile(gaps, 0.5) * kMs;
  split.p99_ms = percentile(gaps, 0.99) * kMs;
  const std::vector<double> arrivals = arrivals_of(all);
  for (std::size_t i = 0; i < all.requests(); ++i) {
    if (!counts(all, i)) continue;
    add_request(split, all.gaps_of(i), all.start_s[i] + all.ttft_s[i], arrivals, split.p50_ms / kMs);
  }
  return split;
}

GapSplit pooled(const std::vector<GapSplit>& runs) {
  GapSplit out;
  std::vector<double> p50;
  std::vector<double> p99;
  for (const GapSplit& run : runs) {
    out.clean += run.clean;
    out.interfered += run.interfered;
    out.pairs += run.pairs;
    out.clean_sum_ms += run.clean_sum_ms;
    out.interfered_sum_ms += run.interfered_sum_ms;
    p50.push_back(run.p50_ms);
    p99.push_back(run.p99_ms);
  }
  if (!runs.empty()) {
    out.p50_ms = percentile(p50, 0.5);
    out.p99_ms = percentile(p99, 0.5);
  }
  return out;
}

GapDifference difference(const std::string& setup, const GapSplit& one, const std::string& comparator,
                         const GapSplit& other) {
  GapDifference out{.setup = setup, .comparator = comparator};
  out.delta_ms = one.delta_ms() - other.delta_ms();
  if (one.arrival_ms() && other.arrival_ms()) out.arrival_ms = *one.arrival_ms() - *other.arrival_ms();
  out.p99_ms = one.p99_ms - other.p99_ms;
  return out;
}

}  // namespace pageproof::gonogo
