#include "reports/identify/search.hpp"

#include <algorithm>
#include <tuple>

#include "reports/identify/measure.hpp"
#include "reports/identify/moved.hpp"
#include "reports/identify/overlay.hpp"

namespace pageproof::reports {
namespace {

constexpr std::size_t kFinalists = 3;  // counted on all bytes where nothing holds
constexpr double kClose = 0.1;         // share of a sample

// K at the places of the one and V at the places of the other: do they share no byte of the dump?
bool fit_together(const Candidate& key, const Candidate& value) {
  if (key.arrangement != value.arrangement || key.grouping.file_tokens != value.grouping.file_tokens) {
    return false;
  }
  const Placing& k = key.placing;
  const Placing& v = value.placing;
  if (!k.of(Side::key).present || !v.of(Side::value).present) return true;  // stores that overlap anyway
  std::vector<bool> taken(2 * k.slot_bytes);
  bool apart = true;
  const auto each_byte = [](const Placing& at, Side side, const auto& visit) {
    for (std::uint64_t h = 0; h < at.of(side).head.size(); ++h) {
      for (std::uint64_t t = 0; t < at.of(side).token.size(); ++t) {
        for (std::uint64_t a = 0; a < at.row_atoms(); ++a) {
          for (std::uint64_t i = 0; i < at.atom_bytes; ++i) visit(at.position(side, h, t, a) + i);
        }
      }
    }
  };
  each_byte(k, Side::key, [&](std::uint64_t byte) { taken[byte] = true; });
  each_byte(v, Side::value, [&](std::uint64_t byte) { apart = apart && !taken[byte]; });
  return apart;
}

class Search {
 public:
  Search(const Scene& scene, const IdentifyOptions& options, Identification& result)
      : scene_(scene), options_(options), result_(result), measure_(scene) {}

  void run() {
    Candidates all = enumerate(scene_, options_.formats);
    result_.not_applicable = std::move(all.not_applicable);
    result_.candidates = std::move(all.list);
    measure(0);
    if (!explained()) {
      // Formats are looked for under accidents only where none of them is the answer.
      const std::span<const Candidate> known = result_.candidates;
      std::vector<Candidate> more = overlays_that_hold(scene_, known);
      const std::size_t overlays = more.size();
      if (!std::ranges::any_of(more, &Candidate::both_hold)) {
        std::ranges::move(moved_candidates(scene_, known), std::back_inserter(more));
      }
      const std::size_t first_moved = result_.candidates.size() + overlays;
      std::ranges::move(more, std::back_inserter(result_.candidates));
      measure(first_moved);
    }
    collect();
    judge();
    if (result_.verdict == Verdict::unexplained) find_closest();
  }

 private:
  std::vector<Candidate>& candidates() { return result_.candidates; }

  void measure(std::size_t begin) {
    for (std::size_t i = begin; i < candidates().size(); ++i) {
      Candidate& candidate = candidates()[i];
      measure_.sample(candidate);
      for (const Side side : {Side::key, Side::value}) {
        if (Measure::survives(candidate.of(side))) measure_.count(candidate, side);
      }
      if (!options_.diligence.both_sides) candidate.of(Side::value) = candidate.of(Side::key);
      if (!options_.diligence.all_candidates && candidate.both_hold()) {
        candidates().resize(i + 1);
        return;
      }
    }
  }

  bool explained() const {
    const auto plain_side = [&](Side side) {
      return std::ranges::any_of(result_.candidates, [&](const Candidate& candidate) {
        return candidate.plain() && candidate.of(side).holds();
      });
    };
    return std::ranges::any_of(result_.candidates, &Candidate::both_hold) ||
           (plain_side(Side::key) && plain_side(Side::value));
  }

  Likeness likeness(const Candidate& first, const Candidate& other, std::span<const Side> sides) const {
    const bool same =
        std::ranges::all_of(sides, [&](Side side) { return same_bytes(first, other, side, scene_); });
    if (!same) return Likeness::same_data;
    const auto order = [](const Candidate& candidate, Side side) {
      page::DigitOrder digits = side == Side::key ? candidate.format->key : candidate.format->value;
      // Planes, one slot each, are a page whose outermost digit is the side.
      const bool planes = candidate.format->regions == page::Regions::planes;
      if (planes) digits.insert(digits.begin(), page::Digit{page::Axis::side});
      return page::normal_form(digits);
    };
    const bool same_order =
        first.accident == other.accident && first.arrangement == other.arrangement &&
        std::ranges::all_of(sides, [&](Side side) { return order(first, side) == order(other, side); });
    return same_order ? Likeness::same_order : Likeness::same_place;
  }

  // Indices of those that hold, formats before accidents, the expected one first.
  std::vector<std::size_t> ordered(const auto& holds) const {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < result_.candidates.size(); ++i) {
      if (holds(result_.candidates[i])) indices.push_back(i);
    }
    const auto rank = [&](std::size_t i) {
      const Candidate& candidate = result_.candidates[i];
      const bool wanted = options_.expected != nullptr && candidate.format->tag == options_.expected->tag;
      return std::tuple(!candidate.plain(), candidate.accident == Accident::other_tokens, !wanted, i);
    };
    std::ranges::sort(indices, {}, rank);
    return indices;
  }

