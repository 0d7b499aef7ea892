// The symbols of a page: every size of a shape and every digit of one coordinate. An axis is cut where the
// orders under proof cut it, so its size and its index are sums of digits: for token cuts 8 and 16,
//
//   N = 16 · |N/16|        t = |token/16| · 16 + |token%16/8| · 8 + |token%8|
//
// x is a number (8 or 16 elements a granule), the sizes are symbols: a proof holds for every shape.
#pragma once

#include <memory>
#include <set>

#include "model/page/format.hpp"
#include "oracle/offset/writer.hpp"
#include "oracle/proof/obligation.hpp"

namespace pageproof::proof {

// Where an axis is cut, beyond single elements.
using Cuts = std::array<std::set<std::uint64_t>, page::kAxes>;

struct World {
  Scope scope;
  std::uint64_t x = 0;
  page::Sizes<Sym> sizes;        // H, N, 2, D, x
  page::AxisValues<Sym> place;   // head, token, side, dim
  page::AxisValues<Sym> at_cut;  // the same with the finest digit 0
  Sym element_bytes;

  Sym heads() const { return sizes.axis[0]; }
  Sym tokens() const { return sizes.axis[1]; }
  Sym head_dim() const { return sizes.axis[3]; }

  oracle::Sizes<Sym> oracle_sizes() const;
  oracle::Element<Sym> oracle_element(const Sym& block) const;
  // What a failure shows.
  Shown sizes_shown() const;
  // The side is the order's digit where it has one, else the plane that `side` names.
  Shown coordinate_shown(const page::DigitOrder& order, Side side) const;
};

// Cuts of the orders, where x is a number.
Cuts cuts_of(std::initializer_list<const page::DigitOrder*> orders, std::uint64_t x);

struct WorldOptions {
  std::string too_far;                         // the digit that may also take its bound, a fault for mutants
  std::map<std::string, std::uint64_t> fixed;  // sizes that are numbers: {"N/8", 1}
};
std::unique_ptr<World> world(const Cuts& cuts, std::uint64_t x, const WorldOptions& options = {});

// A page order's run on a world's coordinate: the model's own templates.
struct Run {
  std::vector<Sym> digits;
  std::vector<Sym> radices;
  Sym offset;
};
Run run_of(const World& w, const page::DigitOrder& order);
Run run_of(const World& w, const page::DigitOrder& order, const page::AxisValues<Sym>& place);

}  // namespace pageproof::proof
