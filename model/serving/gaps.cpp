#include "model/serving/gaps.hpp"

namespace pageproof::serving {

void GapHistogram::make_room(std::size_t at) {
  constexpr std::size_t octave = std::size_t{1} << kBits;
  const std::size_t from = at / octave * octave;
  if (counts_.empty()) from_ = from;
  if (from < from_) {
    counts_.insert(counts_.begin(), from_ - from, 0);
    from_ = from;
  }
  if (at - from_ >= counts_.size()) counts_.resize(from + octave - from_);
}

void GapHistogram::add(const GapHistogram& other) {
  if (other.counts_.empty()) return;
  make_room(other.from_);
  make_room(other.from_ + other.counts_.size() - 1);
  for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[other.from_ - from_ + i] += other.counts_[i];
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
  double last = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const double here = static_cast<double>(counts_[i]);
    if (here == 0) continue;
    const double low = lower_edge(from_ + i), high = lower_edge(from_ + i + 1);
    if (rank < before + here) return low + (high - low) * (rank - before + 0.5) / here;
    before += here;
    last = high;
  }
  return last;
}

}  // namespace pageproof::serving