  std::vector<Answer> answered(std::span<const std::size_t> indices, std::span<const Side> sides) const {
    std::vector<Answer> answers;
    for (const std::size_t i : indices) {
      const Likeness how = answers.empty() ? Likeness::first
                                           : likeness(result_.candidates[answers.front().candidate],
                                                      result_.candidates[i], sides);
      answers.push_back({i, how});
    }
    return answers;
  }

  void collect() {
    const std::array<Side, 2> both{Side::key, Side::value};
    result_.answers = answered(ordered([](const Candidate& c) { return c.both_hold(); }), both);
    for (const Side side : both) {
      const std::array<Side, 1> only{side};
      const std::size_t s = static_cast<std::size_t>(side);
      result_.side_answers[s] =
          answered(ordered([&](const Candidate& c) { return c.of(side).holds(); }), only);
    }
  }

  void find_closest() {
    const std::array<Side, 2> both{Side::key, Side::value};
    result_.closest = closest(both);
    for (const Side side : both) {
      const std::size_t s = static_cast<std::size_t>(side);
      const std::array<Side, 1> only{side};
      if (result_.side_answers[s].empty() && !result_.side_answers[1 - s].empty()) {
        result_.closest_of_side[s] = closest(only);
      }
    }
  }

  // Of those that speak of all these sides, the one with most bytes in place: a few finalists are counted on
  // all bytes.
  std::optional<std::size_t> closest(std::span<const Side> sides) {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < candidates().size(); ++i) {
      const Candidate& candidate = candidates()[i];
      const bool speaks = candidate.written == 1 &&
                          std::ranges::all_of(sides, [&](Side side) { return candidate.of(side).judged; });
      if (speaks) indices.push_back(i);
    }
    const auto share = [&](std::size_t i) {
      double sum = 0;
      for (const Side side : sides) sum += candidates()[i].of(side).share();
      return -sum;
    };
    std::ranges::sort(indices, {}, [&](std::size_t i) { return std::pair(share(i), i); });
    if (indices.empty()) return std::nullopt;
    // Where even the best sample is poor, nothing is close, and counting several would only say which is
    // least far.
    const bool close = share(indices.front()) < -kClose * static_cast<double>(sides.size());
    indices.resize(std::min(indices.size(), close ? kFinalists : std::size_t{1}));
    for (const std::size_t i : indices) {
      for (const Side side : sides) {
        if (!candidates()[i].of(side).all_bytes) measure_.count(candidates()[i], side);
      }
    }
    return *std::ranges::min_element(indices, {}, share);
  }

  void judge() {
    // The format at the reference's own N, where one holds; else at another.
    const auto accident = [&](const Answer& answer) { return candidates()[answer.candidate].accident; };
    const auto format = [&](const Answer& answer) {
      return candidates()[result_.answers.front().candidate].accident == accident(answer);
    };
    const bool any = !result_.answers.empty() && candidates()[result_.answers.front().candidate].plain();
    const bool apart = any && std::ranges::any_of(result_.answers, [&](const Answer& answer) {
                         if (answer.likeness == Likeness::same_data) return true;
                         return answer.likeness == Likeness::same_place && format(answer);
                       });
    if (any) {
      // Accidents and other N that leave the same bytes are no other answer; those that this data hides are.
      result_.verdict = apart ? Verdict::ambiguous : Verdict::identified;
    } else if (!result_.answers.empty()) {
      result_.verdict = Verdict::accident;
    } else {
      pair_sides();
    }
  }

  // K by one candidate and V by another, where their places share no byte.
  void pair_sides() {
    std::array<std::vector<std::size_t>, 2> kept;
    for (const Answer& key : result_.side_answers[0]) {
      for (const Answer& value : result_.side_answers[1]) {
        if (!fit_together(candidates()[key.candidate], candidates()[value.candidate])) continue;
        for (const auto& [side, index] : {std::pair{0, key.candidate}, std::pair{1, value.candidate}}) {
          auto& list = kept[static_cast<std::size_t>(side)];
          if (std::ranges::find(list, index) == list.end()) list.push_back(index);
        }
      }
    }
    if (kept[0].empty()) return;
    for (const Side side : {Side::key, Side::value}) {
      const std::size_t s = static_cast<std::size_t>(side);
      // In the order of the side's answers, which puts formats first.
      std::erase_if(result_.side_answers[s], [&](const Answer& answer) {
        return std::ranges::find(kept[s], answer.candidate) == kept[s].end();
      });
      std::vector<std::size_t> indices;
      for (const Answer& answer : result_.side_answers[s]) indices.push_back(answer.candidate);
      const std::array<Side, 1> only{side};
      result_.side_answers[s] = answered(indices, only);
    }
    const auto formats = [&](std::size_t s) {
      return candidates()[result_.side_answers[s].front().candidate].plain();
    };
    result_.verdict = formats(0) && formats(1) ? Verdict::sides_differ : Verdict::accident;
  }

  const Scene& scene_;
  const IdentifyOptions& options_;
  Identification& result_;
  Measure measure_;
};

}  // namespace

void search(const Scene& scene, const IdentifyOptions& options, Identification& result) {
  Search(scene, options, result).run();
}

}  // namespace pageproof::reports
