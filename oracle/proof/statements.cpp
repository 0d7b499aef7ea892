// No intermediate of the writer's and the readers' arithmetic wraps: each one enters the offset (times what
// is at least 1, plus naturals), or divides the pool.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "oracle/offset/readers.hpp"
#include "oracle/proof/polynomial.hpp"
#include "oracle/proof/word_steps.hpp"
#include "oracle/proof/world.hpp"

namespace pageproof::proof {
namespace {

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

}  // namespace

std::vector<Obligation> statement_obligations() {
  const std::string name = "words.statements";
  Obligation o{.name = name,
               .claim = "nor does any intermediate of the writer's and the readers' arithmetic",
               .shapes = "all H, N, D, B with B · block bytes <= 2^48; x = 8, 16"};
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
  return {std::move(o)};
}

}  // namespace pageproof::proof
