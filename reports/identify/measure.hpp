// How much of a dump is where a candidate says. A sample discards (one byte out of place is conclusive); what
// a sample leaves is counted on all bytes, and only that may be claimed.
#pragma once

#include <map>
#include <vector>

#include "reports/identify/candidate.hpp"

namespace pageproof::reports {

class Measure {
 public:
  explicit Measure(const Scene& scene);

  // Judges the candidate's sides on the same places of the reference for every candidate.
  void sample(Candidate& candidate);
  // Judges one side on all bytes of all paired blocks. Equal lists are counted once.
  void count(Candidate& candidate, Side side);

  // Has the sample left this side standing?
  static bool survives(const Finding& finding) {
    return finding.judged && finding.count.in_place == finding.count.tested;
  }

 private:
  struct Sample {
    std::uint64_t block, head, token, byte;  // random numbers, taken modulo what there is
  };
  // Of the pairs, those whose blocks can tell formats apart; all where none can.
  const std::vector<std::uint32_t>& telling(const std::shared_ptr<const PairLists>& pairs, Side side);

  const Scene& scene_;
  std::vector<Sample> samples_;
  std::map<std::pair<const PairLists*, Side>, std::vector<std::uint32_t>> telling_;
  std::vector<std::shared_ptr<const PairLists>> kept_;  // so that no pointer above is used twice
  std::map<std::vector<std::uint64_t>, Finding> counted_;
};

// Bytes of a block's places compared: the number of places in a sample.
inline constexpr std::size_t kSamples = 2048;

}  // namespace pageproof::reports
