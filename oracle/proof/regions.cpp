// When two engines register the same regions although their pages differ: what no metadata of today can tell
// apart.
#include <fmt/format.h>

#include "model/page/layout.hpp"
#include "oracle/proof/obligation.hpp"

namespace pageproof::proof {
namespace {

// What two engines register for one layer: standard pages have H head slots of 2·D·e bytes a token, the
// two-slot view has 2 slots of H·D·e.
struct Views {
  page::PerLayoutAxis<Sym> standard;
  page::PerLayoutAxis<Sym> two_slot;
};

Views views_in(Scope& scope, const Sym& heads) {
  const Sym L = scope.size("L");
  const Sym B = scope.size("B");
  const Sym N = scope.size("N");
  const Sym row = scope.size("De");
  return {{L, B, heads, N, Sym(2) * row}, {L, B, Sym(2), N, heads * row}};
}

void region_queries(const Scope& scope, const page::RegisteredRegion<Sym>& a,
                    const page::RegisteredRegion<Sym>& b, const std::string& prefix,
                    std::vector<Query>& queries) {
  queries.push_back(query(scope, prefix + ".base", "one base", Part::identity, equal(a.base, b.base)));
  queries.push_back(
      query(scope, prefix + ".block_len", "one block_len", Part::identity, equal(a.block_len, b.block_len)));
  queries.push_back(query(scope, prefix + ".block_stride", "one block_stride", Part::identity,
                          equal(a.block_stride, b.block_stride)));
}

Example region_example(const Views& v, const Sym& layer, const Sym& expected, const Sym& got) {
  return {{{"L", v.standard[0]},
           {"B", v.standard[1]},
           {"H", v.standard[2]},
           {"N", v.standard[3]},
           {"2De", v.standard[4]}},
          {{"layer", layer}},
          "block_len",
          "B",
          expected,
          got};
}

Obligation regions_block_compact() {
  const std::string name = "same.regions_lbhnc";
  Obligation o{
      .name = name,
      .claim =
          "standard LBHNC and two-slot LBHNC register identical regions: nothing in the metadata tells "
          "shuffled pages from standard ones",
      .shapes = "all L, B, H, N, D, e"};
  const page::Layout& layout = **page::find_layout("LBHNC");
  Scope scope;
  const Sym heads = scope.size("H");
  const Views v = views_in(scope, heads);
  const Sym layer = scope.digit("layer", v.standard[0]);
  region_queries(scope, page::registered_region(layout, v.standard, layer, Sym(0)),
                 page::registered_region(layout, v.two_slot, layer, Sym(0)), name, o.queries);
  Scope wrong;
  const Sym H = wrong.size("H");
  const Views w = views_in(wrong, H);
  const Sym l = wrong.digit("layer", w.standard[0]);
  const page::Layout& planes = **page::find_layout("LHBNC");
  const Sym expected = page::registered_region(layout, w.standard, l, Sym(0)).block_len;
  const Sym got = page::registered_region(planes, w.two_slot, l, Sym(0)).block_len;
  o.mutants.push_back(mutant(wrong, name + ".planes", "so does two-slot LHBNC", equal(expected, got),
                             region_example(w, l, expected, got)));
  return o;
}

Obligation regions_planes() {
  const std::string name = "same.regions_lhbnc";
  Obligation o{
      .name = name,
      .claim = "standard LHBNC and two-slot LHBNC register identical regions iff the rank has two KV heads",
      .shapes = "all L, B, H, N, D, e"};
  const page::Layout& layout = **page::find_layout("LHBNC");
  for (const std::uint64_t slot : {0, 1}) {
    Scope scope;
    const Views v = views_in(scope, Sym(2));
    const Sym layer = scope.digit("layer", v.standard[0]);
    region_queries(scope, page::registered_region(layout, v.standard, layer, Sym(slot)),
                   page::registered_region(layout, v.two_slot, layer, Sym(slot)),
                   fmt::format("{}.if.slot{}", name, slot), o.queries);
  }
  // Regions a layer: H against 2. And where H is not 2, not even the first block_len agrees.
  Scope scope;
  const Sym heads = scope.size("H");
  const Views v = views_in(scope, heads);
  const Sym layer = scope.digit("layer", v.standard[0]);
  const Sym a = page::registered_region(layout, v.standard, layer, Sym(0)).block_len;
  const Sym b = page::registered_region(layout, v.two_slot, layer, Sym(0)).block_len;
  o.queries.push_back(query(scope, name + ".only_if.count", "equally many regions a layer: H = 2",
                            Part::whole, implies(equal(v.standard[2], v.two_slot[2]), equal(heads, Sym(2)))));
  const Sym one_token = scope.size("N·De");
  o.queries.push_back(query(scope, name + ".only_if.block_len", "2·(N·De) = H·(N·De) gives H = 2",
                            Part::whole,
                            implies(equal(Sym(2) * one_token, heads * one_token), equal(heads, Sym(2)))));
  o.queries.push_back(query(scope, name + ".only_if.first", "the standard block_len is 2·(N·De)",
                            Part::identity, equal(a, Sym(2) * (v.standard[3] * scope.known("De")))));
  o.queries.push_back(query(scope, name + ".only_if.second", "the two-slot block_len is H·(N·De)",
                            Part::identity, equal(b, heads * (v.standard[3] * scope.known("De")))));
  Scope wrong;
  const Sym H = wrong.size("H");
  const Views w = views_in(wrong, H);
  const Sym l = wrong.digit("layer", w.standard[0]);
  const Sym expected = page::registered_region(layout, w.standard, l, Sym(0)).block_len;
  const Sym got = page::registered_region(layout, w.two_slot, l, Sym(0)).block_len;
  o.mutants.push_back(mutant(wrong, name + ".always", "for any number of heads", equal(expected, got),
                             region_example(w, l, expected, got)));
  return o;
}

Obligation one_shape() {
  const std::string name = "same.two_slot_shape";
  Obligation o{.name = name,
               .claim = "[B, 2, N, H·D·e] and [B, H, N, 2·D·e] are one shape iff H = 2",
               .shapes = "all B, H, N, D, e"};
  const auto same_shape = [](const Views& v) {
    std::vector<Formula> axes;
    for (std::size_t axis = 1; axis < page::kLayoutAxes; ++axis) {
      axes.push_back(equal(v.standard[axis], v.two_slot[axis]));
    }
    return all_of(axes);
  };
  Scope two;
  o.queries.push_back(query(two, name + ".if", "with two heads every axis agrees", Part::identity,
                            same_shape(views_in(two, Sym(2)))));
  Scope scope;
  const Sym heads = scope.size("H");
  const Views v = views_in(scope, heads);
  o.queries.push_back(query(scope, name + ".only_if", "where every axis agrees, H = 2", Part::whole,
                            implies(same_shape(v), equal(heads, Sym(2)))));
  Scope wrong;
  const Sym H = wrong.size("H");
  const Views w = views_in(wrong, H);
  o.mutants.push_back(mutant(wrong, name + ".never", "they are never one shape", negation(same_shape(w)),
                             {{{"B", w.standard[1]}, {"H", H}, {"N", w.standard[3]}},
                              {},
                              "content other than",
                              "B",
                              w.standard[4],
                              w.two_slot[4]}));
  return o;
}

}  // namespace

std::vector<Obligation> region_obligations() {
  return {regions_block_compact(), regions_planes(), one_shape()};
}

}  // namespace pageproof::proof
