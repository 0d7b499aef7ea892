#include "reports/silent/causes.hpp"

#include <algorithm>
#include <bit>
#include <optional>

namespace pageproof::silent {
namespace {

using Bits = std::vector<std::uint64_t>;

Bits both(const Bits& a, const Bits& b) {
  Bits out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = a[i] & b[i];
  return out;
}

bool empty(const Bits& bits) {
  return std::ranges::all_of(bits, [](std::uint64_t word) { return word == 0; });
}

bool has(const Bits& bits, std::size_t i) {
  return (bits[i / 64] >> (i % 64) & 1) != 0;
}

// One kind of accepted pairs (right or wrong), and for each condition the pairs that meet it.
struct Universe {
  std::vector<const Seen*> members;
  std::vector<Bits> meeting;

  Universe(std::vector<const Seen*> all, std::span<const Condition> given) : members(std::move(all)) {
    for (const Condition& condition : given) {
      Bits bits((members.size() + 63) / 64);
      for (std::size_t i = 0; i < members.size(); ++i) {
        if (condition.holds(members[i]->features)) bits[i / 64] |= std::uint64_t{1} << (i % 64);
      }
      meeting.push_back(std::move(bits));
    }
  }
  Bits all() const {
    Bits bits((members.size() + 63) / 64, ~std::uint64_t{0});
    if (members.size() % 64 != 0) bits.back() = (std::uint64_t{1} << (members.size() % 64)) - 1;
    return bits;
  }
};

struct Conjunction {
  std::vector<std::size_t> conditions;
  Bits wrong;
};

// Every conjunction that is true of some wrong pair and of no right one, and has no such conjunction inside.
class Search {
 public:
  Search(const Universe& wrong, const Universe& right) : wrong_(wrong), right_(right) {
    for (std::size_t size = 1; size <= kMostConditions; ++size) {
      extend({}, wrong.all(), right.all(), size);
    }
  }
  std::vector<Conjunction> found;

 private:
  void extend(std::vector<std::size_t> chosen, const Bits& wrong, const Bits& right, std::size_t more) {
    if (more == 0) {
      if (empty(right) && !contains_smaller(chosen)) found.push_back({std::move(chosen), wrong});
      return;
    }
    if (empty(right)) return;  // pure already: found with fewer conditions
    for (std::size_t i = chosen.empty() ? 0 : chosen.back() + 1; i < wrong_.meeting.size(); ++i) {
      Bits narrower = both(wrong, wrong_.meeting[i]);
      if (empty(narrower)) continue;
      Bits fewer = both(right, right_.meeting[i]);
      if (fewer == right) continue;  // it excludes no right pair
      std::vector<std::size_t> next = chosen;
      next.push_back(i);
      extend(std::move(next), narrower, fewer, more - 1);
    }
  }
  // Without any one of its conditions, does a right pair slip in?
  bool contains_smaller(const std::vector<std::size_t>& chosen) const {
    for (std::size_t left_out = 0; chosen.size() > 1 && left_out < chosen.size(); ++left_out) {
      Bits right = right_.all();
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (i != left_out) right = both(right, right_.meeting[chosen[i]]);
      }
      if (empty(right)) return true;
    }
    return false;
  }

  const Universe& wrong_;
  const Universe& right_;
};

std::uint64_t weight(const Universe& universe, const Bits& bits) {
  std::uint64_t sum = 0;
  for (std::size_t word = 0; word < bits.size(); ++word) {
    for (std::uint64_t rest = bits[word]; rest != 0; rest &= rest - 1) {
      sum += universe.members[word * 64 + static_cast<std::size_t>(std::countr_zero(rest))]->wrong;
    }
  }
  return sum;
}

Bits without(const Bits& a, const Bits& b) {
  Bits out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = a[i] & ~b[i];
  return out;
}

// Greedy: the conjunction that covers most of what is left for each of its conditions; the first of equals,
// which are ordered by length.
std::vector<const Conjunction*> greedy(const Universe& universe, const std::vector<Conjunction>& candidates,
                                       Bits& left) {
  std::vector<const Conjunction*> chosen;
  while (!empty(left)) {
    const Conjunction* best = nullptr;
    std::uint64_t most = 0;
    for (const Conjunction& one : candidates) {
      const std::uint64_t covers = weight(universe, both(one.wrong, left));
      if (covers == 0) continue;
      if (best == nullptr || covers * best->conditions.size() > most * one.conditions.size()) {
        most = covers;
        best = &one;
      }
    }
    if (best == nullptr) break;
    chosen.push_back(best);
    left = without(left, best->wrong);
  }
  return chosen;
}

Bits covered_by_others(const std::vector<const Conjunction*>& chosen, std::size_t left_out,
                       std::size_t words) {
  Bits covered(words);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (i == left_out) continue;
    for (std::size_t word = 0; word < words; ++word) covered[word] |= chosen[i]->wrong[word];
  }
  return covered;
}

// The member that differs in the fewest ways; the first of equals.
std::size_t plainest_of(const Universe& universe, const Bits& among) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < universe.members.size(); ++i) {
    if (!has(among, i)) continue;
    const int here = differences(universe.members[i]->features);
    if (!best || here < differences(universe.members[*best]->features)) best = i;
  }
  return best.value_or(0);
}

}  // namespace

Cover causes_of(std::span<const Seen> seen, std::span<const Condition> given) {
  Cover cover;
  std::vector<const Seen*> wrong_ones;
  std::vector<const Seen*> right_ones;
  for (const Seen& one : seen) {
    if (one.right != 0) right_ones.push_back(&one);
    if (one.right != 0) {
      cover.inseparable += one.wrong;
    } else if (one.wrong != 0) {
      wrong_ones.push_back(&one);
    }
  }
  if (wrong_ones.empty()) return cover;
  const Universe wrong(std::move(wrong_ones), given);
  const Universe right(std::move(right_ones), given);
  const std::vector<Conjunction> candidates = Search(wrong, right).found;
  Bits left = wrong.all();
  std::vector<const Conjunction*> chosen = greedy(wrong, candidates, left);
  cover.uncovered = weight(wrong, left);
  // What later choices made superfluous goes.
  for (std::size_t i = chosen.size(); i-- > 0;) {
    const Bits others = covered_by_others(chosen, i, left.size());
    if (empty(without(chosen[i]->wrong, others)))
      chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Bits alone = without(chosen[i]->wrong, covered_by_others(chosen, i, left.size()));
    const std::size_t plainest = plainest_of(wrong, empty(alone) ? chosen[i]->wrong : alone);
    cover.causes.push_back({.conditions = chosen[i]->conditions,
                            .pairs = weight(wrong, chosen[i]->wrong),
                            .alone = weight(wrong, alone),
                            .example = static_cast<std::size_t>(wrong.members[plainest] - seen.data())});
  }
  std::ranges::sort(cover.causes, [](const Cause& a, const Cause& b) {
    return a.pairs != b.pairs ? a.pairs > b.pairs : a.conditions < b.conditions;
  });
  return cover;
}

}  // namespace pageproof::silent
