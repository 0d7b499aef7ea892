// The rules for pairs of equal page formats: with today's check of lengths, they make the sides line up, and
// the receive-side permute right.
#include <fmt/format.h>

#include "oracle/proof/negotiation/table.hpp"

namespace pageproof::proof {
namespace {

using handshake::Reason;
using handshake::SideFacts;

// Equal tags of pages with K and V, equal TP sizes, known elements, one model's head_dim, and check 14 for
// pages of one shape each: equal block_len, which is one page where a region is one.
void assume_matching(Scope& scope, const SymbolicPair& p) {
  const SideFacts<Sym>& local = p.facts.local;
  const SideFacts<Sym>& remote = p.facts.remote;
  scope.assume(equal(local.tag, remote.tag));
  scope.assume(negation(p.facts.latent));
  scope.assume(negation(equal(remote.dtype, literal(handshake::kDtypeUnknown))));
  scope.assume(equal(local.tp, remote.tp));
  scope.assume(equal(local.dims, remote.dims));
  scope.assume(equal(local.block_len, Sym(2) * local.side_bytes));
  scope.assume(equal(remote.block_len, Sym(2) * remote.side_bytes));
  scope.assume(equal(local.block_len, remote.block_len));
}

Obligation sides_line_up() {
  const std::string name = "negotiation.matching_sides";
  Obligation o{
      .name = name,
      .claim =
          "equal formats and the match rules: tokens, elements, dims, block_len and heads are one on both "
          "sides, so that the landing is the page itself",
      .shapes = "all H, N, D, e; equal TP, one head_dim, regions of whole pages, known elements, no MLA"};
  Scope scope;
  const SymbolicPair p = pair_in(scope);
  assume_matching(scope, p);
  for (const Rule& rule : match_rules(p.facts)) scope.assume(rule.holds);
  const SideFacts<Sym>& local = p.facts.local;
  const SideFacts<Sym>& remote = p.facts.remote;
  const auto ask = [&](const char* what, const Formula& goal) {
    o.queries.push_back(query(scope, fmt::format("{}.{}", name, what),
                              fmt::format("one {} on both sides", what), Part::whole, goal));
  };
  ask("tokens", equal(local.tokens, remote.tokens));
  ask("dtype", equal(local.dtype, remote.dtype));
  ask("element", equal(p.local_element_bytes, p.remote_element_bytes));
  ask("row", equal(local.dims * p.local_element_bytes, remote.dims * p.remote_element_bytes));
  // Heads by cancelling: H · (N·D·e) = H' · (N·D·e), with N·D·e at least 1.
  Scope cancel;
  const Sym mine = cancel.size("local.heads");
  const Sym theirs = cancel.natural("remote.heads");
  const Sym rest = cancel.size("N·D·e");
  cancel.assume(equal(mine * rest, theirs * rest));
  o.queries.push_back(query(cancel, name + ".heads", "equal bytes of equal rows: equally many heads",
                            Part::whole, equal(mine, theirs)));
  // Faults: the table without a rule.
  for (const Reason reason : {Reason::elements_unequal, Reason::block_sizes_unequal}) {
    Scope wrong;
    const SymbolicPair q = pair_in(wrong);
    assume_matching(wrong, q);
    for (const Rule& rule : without(match_rules(q.facts), reason)) wrong.assume(rule.holds);
    const SideFacts<Sym>& l = q.facts.local;
    const SideFacts<Sym>& r = q.facts.remote;
    o.mutants.push_back(
        mutant(wrong, name + ".without_" + name_of(reason),
               fmt::format("without {}: elements and tokens are one on both sides", name_of(reason)),
               all_of({equal(l.tokens, r.tokens), equal(l.dtype, r.dtype)}),
               pair_example(q, "rejected: " + name_of(reason), "accepted")));
  }
  return o;
}

// A share of a two-slot page is cut from its bytes: right only where it is all of it, so with equal heads.
Obligation slots() {
  const std::string name = "negotiation.matching_slots";
  Obligation o{.name = name,
               .claim =
                   "pages of two slots that are accepted have equally many heads on both sides: no rank's "
                   "share is cut across K and V",
               .shapes = "all H on both sides"};
  Scope scope;
  const SymbolicPair p = pair_in(scope);
  for (const Rule& rule : match_rules(p.facts)) scope.assume(rule.holds);
  scope.assume(p.facts.two_slots);
  o.queries.push_back(query(scope, name + ".heads", "two slots: equally many heads", Part::whole,
                            equal(p.facts.local.heads, p.facts.remote.heads)));
  Scope wrong;
  const SymbolicPair q = pair_in(wrong);
  for (const Rule& rule : without(match_rules(q.facts), Reason::slots_across_ranks)) wrong.assume(rule.holds);
  wrong.assume(q.facts.two_slots);
  o.mutants.push_back(mutant(wrong, name + ".without_slots_across_ranks",
                             "so it is without slots_across_ranks",
                             equal(q.facts.local.heads, q.facts.remote.heads),
                             pair_example(q, "rejected: slots_across_ranks", "accepted")));
  return o;
}

// The permute as it is (model/handshake/receive.hpp, permute_rows): logical row (h, n) is taken from flat row
// n·H + h, which is row (h2, n2) with h2·N + n2 = n·H + h and lies at place n2·H + h2 of the cache. What
// landed there is the prefill's row h·N + n where it is right.
struct Permuted {
  Sym heads;
  Sym tokens;
  Sym head;
  Sym token;
  Sym from_head;
  Sym from_token;
  Sym place;   // n2 · H + h2
  Sym wanted;  // h · N + n
};

Permuted permuted_in(Scope& scope, const Sym& heads, const Sym& tokens) {
  const Sym head = scope.digit("head", heads);
  const Sym token = scope.digit("token", tokens);
  const Sym from_head = scope.digit("from_head", heads);
  const Sym from_token = scope.digit("from_token", tokens);
  scope.assume(equal(from_head * tokens + from_token, token * heads + head));
  return {heads,
          tokens,
          head,
          token,
          from_head,
          from_token,
          from_token * heads + from_head,
          head * tokens + token};
}

Obligation permute() {
  const std::string name = "negotiation.matching_permute";
  Obligation o{
      .name = name,
      .claim =
          "where the permute runs on an accepted pair, each row is the prefill's: there is one head, "
          "or as many heads as tokens",
      .shapes = "all H and N"};
  Scope rule;
  const SymbolicPair p = pair_in(rule);
  for (const Rule& one : match_rules(p.facts)) rule.assume(one.holds);
  rule.assume(p.facts.permutes);
  const SideFacts<Sym>& local = p.facts.local;
  o.queries.push_back(query(rule, name + ".shapes", "accepted and permuting: H = 1 or H = N", Part::whole,
                            any_of({equal(local.heads, Sym(1)), equal(local.heads, local.tokens)})));
  Scope one;
  const Permuted single = permuted_in(one, Sym(1), one.size("N"));
  o.queries.push_back(query(one, name + ".one_head", "one head: every row is right", Part::whole,
                            equal(single.place, single.wanted)));
  // H = N: the flat row has one pair of digits, so they are those exchanged; then it is in place.
  Scope square;
  const Sym both = square.size("H=N");
  const Permuted equal_sizes = permuted_in(square, both, both);
  o.queries.push_back(query(square, name + ".as_many_heads.digits",
                            "H = N: row (h, n) is taken from row (n, h)", Part::whole,
                            all_of({equal(equal_sizes.from_head, equal_sizes.token),
                                    equal(equal_sizes.from_token, equal_sizes.head)})));
  Scope taken;
  const Sym size = taken.size("H=N");
  const Sym head = taken.digit("head", size);
  const Sym token = taken.digit("token", size);
  o.queries.push_back(query(taken, name + ".as_many_heads.place",
                            "which lies where row (h, n) of the prefill landed", Part::identity,
                            equal(head * size + token, token + size * head)));
  Scope wrong;
  const Sym H = wrong.size("H");
  const Sym N = wrong.size("N");
  const Permuted any = permuted_in(wrong, H, N);
  o.mutants.push_back(mutant(
      wrong, name + ".any_shape", "every row is right for any H and N", equal(any.place, any.wanted),
      {{{"H", H}, {"N", N}}, {{"head", any.head}, {"token", any.token}}, "row", "", any.wanted, any.place}));
  return o;
}

}  // namespace

std::vector<Obligation> matching_obligations() {
  return {sides_line_up(), slots(), permute()};
}

}  // namespace pageproof::proof
