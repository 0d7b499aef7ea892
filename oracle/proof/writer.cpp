// The arithmetic of the writer and of the readers, restated in oracle/offset, is the digit order: for every
// shape, as polynomials over the same digits.
#include <fmt/format.h>

#include <functional>

#include "oracle/offset/readers.hpp"
#include "oracle/proof/world.hpp"

namespace pageproof::proof {
namespace {

// A statement of where an element lies: the byte, from a world and a block id.
using Statement = std::function<Sym(World& w, const Sym& block)>;

const page::PageFormat& format(std::string_view tag) {
  return **page::find_format(tag);
}

// The model's byte: block · block bytes + element · e.
Sym model_byte(const World& w, const page::DigitOrder& order, const Sym& block) {
  const Sym side_bytes = w.heads() * w.tokens() * w.head_dim() * w.element_bytes;
  const Sym block_bytes = page::has_side(order) ? Sym(2) * side_bytes : side_bytes;
  return block * block_bytes + run_of(w, order).offset * w.element_bytes;
}

struct Case {
  const char* name;
  const char* claim;
  const page::DigitOrder& order;
  Statement statement;
  const char* mutant_claim;
  Statement mutated;
};

// Token and dim are cut at x; their digits are the slices that every statement uses.
std::unique_ptr<World> sliced(std::uint64_t x) {
  Cuts cuts;
  cuts[1] = cuts[3] = {x};
  return world(cuts, x);
}

Obligation obligation_of(const Case& c) {
  Obligation obligation{.name = c.name,
                        .claim = c.claim,
                        .shapes = "all H, N, D with N % x = D % x = 0, all block ids; x = 8, 16"};
  for (const std::uint64_t x : {8, 16}) {
    const std::unique_ptr<World> w = sliced(x);
    const Sym block = w->scope.natural("block");
    const std::string prefix = fmt::format("{}.x{}", c.name, x);
    const Sym stated = c.statement(*w, block);
    const Sym modelled = model_byte(*w, c.order, block);
    obligation.queries.push_back(
        query(w->scope, prefix + ".equal", c.claim, Part::identity, equal(stated, modelled)));
    append(obligation.queries, cut_queries(w->scope, prefix));
  }
  const std::unique_ptr<World> w = sliced(8);
  const Sym block = w->scope.natural("block");
  const Sym got = c.mutated(*w, block);
  const Sym expected = model_byte(*w, c.order, block);
  const Side side = std::string_view(c.name).ends_with("_v") ? Side::value : Side::key;
  Shown coordinate = w->coordinate_shown(c.order, side);
  coordinate.insert(coordinate.begin(), {"block", block});
  obligation.mutants.push_back(mutant(w->scope, std::string(c.name) + ".mutant", c.mutant_claim,
                                      equal(got, expected),
                                      {w->sizes_shown(), coordinate, "offset", "B", expected, got}));
  return obligation;
}

// The writer's sizes with two of them exchanged, or the element's indices: faults.
Sym key_with_head_dim_for_tokens(World& w, const Sym& block) {
  const auto s = w.oracle_sizes();
  const auto c = w.oracle_element(block);
  return block * (s.heads * s.tokens * s.head_dim * s.element_bytes) +
         c.head * s.tokens * s.head_dim * s.element_bytes + (c.dim / s.x) * Sym(16) * s.head_dim +
         c.token * Sym(16) + (c.dim % s.x) * s.element_bytes;
}
Sym value_without_transpose(World& w, const Sym& block) {
  const auto s = w.oracle_sizes();
  const auto c = w.oracle_element(block);
  return block * (s.heads * s.tokens * s.head_dim * s.element_bytes) +
         c.head * s.tokens * s.head_dim * s.element_bytes + c.dim * s.tokens * s.element_bytes +
         c.token * s.element_bytes;
}
Sym without_head_stride(World& w, const Sym& block) {
  const auto s = w.oracle_sizes();
  auto c = w.oracle_element(block);
  c.head = Sym(0);
  return oracle::gather_key_byte(s, c);
}

page::AxisValues<Sym> position_in(World& w) {
  const Sym blocks_before = w.scope.natural("blocks_before");
  page::AxisValues<Sym> place = w.place;
  place[1] = blocks_before * w.tokens() + w.place[1];
  return place;
}
oracle::BlockHeadStrides<Sym> dense_strides(const World& w) {
  return {w.heads() * w.tokens() * w.head_dim(), w.tokens() * w.head_dim()};
}

std::vector<Case> cases() {
  const page::DigitOrder& standard = format("standard").key;
  const page::DigitOrder& key = format("aiter-shuffled").key;
  const page::DigitOrder& value = format("aiter-shuffled").value;
  return {
      {"writer.standard", "the standard page's arithmetic is its digit order", standard,
       [](World& w, const Sym& b) { return oracle::standard_byte(w.oracle_sizes(), w.oracle_element(b)); },
       "a standard page is [H, N, 2, D] with V before K",
       [](World& w, const Sym& b) {
         auto c = w.oracle_element(b);
         const Sym side = c.side;
         c.side = Sym(0);
         const auto s = w.oracle_sizes();
         // (1 + side) % 2 · De
         return oracle::standard_byte(s, c) + ((side + Sym(1)) % Sym(2)) * (s.head_dim * s.element_bytes);
       }},
      {"writer.shuffled_k", "the shuffle writer's K arithmetic is its digit order", key,
       [](World& w, const Sym& b) {
         return oracle::shuffled_key_byte(w.oracle_sizes(), w.oracle_element(b));
       },
       "the K writer strides over units of D tokens instead of N", key_with_head_dim_for_tokens},
      {"writer.shuffled_v", "the shuffle writer's V arithmetic is its digit order", value,
       [](World& w, const Sym& b) {
         return oracle::shuffled_value_byte(w.oracle_sizes(), w.oracle_element(b));
       },
       "the V writer writes [H, D, N]", value_without_transpose},
      {"reader.gather_k", "the gather of cached context reads K where the writer put it", key,
       [](World& w, const Sym& b) { return oracle::gather_key_byte(w.oracle_sizes(), w.oracle_element(b)); },
       "the gather needs no head · D in its address (public report P09)", without_head_stride},
      {"reader.gather_v", "the gather of cached context reads V where the writer put it", value,
       [](World& w, const Sym& b) {
         return oracle::gather_value_byte(w.oracle_sizes(), w.oracle_element(b));
       },
       "the gather reads V as it reads K",
       [](World& w, const Sym& b) { return oracle::gather_key_byte(w.oracle_sizes(), w.oracle_element(b)); }},
      {"reader.ll4mi_k", "ll4mi's 16-byte units of K are the writer's", key,
       [](World& w, const Sym& b) {
         return oracle::ll4mi_key_byte(w.oracle_sizes(), dense_strides(w), w.oracle_element(b),
                                       position_in(w)[1]);
       },
       "ll4mi takes the V plane's strides with one head more",
       [](World& w, const Sym& b) {
         oracle::BlockHeadStrides<Sym> strides = dense_strides(w);
         strides.block = strides.block + strides.head;
         return oracle::ll4mi_key_byte(w.oracle_sizes(), strides, w.oracle_element(b), position_in(w)[1]);
       }},
      {"reader.ll4mi_v", "ll4mi's 16-byte fetches of V are the writer's", value,
       [](World& w, const Sym& b) {
         return oracle::ll4mi_value_byte(w.oracle_sizes(), dense_strides(w), w.oracle_element(b),
                                         position_in(w)[1]);
       },
       "ll4mi fetches from the next dim",
       [](World& w, const Sym& b) {
         auto c = w.oracle_element(b);
         c.dim = c.dim + Sym(1);
         return oracle::ll4mi_value_byte(w.oracle_sizes(), dense_strides(w), c, position_in(w)[1]);
       }},
      {"reader.gluon_k", "gluon's five strides of K address the writer's order", key,
       [](World& w, const Sym& b) { return oracle::gluon_key_byte(w.oracle_sizes(), w.oracle_element(b)); },
       "gluon may read K with V's strides",
       [](World& w, const Sym& b) {
         return oracle::gluon_value_byte(w.oracle_sizes(), w.oracle_element(b));
       }},
      {"reader.gluon_v", "gluon's five strides of V address the writer's order", value,
       [](World& w, const Sym& b) { return oracle::gluon_value_byte(w.oracle_sizes(), w.oracle_element(b)); },
       "gluon may read V with K's strides",
       [](World& w, const Sym& b) { return oracle::gluon_key_byte(w.oracle_sizes(), w.oracle_element(b)); }},
  };
}

// The writer strides over blocks by the cache's block stride, the gather by H·D·N: they agree exactly on
// dense planes (public report P12 is the other case).
Obligation dense_planes() {
  const std::string name = "reader.gather_needs_dense_planes";
  Obligation obligation{
      .name = name,
      .claim =
          "writer (block stride from the cache) and gather (H·D·N) agree on every block iff "
          "the stride is H·D·N",
      .shapes = "all block sizes, block strides and block ids"};
  const auto build = [](Scope& scope) {
    const Sym block = scope.natural("block");
    const Sym dense = scope.size("HDN");
    const Sym inside = scope.digit("inside", dense);
    return std::array<Sym, 3>{block, dense, inside};
  };
  Scope scope;
  const auto [block, dense, inside] = build(scope);
  const Sym stride = scope.size("stride");
  const Sym written = block * stride + inside;
  const Sym read = block * dense + inside;
  obligation.queries.push_back(query(scope, name + ".if", "an equal stride gives equal offsets", Part::whole,
                                     implies(equal(stride, dense), equal(written, read))));
  obligation.queries.push_back(
      query(scope, name + ".only_if", "block 1 tells two strides apart", Part::whole,
            implies(equal(Sym(1) * stride + inside, Sym(1) * dense + inside), equal(stride, dense))));
  obligation.mutants.push_back(mutant(scope, name + ".mutant", "any block stride will do",
                                      equal(written, read),
                                      {{{"HDN", dense}, {"stride", stride}},
                                       {{"block", block}, {"inside", inside}},
                                       "offset",
                                       "elements",
                                       written,
                                       read}));
  return obligation;
}

}  // namespace

std::vector<Obligation> writer_obligations() {
  std::vector<Obligation> obligations;
  for (const Case& c : cases()) obligations.push_back(obligation_of(c));
  obligations.push_back(dense_planes());
  return obligations;
}

}  // namespace pageproof::proof
