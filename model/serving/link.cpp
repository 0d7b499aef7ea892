#include "model/serving/link.hpp"

#include <algorithm>

namespace pageproof::serving {

double Wire::begin(double now, std::uint64_t request, const ReadCost& cost) {
  const std::uint64_t order = begun_++;
  if (link_.use == LinkUse::serial) {
    const double start = shared_ ? std::max(now, free_) : now;
    const double posted = start + cost.post_seconds;
    free_ = posted + cost.wire_seconds;
    postings_.push({free_, order, request, 0});
    set_upcoming();
    return posted;
  }
  const double posted = now + cost.post_seconds;
  postings_.push({posted, order, request, cost.bytes});
  set_upcoming();
  return posted;
}

double Wire::flow_end() const {
  const double sharing = shared_ ? static_cast<double>(flows_.size()) : 1;
  return now_ + std::max(0.0, flows_.top().leaves - clock_) * sharing / link_.bytes_per_second;
}

void Wire::set_upcoming() {
  upcoming_ = kNever;
  if (!postings_.empty()) upcoming_ = postings_.top().at;
  if (!flows_.empty()) upcoming_ = std::min(upcoming_, flow_end());
}

void Wire::advance(double now, std::vector<std::pair<double, std::uint64_t>>& ended) {
  while (upcoming_ <= now) {
    const double at = upcoming_;
    if (link_.use == LinkUse::serial) {
      ended.emplace_back(at, postings_.top().request);
      postings_.pop();
      set_upcoming();
      continue;
    }
    const bool leaves = !flows_.empty() && flow_end() <= at;
    if (!flows_.empty()) {
      const double sharing = shared_ ? static_cast<double>(flows_.size()) : 1;
      clock_ += (at - now_) * link_.bytes_per_second / sharing;
    }
    now_ = at;
    if (leaves) {
      clock_ = std::max(clock_, flows_.top().leaves);
      ended.emplace_back(at, flows_.top().request);
      flows_.pop();
      if (flows_.empty()) clock_ = 0;  // so that the clock keeps its resolution
    } else {
      flows_.push({clock_ + postings_.top().bytes, postings_.top().order, postings_.top().request});
      postings_.pop();
    }
    set_upcoming();
  }
}

}  // namespace pageproof::serving
