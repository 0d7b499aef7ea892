#include "oracle/proof/world.hpp"

#include <fmt/format.h>

namespace pageproof::proof {
namespace {

constexpr std::array<const char*, page::kAxes> kIndexNames{"head", "token", "side", "dim"};
constexpr std::array<const char*, page::kAxes> kSizeNames{"H", "N", "2", "D"};

std::string digit_name(const char* axis, std::uint64_t low, std::uint64_t high) {
  std::string name = axis;
  if (high != 0) name += fmt::format("%{}", high);
  if (low != 1) name += fmt::format("/{}", low);
  return name;
}

}  // namespace

oracle::Sizes<Sym> World::oracle_sizes() const {
  return {heads(), tokens(), head_dim(), element_bytes, sizes.x};
}

oracle::Element<Sym> World::oracle_element(const Sym& block) const {
  return {block, place[2], place[0], place[1], place[3]};
}

Shown World::sizes_shown() const {
  return {{"H", heads()}, {"N", tokens()}, {"D", head_dim()}, {"e", element_bytes}};
}

Shown World::coordinate_shown(const page::DigitOrder& order, Side side) const {
  const Sym shown_side = page::has_side(order) ? place[2] : Sym(static_cast<std::uint64_t>(side));
  return {{"head", place[0]}, {"token", place[1]}, {"side", shown_side}, {"dim", place[3]}};
}

Cuts cuts_of(std::initializer_list<const page::DigitOrder*> orders, std::uint64_t x) {
  Cuts cuts;
  for (const page::DigitOrder* order : orders) {
    for (const page::Digit& digit : *order) {
      for (const page::Granularity& granularity : {digit.low, digit.high}) {
        if (granularity == page::Granularity::whole() || granularity == page::Granularity::one()) continue;
        const bool is_x = granularity.kind == page::Granularity::Kind::x;
        cuts[static_cast<std::size_t>(digit.axis)].insert(is_x ? x : granularity.number);
      }
    }
  }
  return cuts;
}

std::unique_ptr<World> world(const Cuts& cuts, std::uint64_t x, const WorldOptions& options) {
  const Sym zero(0);
  std::unique_ptr<World> w(new World{.scope = {},
                                     .x = x,
                                     .sizes = {{zero, zero, Sym(2), zero}, Sym(x)},
                                     .place = {zero, zero, zero, zero},
                                     .at_cut = {zero, zero, zero, zero},
                                     .element_bytes = Sym(kGranuleBytes / x)});
  const auto digit = [&](const std::string& name, const Sym& bound) {
    if (bound.node().kind == Node::Kind::number && bound.node().number == 1) return Sym(0);
    return name == options.too_far ? w->scope.digit_up_to(name, bound) : w->scope.digit(name, bound);
  };
  for (std::size_t axis = 0; axis < page::kAxes; ++axis) {
    const bool side = axis == static_cast<std::size_t>(page::Axis::side);
    const std::uint64_t coarsest = cuts[axis].empty() ? 1 : *cuts[axis].rbegin();
    Sym top = Sym(2);
    if (!side) {
      const std::string size_name =
          coarsest == 1 ? kSizeNames[axis] : fmt::format("{}/{}", kSizeNames[axis], coarsest);
      const auto fixed = options.fixed.find(size_name);
      top = fixed == options.fixed.end() ? w->scope.size(size_name) : Sym(fixed->second);
      w->sizes.axis[axis] = coarsest == 1 ? top : top * Sym(coarsest);
    }
    std::optional<Sym> index = digit(digit_name(kIndexNames[axis], coarsest, 0), top);
    if (coarsest != 1) index = *index * Sym(coarsest);
    std::optional<Sym> without_finest = coarsest != 1 ? index : std::nullopt;
    for (auto high = cuts[axis].rbegin(); high != cuts[axis].rend(); ++high) {
      const auto next = std::next(high);
      const std::uint64_t low = next == cuts[axis].rend() ? 1 : *next;
      const Sym value = digit(digit_name(kIndexNames[axis], low, *high), Sym(*high / low));
      const Sym term = low == 1 ? value : value * Sym(low);
      if (low != 1) without_finest = *without_finest + term;
      index = *index + term;
    }
    w->place[axis] = *index;
    w->at_cut[axis] = without_finest.value_or(Sym(0));
  }
  return w;
}

Run run_of(const World& w, const page::DigitOrder& order) {
  return run_of(w, order, w.place);
}

Run run_of(const World& w, const page::DigitOrder& order, const page::AxisValues<Sym>& place) {
  std::vector<Sym> digits = page::digits_of<Sym>(order, w.sizes, place);
  std::vector<Sym> radices = page::radices_of<Sym>(order, w.sizes);
  const Sym offset = page::fold<Sym>(digits, radices);
  return {std::move(digits), std::move(radices), offset};
}

}  // namespace pageproof::proof
