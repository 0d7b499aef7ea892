// A case of the planner: two engines, the blocks of a request, and a strategy. Everything about it can be
// said to `pageproof plan`, so a case prints as that command, ready for bash.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fuzz/generate/choices.hpp"
#include "fuzz/property/property.hpp"
#include "kernels/plan/request.hpp"
#include "model/page/plain/error.hpp"
#include "reports/plan/sides.hpp"

namespace pageproof::fuzz {

// Transfer groups of a request, and what regions serve them.
enum class Groups : std::uint8_t {
  one,
  overlaid,        // two, whose layers lie on one another: each region serves both, and ids stay region-major
  own,             // two, with every second layer each: ids are group-major
  own_and_shared,  // the same, and the last layer serves both
};

struct PlanCase {
  region::Engine local;
  region::Engine remote;
  Groups groups = Groups::one;
  plan::BlockGroups to;    // manager blocks, a list a group
  plan::BlockGroups from;  // as many or more: the first ones are a prefix hit
  plan::Strategy strategy = plan::Strategy::whole;
  plan::Staging staging;
};

// What a generator may choose from.
struct PlanExtent {
  std::uint64_t layers = 2;
  std::uint64_t heads = 3;         // of a rank
  std::uint64_t dim_granules = 1;  // D is 8 · (1..this)
  std::uint64_t blocks = 2;        // of a request
  std::uint64_t pool = 3;          // blocks of the smaller pool; the other has one more at least
  bool few_groups = false;         // of several groups the last alone may be a prefix hit, of fixed pools
  bool far = false;                // sometimes ids up to 2^31 and bases near 2^63
  bool conversions_only = false;   // halves and staged
};
const PlanExtent& plan_extent(Domain domain);
const PlanExtent& conversion_extent(Domain domain);  // D = 64, pools that fit in memory

// Layers that are stored: of overlaid ones, one for each group's together.
std::uint64_t stored_layers(const PlanCase& c);
// The transfer group of a stored layer, or plan::kShared.
std::int64_t group_of_layer(const PlanCase& c, std::uint64_t layer);
// Does a stored layer hold blocks of this list?
bool serves(const PlanCase& c, std::uint64_t layer, std::size_t list);

PlanCase make_plan_case(Choices& choices, const PlanExtent& extent);

// The two engines as plan_pair takes them. An Error is a fault of the generator or of the planner's adapter.
struct CasePair {
  handshake::EngineSide local;
  handshake::EngineSide remote;
  reports::PlannedPair planned;
};
Expected<CasePair> pair_of(const PlanCase& c);

std::string to_string(const PlanCase& c);
nlohmann::json to_json(const PlanCase& c);

}  // namespace pageproof::fuzz
