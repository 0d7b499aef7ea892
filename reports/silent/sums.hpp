// What is counted while pairs are judged: a Part for a thread's share of decode engines, Sums for all of
// them. Every sum is of whole numbers and every example the first in the order of the space, so that the
// result does not depend on which thread judged what.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "reports/silent/search.hpp"

namespace pageproof::silent {

// What the pairs with these features came to.
struct Looks {
  std::uint64_t right = 0;
  std::uint64_t wrong = 0;
  std::optional<PairId> first_right = {};
  std::optional<PairId> first_wrong = {};
};

// Reasons and checks as small numbers while a million pairs are counted; named when the counting is done.
struct Refusal {
  handshake::Reason reason = handshake::Reason::none;
  std::uint32_t check = 0;
  bool hash = false;

  auto operator<=>(const Refusal&) const = default;
};

// A thread's share of the sums.
struct Part {
  std::uint64_t pairs = 0;
  std::array<Counts, 4> counts = {};  // today, proposed, open, untagged
  std::array<Counts, 4> by_flags = {};
  std::map<Features, Looks> looks;
  std::map<Refusal, Tally> lost;
  std::map<std::pair<Refusal, handshake::Outcome>, Tally> mended;
  using Sides = std::tuple<const char*, const char*, handshake::Outcome>;
  std::map<Sides, Tally> gained;
  std::map<Sides, Tally> opened;
  std::vector<PairId> proposed_silent;
  std::vector<PairId> open_silent;
};

template <class Key>
void add(std::map<Key, Tally>& tallies, const Key& key, const PairId& id, std::uint64_t pairs = 1) {
  Tally& tally = tallies[key];
  if (tally.pairs == 0 || id < tally.first) tally.first = id;
  tally.pairs += pairs;
}

void keep_first(std::optional<PairId>& kept, const PairId& id);

// Sums of all threads, keyed as they were counted.
class Sums {
 public:
  void take(const Part& part);
  const Part& all() const { return all_; }

 private:
  std::mutex mutex_;
  Part all_;
};

// Fills in what the sums say, with reasons and backends by name.
void name_sums(const Part& sums, SilentSet& out);

}  // namespace pageproof::silent
