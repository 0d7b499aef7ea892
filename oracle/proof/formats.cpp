// Each page format of the catalogue is a bijection: its offsets lie in bounds, no two elements share one,
// every one is reached, and unfold takes the fold back. The model's own templates run on symbols.
#include <fmt/format.h>

#include <algorithm>

#include "oracle/proof/format_mutants.hpp"
#include "oracle/proof/steps.hpp"
#include "oracle/proof/world.hpp"

namespace pageproof::proof {
namespace {

using page::DigitOrder;
using page::PageFormat;

// An order's run under a name, with the world that it ran on.
struct NamedRun : Run {
  const World& world;
  const DigitOrder& order;
  std::string prefix;
};

NamedRun named_run(const World& w, const DigitOrder& order, std::string prefix) {
  return {run_of(w, order), w, order, std::move(prefix)};
}

// coordinate -> digits -> coordinate, each digit below its radix.
void digit_queries(const NamedRun& run, std::vector<Query>& queries) {
  const World& w = run.world;
  for (std::size_t i = 0; i < run.digits.size(); ++i) {
    queries.push_back(query(w.scope, fmt::format("{}.digit.{}", run.prefix, i),
                            fmt::format("digit {} of a coordinate lies in [0, radix)", i), Part::whole,
                            within(run.digits[i], run.radices[i])));
  }
  const page::AxisValues<Sym> again = page::place_of<Sym>(run.order, w.sizes, run.digits, w.place);
  for (std::size_t axis = 0; axis < page::kAxes; ++axis) {
    queries.push_back(
        query(w.scope, fmt::format("{}.place.{}", run.prefix, page::to_string(static_cast<page::Axis>(axis))),
              "the digits give the coordinate back", Part::identity, equal(again[axis], w.place[axis])));
  }
}

// unfold(fold(digits)) = digits: with it, no two coordinates share an offset.
void round_trip_queries(const NamedRun& run, std::vector<Query>& queries) {
  const std::vector<Sym> back = page::unfold<Sym>(run.offset, run.radices);
  for (std::size_t i = 0; i < back.size(); ++i) {
    queries.push_back(query(run.world.scope, fmt::format("{}.round_trip.{}", run.prefix, i),
                            fmt::format("unfold gives digit {} back", i), Part::identity,
                            equal(back[i], run.digits[i])));
  }
}

void capacity_query(const NamedRun& run, std::vector<Query>& queries) {
  const World& w = run.world;
  const Sym side = w.heads() * w.tokens() * w.head_dim();
  const Sym elements = page::has_side(run.order) ? Sym(2) * side : side;
  // An order that lacks the head axis (one head) counts tokens and dims only.
  const bool heads =
      std::ranges::any_of(run.order, [](const page::Digit& digit) { return digit.axis == page::Axis::head; });
  queries.push_back(query(w.scope, run.prefix + ".capacity",
                          "the radices multiply to the elements of the page or of the plane's block",
                          Part::identity,
                          equal(product_of(run.radices), heads ? elements : w.tokens() * w.head_dim())));
}

// Element j of a granule lies j further than its first, and the first at a multiple of x.
void granule_queries(const DigitOrder& order, const std::string& prefix, std::uint64_t x,
                     std::vector<Query>& queries) {
  Cuts cuts = cuts_of({&order}, x);
  cuts[static_cast<std::size_t>(page::Axis::dim)].insert(x);
  const std::unique_ptr<World> w = world(cuts, x);
  const NamedRun run = named_run(*w, order, prefix);
  page::AxisValues<Sym> start = w->place;
  start[3] = w->at_cut[3];
  const Sym first = run_of(*w, order, start).offset;
  const Sym j = w->scope.known(fmt::format("dim%{}", x));
  const Sym unaligned = first % w->sizes.x;
  queries.push_back(query(w->scope, prefix + ".granule.whole",
                          "element j of a granule lies j after its first", Part::identity,
                          equal(run.offset, first + j)));
  queries.push_back(query(w->scope, prefix + ".granule.aligned", "a granule begins at a multiple of x",
                          Part::identity, equal(unaligned, Sym(0))));
  append(queries, cut_queries(w->scope, prefix + ".granule"));
}

std::vector<std::uint64_t> granule_sizes(const PageFormat& format) {
  if (format.needs.element_bytes != 0) return {kGranuleBytes / format.needs.element_bytes};
  return {8, 16};
}

// Where a page holds both sides and V has an order of its own: the two share the digits up to the side, so no
// K element meets a V element.
void sides_queries(const PageFormat& format, std::uint64_t x, const std::string& prefix,
                   std::vector<Query>& queries) {
  const std::unique_ptr<World> w = world(cuts_of({&format.key, &format.value}, x), x);
  const NamedRun key = named_run(*w, format.key, prefix);
  const NamedRun value = named_run(*w, format.value, prefix);
  const auto side = std::ranges::find(format.key, page::Axis::side, &page::Digit::axis);
  const std::size_t shared = static_cast<std::size_t>(side - format.key.begin()) + 1;
  const auto inner = [&](const NamedRun& run) { return product_of(std::span(run.radices).subspan(shared)); };
  queries.push_back(query(w->scope, prefix + ".sides.inner",
                          "inside the side, K and V take equally many elements", Part::identity,
                          equal(inner(key), inner(value))));
  append(queries, cut_queries(w->scope, prefix + ".sides"));
  Scope scope;
  const Sym room = scope.size("inner_elements");
  const Sym key_at = scope.natural("key_outer");
  const Sym value_at = scope.natural("value_outer");
  const Sym key_rest = scope.digit("key_inner", room);
  const Sym value_rest = scope.digit("value_inner", room);
  scope.assume(negation(equal(key_at, value_at)));
  queries.push_back(query(scope, prefix + ".sides.apart",
                          "digits that differ up to the side keep K and V apart", Part::step,
                          negation(equal(key_at * room + key_rest, value_at * room + value_rest))));
}

Obligation obligation_of(const PageFormat& format) {
  Obligation obligation{
      .name = "format." + format.tag,
      .claim =
          "every offset lies in bounds, no two elements share one, every one is reached, and "
          "unfolding gives the coordinate back",
      .shapes = "all H, N, D whose axes the slices tile"};
  const bool one_line = format.key_only() || format.value == format.key;
  for (const std::uint64_t x : granule_sizes(format)) {
    for (const DigitOrder* order : {&format.key, &format.value}) {
      const bool key = order == &format.key;
      if (!key && one_line) continue;
      const std::string prefix = fmt::format("{}.{}.x{}", obligation.name, key ? "k" : "v", x);
      const std::unique_ptr<World> w = world(cuts_of({order}, x), x);
      const NamedRun run = named_run(*w, *order, prefix);
      digit_queries(run, obligation.queries);
      round_trip_queries(run, obligation.queries);
      capacity_query(run, obligation.queries);
      append(obligation.queries, cut_queries(w->scope, prefix));
      append(obligation.queries, step_queries(run.radices, prefix));
      if (key && moves_granules(*order, x)) granule_queries(*order, prefix, x, obligation.queries);
      if (x == granule_sizes(format).front()) {
        std::ranges::move(mutants_of({*order, key ? Side::key : Side::value, prefix, x}),
                          std::back_inserter(obligation.mutants));
      }
    }
    if (format.regions == page::Regions::page && !one_line) {
      sides_queries(format, x, fmt::format("{}.x{}", obligation.name, x), obligation.queries);
    }
  }
  if (moves_granules(format.key, granule_sizes(format).front()))
    obligation.claim += "; K's granules move whole";
  return obligation;
}

}  // namespace

std::vector<Obligation> format_obligations() {
  std::vector<Obligation> obligations;
  for (const PageFormat& format : page::catalogue()) obligations.push_back(obligation_of(format));
  return obligations;
}

}  // namespace pageproof::proof
