// Which formats are the same bytes, and when. Each is an `if and only if`: under the condition the offsets
// are one polynomial; without it a coordinate of the shape has two offsets, so no quantifier is needed.
#include <fmt/format.h>

#include "oracle/proof/world.hpp"

namespace pageproof::proof {
namespace {

const page::PageFormat& format(std::string_view tag) {
  return **page::find_format(tag);
}

// Two orders of one side.
struct Pair {
  const page::DigitOrder& a;
  const page::DigitOrder& b;
  Side side;
};

Example offsets_of(const World& w, const Pair& pair, const Run& a, const Run& b) {
  return {w.sizes_shown(),
          w.coordinate_shown(pair.a, pair.side),
          "offset",
          "B",
          a.offset * w.element_bytes,
          b.offset * w.element_bytes};
}

// Equal for every coordinate of the shapes that `fixed` leaves.
void same_under(const Pair& pair, std::uint64_t x, const std::map<std::string, std::uint64_t>& fixed,
                const std::string& prefix, std::vector<Query>& queries) {
  const std::unique_ptr<World> w = world(cuts_of({&pair.a, &pair.b}, x), x, {.too_far = {}, .fixed = fixed});
  const Run a = run_of(*w, pair.a);
  const Run b = run_of(*w, pair.b);
  queries.push_back(query(w->scope, prefix + ".same", "under the condition the offsets are one polynomial",
                          Part::identity, equal(a.offset, b.offset)));
  append(queries, cut_queries(w->scope, prefix));
}

// The claim that the two are equal without the condition: what the field keeps getting wrong.
Mutant always_same(const Pair& pair, std::uint64_t x, const std::string& name, const std::string& claim) {
  const std::unique_ptr<World> w = world(cuts_of({&pair.a, &pair.b}, x), x);
  const Run a = run_of(*w, pair.a);
  const Run b = run_of(*w, pair.b);
  return mutant(w->scope, name, claim, equal(a.offset, b.offset), offsets_of(*w, pair, a, b));
}

page::AxisValues<Sym> at(std::uint64_t head, std::uint64_t token, std::uint64_t dim) {
  return {Sym(head), Sym(token), Sym(0), Sym(dim)};
}

Obligation key_classic() {
  const std::string name = "same.shuffled_k_is_classic_k";
  Obligation o{.name = name,
               .claim = "shuffled K and classic paged K are the same bytes, always",
               .shapes = "all H, N, D; x = 8, 16"};
  const Pair pair{format("aiter-shuffled").key, format("classic-paged").key, Side::key};
  for (const std::uint64_t x : {8, 16}) {
    same_under(pair, x, {}, fmt::format("{}.x{}", name, x), o.queries);
  }
  o.mutants.push_back(always_same({format("aiter-shuffled").key, format("xqa-0").key, Side::key}, 8,
                                  name + ".untiled", "shuffled K is [H, N, D], always"));
  return o;
}

Obligation value_classic() {
  const std::string name = "same.shuffled_v_is_classic_v";
  Obligation o{.name = name,
               .claim = "shuffled V and classic paged V are the same bytes iff N = x",
               .shapes = "all H, N, D; x = 8, 16"};
  const Pair pair{format("aiter-shuffled").value, format("classic-paged").value, Side::value};
  for (const std::uint64_t x : {8, 16}) {
    const std::string prefix = fmt::format("{}.x{}", name, x);
    same_under(pair, x, {{fmt::format("N/{}", x), 1}}, prefix + ".if", o.queries);
    Cuts cuts = cuts_of({&pair.a, &pair.b}, x);
    cuts[3] = {x};  // D is a multiple of x in every shape; at D = 1 the two would agree for any N
    const std::unique_ptr<World> w = world(cuts, x);
    const Run a = run_of(*w, pair.a, at(0, 0, 1));
    const Run b = run_of(*w, pair.b, at(0, 0, 1));
    o.queries.push_back(query(w->scope, prefix + ".only_if",
                              "where they agree on (head 0, token 0, dim 1), N = x", Part::whole,
                              implies(equal(a.offset, b.offset), equal(w->tokens(), Sym(x)))));
    o.queries.push_back(query(w->scope, prefix + ".witness", "every shape has that coordinate: 1 < D",
                              Part::whole, within(Sym(1), w->head_dim())));
    append(o.queries, cut_queries(w->scope, prefix + ".only_if"));
  }
  o.mutants.push_back(
      always_same(pair, 8, name + ".always", "shuffled V is classic V, always (public report P14)"));
  return o;
}

// Page-16-in-a-block against shuffled, and so a tile of N tokens against N/16 pages of 16.
struct Tile {
  const char* name;
  const char* claim;
  Pair pair;
};

Obligation tile_obligation(const Tile& t) {
  const std::string name = t.name;
  const bool key = t.pair.side == Side::key;
  Obligation o{.name = name, .claim = t.claim, .shapes = "all H, D, all N with N % 16 = 0; x = 8, 16"};
  for (const std::uint64_t x : {8, 16}) {
    const std::string prefix = fmt::format("{}.x{}", name, x);
    same_under(t.pair, x, {{"N/16", 1}}, prefix + ".if_one_page", o.queries);
    std::map<std::string, std::uint64_t> one_head{{"H", 1}};
    if (key) one_head.emplace(fmt::format("D/{}", x), 1);
    same_under(t.pair, x, one_head, prefix + ".if_one_head", o.queries);
    // Token 16 exists where N > 16, and tells the two apart unless the condition holds.
    const std::unique_ptr<World> w = world(cuts_of({&t.pair.a, &t.pair.b}, x), x);
    const Run a = run_of(*w, t.pair.a, at(0, 16, 0));
    const Run b = run_of(*w, t.pair.b, at(0, 16, 0));
    const Formula condition =
        key ? all_of({equal(w->heads(), Sym(1)), equal(w->head_dim(), Sym(x))}) : equal(w->heads(), Sym(1));
    o.queries.push_back(
        query(w->scope, prefix + ".only_if",
              "where N > 16 and they agree on (head 0, token 16, dim 0), the condition holds", Part::whole,
              implies(all_of({less(Sym(16), w->tokens()), equal(a.offset, b.offset)}), condition)));
    append(o.queries, cut_queries(w->scope, prefix + ".only_if"));
  }
  o.mutants.push_back(always_same(t.pair, 8, name + ".always", "the two are the same bytes, always"));
  const std::unique_ptr<World> w = world(cuts_of({&t.pair.a, &t.pair.b}, 8), 8);
  const Run a = run_of(*w, t.pair.a, at(0, 16, 0));
  const Run b = run_of(*w, t.pair.b, at(0, 16, 0));
  w->scope.assume(less(Sym(16), w->tokens()));
  o.mutants.push_back(mutant(w->scope, name + ".one_page_only", "the two are the same bytes only if N = 16",
                             negation(equal(a.offset, b.offset)),
                             {w->sizes_shown(),
                              {{"head", Sym(0)},
                               {"token", Sym(16)},
                               {"side", Sym(static_cast<std::uint64_t>(t.pair.side))},
                               {"dim", Sym(0)}},
                              "offset other than",
                              "B",
                              a.offset * w->element_bytes,
                              b.offset * w->element_bytes}));
  return o;
}

// N/16 pages of 16 tokens, each as the writer fills it, in a row: that is page-16-in-a-block.
Obligation pages_in_a_row() {
  const std::string name = "same.pages_of_16_in_a_row";
  Obligation o{.name = name,
               .claim = "page-16-in-a-block is N/16 shuffled blocks of 16 tokens in a row",
               .shapes = "all H, D, all N with N % 16 = 0; x = 8, 16"};
  const auto written = [](const World& w, const Sym& tokens, bool key) {
    oracle::Sizes<Sym> sizes = w.oracle_sizes();
    oracle::Element<Sym> element = w.oracle_element(Sym(0));
    const page::Split<Sym> parts = split(element.token, tokens);
    sizes.tokens = tokens;
    element.block = parts.quotient;
    element.token = parts.remainder;
    return key ? oracle::shuffled_key_byte(sizes, element) : oracle::shuffled_value_byte(sizes, element);
  };
  for (const std::uint64_t x : {8, 16}) {
    for (const bool key : {true, false}) {
      const page::PageFormat& page16 = format("aiter-page16");
      const page::DigitOrder& order = key ? page16.key : page16.value;
      Cuts cuts;
      cuts[1] = {x, 16};
      cuts[3] = {x};
      const std::unique_ptr<World> w = world(cuts, x);
      const std::string prefix = fmt::format("{}.{}.x{}", name, key ? "k" : "v", x);
      const Sym row = written(*w, Sym(16), key);
      o.queries.push_back(query(w->scope, prefix, "block t/16 of a pool of 16-token blocks", Part::identity,
                                equal(row, run_of(*w, order).offset * w->element_bytes)));
      append(o.queries, cut_queries(w->scope, prefix));
    }
  }
  Cuts cuts;
  cuts[1] = {8, 16};
  cuts[3] = {8};
  const std::unique_ptr<World> w = world(cuts, 8);
  const Sym got = written(*w, Sym(8), true);
  const Sym expected = run_of(*w, format("aiter-page16").key).offset * w->element_bytes;
  o.mutants.push_back(mutant(w->scope, name + ".of_8", "or blocks of 8 tokens", equal(got, expected),
                             {w->sizes_shown(), w->coordinate_shown(format("aiter-page16").key, Side::key),
                              "offset", "B", expected, got}));
  return o;
}

}  // namespace

std::vector<Obligation> identity_obligations() {
  const page::PageFormat& shuffled = format("aiter-shuffled");
  const page::PageFormat& page16 = format("aiter-page16");
  const page::PageFormat& two_slot = format("aiter-shuffled-lbhnc");
  const page::PageFormat& page16_lbhnc = format("aiter-page16-lbhnc");
  return {
      key_classic(),
      value_classic(),
      tile_obligation(
          {"same.tile_k",
           "one shuffled tile of N tokens and N/16 pages of 16 are the same bytes of K iff N = 16, or H = "
           "1 and D = x",
           {shuffled.key, page16.key, Side::key}}),
      tile_obligation(
          {"same.tile_v",
           "one shuffled tile of N tokens and N/16 pages of 16 are the same bytes of V iff N = 16, or H = "
           "1",
           {shuffled.value, page16.value, Side::value}}),
      tile_obligation({"same.tile_k_lbhnc",
                       "the same of K in two-slot pages",
                       {two_slot.key, page16_lbhnc.key, Side::key}}),
      tile_obligation({"same.tile_v_lbhnc",
                       "the same of V in two-slot pages",
                       {two_slot.value, page16_lbhnc.value, Side::value}}),
      pages_in_a_row(),
  };
}

}  // namespace pageproof::proof
