// The six KV-cache layouts: the model's strides, the fold over the axes and the written-out formula are one
// function, and it is a bijection.
#include "oracle/offset/layouts.hpp"

#include <fmt/format.h>

#include "model/page/layout.hpp"
#include "oracle/proof/steps.hpp"

namespace pageproof::proof {
namespace {

using Axes = page::PerLayoutAxis<Sym>;

struct Cache {
  Axes sizes;
  Axes place;
};

Cache cache_in(Scope& scope) {
  const Axes sizes{scope.size("L"), scope.size("B"), scope.size("H"), scope.size("N"), scope.size("C")};
  return {sizes,
          {scope.digit("layer", sizes[0]), scope.digit("block", sizes[1]), scope.digit("slot", sizes[2]),
           scope.digit("token", sizes[3]), scope.digit("content", sizes[4])}};
}

Sym written_out(std::string_view name, const Cache& cache) {
  const Axes &s = cache.sizes, &p = cache.place;
  return oracle::layout_byte<Sym>(name, {s[0], s[1], s[2], s[3], s[4]}, {p[0], p[1], p[2], p[3], p[4]});
}

Sym by_strides(const page::Layout& layout, const Cache& cache) {
  const Axes stride = page::strides(layout, cache.sizes);
  Sym byte = cache.place[0] * stride[0];
  for (std::size_t axis = 1; axis < page::kLayoutAxes; ++axis) byte = byte + cache.place[axis] * stride[axis];
  return byte;
}

Mutant taken_for(const page::Layout& layout, const page::Layout& other) {
  Scope scope;
  const Cache cache = cache_in(scope);
  const Axes &s = cache.sizes, &p = cache.place;
  const Sym expected = written_out(layout.name, cache);
  const Sym got = by_strides(other, cache);
  return mutant(scope, fmt::format("layout.{}.taken_for_{}", layout.name, other.name),
                fmt::format("{} has the strides of {}", layout.name, other.name), equal(expected, got),
                {{{"L", s[0]}, {"B", s[1]}, {"H", s[2]}, {"N", s[3]}, {"C", s[4]}},
                 {{"layer", p[0]}, {"block", p[1]}, {"slot", p[2]}, {"token", p[3]}, {"content", p[4]}},
                 "offset",
                 "B",
                 expected,
                 got});
}

Obligation obligation_of(const page::Layout& layout) {
  const std::string name = fmt::format("layout.{}", layout.name);
  Obligation obligation{.name = name,
                        .claim = "strides, fold and written-out formula agree; offsets are a bijection",
                        .shapes = "all L, B, H, N, C"};
  Scope scope;
  const Cache cache = cache_in(scope);
  std::vector<Sym> digits;
  std::vector<Sym> radices;
  for (const page::LayoutAxis axis : layout.order) {
    digits.push_back(cache.place[page::index_of(axis)]);
    radices.push_back(cache.sizes[page::index_of(axis)]);
  }
  const Sym folded = page::fold<Sym>(digits, radices);
  std::vector<Query>& queries = obligation.queries;
  queries.push_back(query(scope, name + ".strides", "the sum of index · stride is the fold", Part::identity,
                          equal(by_strides(layout, cache), folded)));
  queries.push_back(query(scope, name + ".formula", "the written-out formula is the fold", Part::identity,
                          equal(written_out(layout.name, cache), folded)));
  const std::vector<Sym> back = page::unfold<Sym>(folded, radices);
  for (std::size_t i = 0; i < back.size(); ++i) {
    queries.push_back(query(scope, fmt::format("{}.round_trip.{}", name, i), "unfold gives the index back",
                            Part::identity, equal(back[i], digits[i])));
  }
  append(queries, cut_queries(scope, name));
  append(queries, step_queries(radices, name));
  return obligation;
}

}  // namespace

std::vector<Obligation> layout_obligations() {
  const std::span<const page::Layout> layouts = page::layouts();
  std::vector<Obligation> obligations;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    obligations.push_back(obligation_of(layouts[i]));
    obligations.back().mutants.push_back(taken_for(layouts[i], layouts[(i + 1) % layouts.size()]));
  }
  return obligations;
}

}  // namespace pageproof::proof
