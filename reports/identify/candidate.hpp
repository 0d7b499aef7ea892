// What may have happened between the reference and the dump: a catalogue format, or one of the accidents that
// happen on the way to one. A candidate says where every element would lie; what is then found is counted for
// K and V apart.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "reports/identify/moves.hpp"
#include "reports/identify/scene.hpp"

namespace pageproof::reports {

enum class Accident : std::uint8_t {
  none,
  other_tokens,      // the format at another N: blocks regrouped
  other_granule,     // x as if elements had another size
  other_elements,    // rows read as elements of another size
  planes_exchanged,  // each side in the other's slot
  data_exchanged,    // V's data where K belongs, K's where V belongs
  orders_exchanged,  // K in V's order, V in K's
  halves_exchanged,  // of a page or of a landing
  landed,            // byte halves never converted
  converted_twice,
  misread,            // pages read as another page format, then written
  blocks_moved,       // the format, block ids permuted or shifted
  block_stride,       // b·S for b·2S or the reverse
  foreign_strides,    // strides of another layout
  head_term_missing,  // every head stored at head 0's place
};

std::string_view name(Accident accident);  // "landed", "block_stride"

// What was found of one side.
struct Finding {
  bool judged = false;     // the candidate says something of this side
  bool all_bytes = false;  // counted on all of them; else on a sample
  Count count;

  bool holds() const { return judged && all_bytes && count.tested > 0 && count.in_place == count.tested; }
  double share() const {
    return count.tested == 0 ? 0 : static_cast<double>(count.in_place) / static_cast<double>(count.tested);
  }
};

// Positions of blocks of both dumps, K's and V's apart (they differ only where sides moved apart).
using PairLists = std::array<std::vector<BlockPair>, 2>;

struct Candidate {
  const page::PageFormat* format = nullptr;
  Accident accident = Accident::none;
  std::string words;  // "aiter-shuffled: landed, never converted"
  Arrangement arrangement = Arrangement::side_by_side;
  Grouping grouping;
  Placing placing;  // empty tables for accidents whose stores overlap
  std::shared_ptr<const PairLists> pairs;
  bool upon_each_other = false;  // its K and V stores share bytes and are judged as one
  double written = 1;            // share of the dump's bytes that it says anything about
  std::string detail = {};       // learned from the data: "head 7 is what lies there"
  std::array<Finding, 2> found = {};

  Finding& of(Side side) { return found[static_cast<std::size_t>(side)]; }
  const Finding& of(Side side) const { return found[static_cast<std::size_t>(side)]; }
  bool plain() const { return accident == Accident::none || accident == Accident::other_tokens; }
  bool both_hold() const {
    // Of stores that fall upon each other, one side may leave nothing.
    if (upon_each_other) return found[0].holds() || found[1].holds();
    return found[0].holds() && found[1].holds();
  }
};

struct NotApplicable {
  std::string tag;
  std::string rule;  // the rule and the values that break it
};

struct Candidates {
  std::vector<Candidate> list;
  std::vector<NotApplicable> not_applicable;
};

// Every format of the catalogue and every accident that moves whole elements one to one.
Candidates enumerate(const Scene& scene, std::span<const page::PageFormat> formats);

// Do both put that side's elements at the same bytes of the dump? False for accidents whose stores overlap.
bool same_bytes(const Candidate& a, const Candidate& b, Side side, const Scene& scene);

}  // namespace pageproof::reports
