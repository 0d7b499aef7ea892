#include "oracle/proof/format_mutants.hpp"

#include <fmt/format.h>

namespace pageproof::proof {
namespace {

std::unique_ptr<World> world_of(const FormatLine& line, const WorldOptions& options = {}) {
  std::unique_ptr<World> w = world(cuts_of({&line.order}, line.x), line.x, options);
  // The V line of a page is read for V elements alone.
  if (line.side == Side::value && page::has_side(line.order)) w->scope.assume(at_most(Sym(1), w->place[2]));
  return w;
}

Example byte_example(const World& w, const FormatLine& line, const char* relation, const Sym& expected,
                     const Sym& got) {
  return {w.sizes_shown(),
          w.coordinate_shown(line.order, line.side),
          relation,
          "B",
          expected * w.element_bytes,
          got * w.element_bytes};
}

// The order read with the radices of its second and third digit exchanged.
Mutant exchanged(const FormatLine& line) {
  const std::unique_ptr<World> w = world_of(line);
  const Run run = run_of(*w, line.order);
  std::vector<Sym> radices = run.radices;
  std::swap(radices[1], radices[2]);
  const Sym got = page::fold<Sym>(run.digits, radices);
  const std::string claim = fmt::format(
      "\"{}\" gives the same offsets with the radices of {} and {} exchanged", page::to_string(line.order),
      page::to_string(line.order[1]), page::to_string(line.order[2]));
  return mutant(w->scope, line.prefix + ".exchanged", claim, equal(got, run.offset),
                byte_example(*w, line, "offset", run.offset, got));
}

// The outermost digit let up to its radix.
Mutant too_far(const FormatLine& line) {
  std::vector<std::string> outermost;
  const std::unique_ptr<World> sound = world_of(line);
  variables_of(run_of(*sound, line.order).digits[0], outermost);
  const std::unique_ptr<World> w = world_of(line, {.too_far = outermost.at(0), .fixed = {}});
  Run run = run_of(*w, line.order);
  run.digits[0] = w->scope.known(outermost.at(0));
  const Sym got = page::fold<Sym>(run.digits, run.radices);
  const Sym capacity = product_of(run.radices);
  const std::string claim = fmt::format("\"{}\" stays in bounds when {} may reach its radix (<= for <)",
                                        page::to_string(line.order), page::to_string(line.order[0]));
  return mutant(w->scope, line.prefix + ".too_far", claim, less(got, capacity),
                byte_example(*w, line, "offset below", capacity, got));
}

// That granules move whole, of an order whose last digits are no dims.
Mutant torn_granules(const FormatLine& line) {
  Cuts cuts = cuts_of({&line.order}, line.x);
  cuts[static_cast<std::size_t>(page::Axis::dim)].insert(line.x);
  const std::unique_ptr<World> w = world(cuts, line.x);
  page::AxisValues<Sym> start = w->place;
  start[3] = w->at_cut[3];
  Sym within_granule = w->place[3] % w->sizes.x;
  const Sym got = run_of(*w, line.order).offset;
  const Sym expected = run_of(*w, line.order, start).offset + within_granule;
  return mutant(w->scope, line.prefix + ".torn_granules",
                fmt::format("granules move whole in \"{}\" too", page::to_string(line.order)),
                equal(got, expected), byte_example(*w, line, "offset", expected, got));
}

}  // namespace

// Does the K order end in dims that make whole granules?
bool moves_granules(const page::DigitOrder& order, std::uint64_t x) {
  const page::Digit& last = order.back();
  if (last.axis != page::Axis::dim || last.low != page::Granularity::one()) return false;
  return last.high.kind != page::Granularity::Kind::number || last.high.number % x == 0;
}

Sym product_of(std::span<const Sym> numbers) {
  Sym product = numbers[0];
  for (const Sym& number : numbers.subspan(1)) product = product * number;
  return product;
}

std::vector<Mutant> mutants_of(const FormatLine& line) {
  std::vector<Mutant> mutants{exchanged(line), too_far(line)};
  if (!moves_granules(line.order, line.x)) mutants.push_back(torn_granules(line));
  return mutants;
}

}  // namespace pageproof::proof
