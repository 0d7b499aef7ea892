// Machine words: mathematics on integers is what 64-bit code computes as long as no intermediate reaches
// 2^64. For pools up to 2^48 bytes none does: every intermediate is at most the pool, by small steps, and the
// bound itself comes in last, by transitivity. And the 32-bit limit: the first block id that wraps.
#include "model/page/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "oracle/offset/readers.hpp"
#include "oracle/proof/polynomial.hpp"
#include "oracle/proof/steps.hpp"
#include "oracle/proof/world.hpp"

namespace pageproof::proof {
namespace {

constexpr std::uint64_t kLargestPool = std::uint64_t{1} << 48;

// c1 <= c2 <= ... <= pool <= 2^48, so every product and sum of the fold (at most the capacity of its step) is
// at most 2^48, far below 2^64.
Query transitivity(const std::string& name, std::size_t steps) {
  Scope scope;
  const Sym pool = scope.natural("pool_bytes");
  scope.assume(at_most(pool, Sym(kLargestPool)));
  Sym before = scope.natural("capacity0");
  const Sym first = before;
  for (std::size_t i = 1; i < steps; ++i) {
    const Sym next = scope.natural(fmt::format("capacity{}", i));
    scope.assume(at_most(before, next));
    before = next;
  }
  scope.assume(at_most(before, pool));
  const Sym intermediate = scope.natural("intermediate");
  scope.assume(at_most(intermediate, first));
  return query(scope, name, "what is at most a step's capacity is at most 2^48", Part::step,
               at_most(intermediate, Sym(kLargestPool)));
}

// Products inside a step: at · radix <= at · radix + digit.
Query product_below_sum(const std::string& name) {
  Scope scope;
  const Sym product = scope.natural("product");
  const Sym digit = scope.natural("digit");
  return query(scope, name, "a product is at most the sum that it enters", Part::step,
               at_most(product, product + digit));
}

// block · bytes + byte < B · bytes.
Query in_pool(const std::string& name) {
  Scope scope;
  const Sym bytes = scope.size("block_bytes");
  const Sym blocks = scope.size("B");
  const Sym block = scope.digit("block", blocks);
  const Sym byte = scope.digit("byte", bytes);
  return query(scope, name, "the byte of an element lies below the pool's bytes", Part::step,
               less(block * bytes + byte, blocks * bytes));
}

// A 64-bit offset against the same offset in a word of 32 bits.
Mutant wraps(const std::string& name) {
  const page::DigitOrder& order = (*page::find_format("standard"))->key;
  const std::unique_ptr<World> w = world(cuts_of({&order}, 8), 8);
  const Run run = run_of(*w, order);
  const Sym block = w->scope.natural("block");
  const Sym page_bytes = Sym(2) * w->heads() * w->tokens() * w->head_dim() * w->element_bytes;
  w->scope.assume(at_most((block + Sym(1)) * page_bytes, Sym(kLargestPool)));
  const Sym offset = block * page_bytes + run.offset * w->element_bytes;
  const Sym word = offset % Sym(std::uint64_t{1} << 32);
  Shown coordinate = w->coordinate_shown(order, Side::key);
  coordinate.insert(coordinate.begin(), {"block", block});
  return mutant(w->scope, name, "32-bit offsets do, for pools up to 2^48 bytes", equal(word, offset),
                {w->sizes_shown(), coordinate, "offset", "B", offset, word});
}

Obligation folds() {
  Obligation o{
      .name = "words.folds",
      .claim = "no product or sum of any catalogue format's offset reaches 2^64 in a pool up to 2^48 bytes",
      .shapes = "all H, N, D, B with B · page <= 2^48 bytes; x = 8, 16",
      .queries = {},
      .mutants = {wraps("words.folds.in_32_bits")}};
  for (const page::PageFormat& format : page::catalogue()) {
    for (const page::DigitOrder* order : {&format.key, &format.value}) {
      if (order->empty()) continue;
      const std::string name = fmt::format("words.folds.{}.{}", format.tag, order == &format.key ? "k" : "v");
      for (const std::uint64_t x : {8, 16}) {
        const std::unique_ptr<World> w = world(cuts_of({order}, x), x);
        append(o.queries, step_queries(run_of(*w, *order).radices, fmt::format("{}.x{}", name, x)));
      }
      o.queries.push_back(transitivity(name + ".bound", order->size() + 1));
      o.queries.push_back(product_below_sum(name + ".product"));
      o.queries.push_back(in_pool(name + ".pool"));
    }
  }
  return o;
}

// The intermediates of an expression: what its operations compute, each once. A quotient and a remainder are
// at most the index that they divide, which is an input.
void operations_of(const Sym& sym, std::vector<Sym>& found, std::set<const Node*>& seen) {
  const Node& node = sym.node();
  if (node.kind == Node::Kind::quotient || node.kind == Node::Kind::remainder) return;
  for (const Sym& part : node.parts) operations_of(part, found, seen);
  const bool computes = node.kind == Node::Kind::sum || node.kind == Node::Kind::product;
  if (computes && seen.insert(&node).second) found.push_back(sym);
}

// total = n · factor + rest, where rest is a sum of naturals: then n <= total. The factor is looked for among
// the terms of the total that hold the first term of n; the equation is a query.
std::optional<std::pair<Polynomial, Polynomial>> factor_and_rest(const Polynomial& n,
                                                                 const Polynomial& total) {
  const auto& [head, head_coefficient] = *n.begin();
  for (const auto& [term, coefficient] : total) {
    const std::optional<Polynomial> factor = divided({{term, coefficient}}, {{head, head_coefficient}});
    if (!factor) continue;
    Polynomial rest = total;
    bool natural = true;
    for (const auto& [n_term, n_coefficient] : n) {
      const auto& [factor_term, factor_coefficient] = *factor->begin();
      std::vector<std::string> product = n_term;
      product.insert(product.end(), factor_term.begin(), factor_term.end());
      std::ranges::sort(product);
      std::int64_t& left = rest[product];
      left -= n_coefficient * factor_coefficient;
      natural = natural && left >= 0;
      if (left == 0) rest.erase(product);
    }
    if (natural) return std::pair{*factor, rest};
  }
  return std::nullopt;
}

struct Statement {
  const char* name;
  Sym (*byte)(World& w, const Sym& block);
};

constexpr Statement kStatements[] = {
    {"standard",
     [](World& w, const Sym& b) { return oracle::standard_byte(w.oracle_sizes(), w.oracle_element(b)); }},
    {"shuffled_k",
     [](World& w, const Sym& b) { return oracle::shuffled_key_byte(w.oracle_sizes(), w.oracle_element(b)); }},
    {"shuffled_v",
     [](World& w, const Sym& b) {
       return oracle::shuffled_value_byte(w.oracle_sizes(), w.oracle_element(b));
     }},
    {"gather_k",
     [](World& w, const Sym& b) { return oracle::gather_key_byte(w.oracle_sizes(), w.oracle_element(b)); }},
    {"gather_v",
     [](World& w, const Sym& b) { return oracle::gather_value_byte(w.oracle_sizes(), w.oracle_element(b)); }},
    {"gluon_k",
     [](World& w, const Sym& b) { return oracle::gluon_key_byte(w.oracle_sizes(), w.oracle_element(b)); }},
    {"gluon_v",
     [](World& w, const Sym& b) { return oracle::gluon_value_byte(w.oracle_sizes(), w.oracle_element(b)); }},
};

// Every intermediate of a statement is at most its total (it enters it, times what is at least 1), or at most
// the pool (a product of sizes). A factor is at least 1 where it is a product of sizes alone.
void statement_queries(const Statement& statement, std::uint64_t x, Obligation& o) {
  Cuts cuts;
  cuts[1] = cuts[3] = {x};
  const std::unique_ptr<World> w = world(cuts, x);
  const Sym blocks = w->scope.size("B");
  const Sym block = w->scope.digit("block", blocks);
  const Sym total = statement.byte(*w, block);
  const bool both_sides = std::string_view(statement.name) == "standard";
  const Sym side_bytes = w->heads() * w->tokens() * w->head_dim() * w->element_bytes;
  const Sym pool = blocks * (both_sides ? Sym(2) * side_bytes : side_bytes);
  const std::string prefix = fmt::format("words.statements.{}.x{}", statement.name, x);
  std::vector<Sym> operations;
  std::set<const Node*> seen;
  operations_of(total, operations, seen);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Polynomial n = expand(operations[i]);
    const bool sizes_only = upper_bound(n, w->scope.bounds()) == n;
    const Sym& limit = sizes_only ? pool : total;
    const auto found = factor_and_rest(n, expand(limit));
    // Nothing found is a query that fails: the intermediate is claimed equal to the limit.
    const Sym factor = found ? to_sym(found->first, &w->scope) : Sym(1);
    const Sym rest = found ? to_sym(found->second, &w->scope) : Sym(0);
    o.queries.push_back(
        query(w->scope, fmt::format("{}.{}", prefix, i),
              fmt::format("intermediate {} times a product of sizes, plus naturals, is the {}", i,
                          sizes_only ? "pool" : "offset"),
              Part::identity, equal(limit, operations[i] * factor + rest)));
    std::vector<std::string> names;
    variables_of(factor, names);
    std::vector<Formula> sizes;
    for (const std::string& name : names) sizes.push_back(at_most(Sym(1), w->scope.known(name)));
    o.queries.push_back(query(w->scope, fmt::format("{}.{}.factor", prefix, i), "each factor is at least 1",
                              Part::whole, all_of(sizes)));
  }
  append(o.queries, cut_queries(w->scope, prefix));
}

Obligation statements() {
  const std::string name = "words.statements";
  Obligation o{.name = name,
               .claim = "nor does any intermediate of the writer's and the readers' arithmetic",
               .shapes = "all H, N, D, B with B · block bytes <= 2^48; x = 8, 16",
               .queries = {},
               .mutants = {}};
  for (const Statement& statement : kStatements) {
    for (const std::uint64_t x : {8, 16}) statement_queries(statement, x, o);
  }
  Scope times;
  const Sym a = times.natural("a");
  const Sym b = times.natural("b");
  o.queries.push_back(query(times, name + ".natural", "a product of naturals is a natural", Part::step,
                            at_most(Sym(0), a * b)));
  Scope sizes;
  const Sym p = sizes.size("a");
  const Sym q = sizes.size("b");
  o.queries.push_back(
      query(sizes, name + ".size", "a product of sizes is at least 1", Part::step, at_most(Sym(1), p * q)));
  Scope scope;
  const Sym n = scope.natural("intermediate");
  const Sym more = scope.natural("factor_minus_1");
  const Sym rest = scope.natural("rest");
  o.queries.push_back(
      query(scope, name + ".grows", "n <= n · factor + rest", Part::step, at_most(n, n * more + n + rest)));
  o.queries.push_back(in_pool(name + ".pool"));
  o.queries.push_back(transitivity(name + ".bound", 1));
  // Fault: the product of two indices enters nothing.
  const std::unique_ptr<World> w = world({}, 8);
  const Sym got = w->place[0] * w->tokens() * w->head_dim() * w->head_dim();
  const Sym limit = w->heads() * w->tokens() * w->head_dim();
  o.mutants.push_back(
      mutant(w->scope, name + ".stride_twice", "h·N·D·D is at most H·N·D", at_most(got, limit),
             {w->sizes_shown(), w->coordinate_shown({}, Side::key), "at most", "elements", limit, got}));
  return o;
}

Obligation first_wrapping() {
  const std::string name = "words.first_wrapping_block";
  Obligation o{
      .name = name,
      .claim =
          "some element of block b has an offset of 2^32 (signed: 2^31) or more iff b >= 2^32 (2^31) div "
          "the block's elements",
      .shapes = "all block sizes up to 2^31 elements, all block ids (public report P15)",
      .queries = {},
      .mutants = {}};
  for (const page::Word word : {page::Word::signed_32, page::Word::unsigned_32}) {
    const std::string prefix = name + (word == page::Word::signed_32 ? ".signed" : ".unsigned");
    const Sym limit(page::first_unrepresentable(word));
    Scope division;
    const Sym block_elements = division.size("block_elements");
    const Sym first = page::first_wrapping_block(block_elements, word);
    o.queries.push_back(query(division, prefix + ".first",
                              "q · n <= 2^w < q · n + n for the block q that is named", Part::whole,
                              all_of({at_most(first * block_elements, limit),
                                      less(limit, first * block_elements + block_elements)})));
    // From q on, b = q + k: the last element of the block is too far.
    Scope from;
    const Sym first_elements = from.natural("q·n");
    const Sym further_elements = from.natural("k·n");
    const Sym n_elements = from.size("n");
    from.assume(less(limit, first_elements + n_elements));
    o.queries.push_back(query(from, prefix + ".wraps", "the last element of block q + k has an offset >= 2^w",
                              Part::step, less(limit, first_elements + further_elements + n_elements)));
    // Before q, q = b + 1 + k: no element of the block is.
    Scope before;
    const Sym elements = before.size("block_elements");
    const Sym block = before.natural("block");
    const Sym left = before.natural("blocks_left");
    const Sym element = before.digit("element", elements);
    const page::Split<Sym> parts = split(limit, elements);
    before.assume(equal(parts.quotient, block + Sym(1) + left));
    const Sym product = (block + Sym(1) + left) * elements;
    o.queries.push_back(query(before, prefix + ".distributes", "(b + 1 + k) · n = b·n + n + k·n",
                              Part::identity, equal(product, block * elements + elements + left * elements)));
    Scope sum;
    const Sym at = sum.natural("b·n");
    const Sym n = sum.size("n");
    const Sym beyond = sum.natural("k·n");
    const Sym rest = sum.digit("remainder", n);
    const Sym e = sum.digit("element", n);
    sum.assume(equal(at + n + beyond + rest, limit));
    o.queries.push_back(query(sum, prefix + ".fits",
                              "b·n + element < 2^w where b·n + n + k·n + remainder = 2^w", Part::step,
                              less(at + e, limit)));
  }
  Scope wrong;
  const Sym elements = wrong.size("block_elements");
  wrong.assume(at_most(elements, Sym(std::uint64_t{1} << 31)));
  const Sym first = page::first_wrapping_block(elements, page::Word::unsigned_32);
  const Sym element = wrong.digit("element", elements);
  const Sym got = first * elements + element;
  const Sym limit(std::uint64_t{1} << 32);
  o.mutants.push_back(mutant(wrong, name + ".one_block_later", "block 2^32 div n is still safe",
                             less(got, limit),
                             {{{"block_elements", elements}},
                              {{"block", first}, {"element", element}},
                              "offset below",
                              "elements",
                              limit,
                              got}));
  return o;
}

}  // namespace

std::vector<Obligation> word_obligations() {
  return {folds(), statements(), first_wrapping()};
}

}  // namespace pageproof::proof
