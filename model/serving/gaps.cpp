#include "model/serving/gaps.hpp"

namespace pageproof::serving {

void GapHistogram::add(const GapHistogram& other) {
  if (other.count_ == 0) return;
  if (counts_.empty()) counts_.resize(kClasses);
  for (std::size_t at = other.first_; at <= other.last_; ++at) counts_[at] += other.counts_[at];
  first_ = std::min(first_, other.first_);
  last_ = std::max(last_, other.last_);
  count_ += other.count_;
  sum_ += other.sum_;
  squares_ += other.squares_;
}

double GapHistogram::deviation() const {
  if (count_ == 0) return 0;
  return std::sqrt(std::max(0.0, squares_ / static_cast<double>(count_) - mean() * mean()));
}

double GapHistogram::lower_edge(std::size_t at) {
  const std::int64_t from = static_cast<std::int64_t>(kLeast) << kBits;
  return std::bit_cast<double>((static_cast<std::int64_t>(at) + from) << (52 - kBits));
}

double GapHistogram::percentile(double share) const {
  if (count_ == 0) return 0;
  const double rank = share * static_cast<double>(count_ - 1);
  double before = 0;
  for (std::size_t at = first_; at <= last_; ++at) {
    const double here = static_cast<double>(counts_[at]);
    if (here > 0 && rank < before + here) {
      return lower_edge(at) + (lower_edge(at + 1) - lower_edge(at)) * (rank - before + 0.5) / here;
    }
    before += here;
  }
  return lower_edge(last_ + 1);
}

}  // namespace pageproof::serving
