// Where the half of a page cuts: for an odd head count through the middle head, at token N/2.
#include <fmt/format.h>

#include "oracle/proof/obligation.hpp"

namespace pageproof::proof {
namespace {

// Rows of 2D elements: a row's place decides its half.
void row_queries(const std::string& name, std::vector<Query>& queries) {
  Scope below;
  const Sym width = below.size("row_elements");
  const Sym half = below.natural("half_rows");
  const Sym row = below.digit("row", half);
  const Sym column = below.digit("column", width);
  queries.push_back(query(below, name + ".row_below",
                          "an element of a row before the half lies in the first half", Part::step,
                          less(row * width + column, half * width)));
  Scope above;
  const Sym w = above.size("row_elements");
  const Sym h = above.natural("half_rows");
  const Sym further = above.natural("rows_further");
  const Sym c = above.digit("column", w);
  queries.push_back(query(above, name + ".row_above", "an element of a later row lies in the second half",
                          Part::step, at_most(h * w, h * w + further * w + c)));
}

struct Rows {
  Sym m;  // H = 2m or 2m + 1
  Sym M;  // N = 2M
  Sym heads;
  Sym head;
  Sym token;
};

Rows rows_in(Scope& scope, std::uint64_t odd) {
  const Sym m = odd == 1 ? scope.natural("m") : scope.size("m");
  const Sym M = scope.size("M");
  const Sym heads = Sym(2) * m + Sym(odd);
  return {m, M, heads, scope.digit("head", heads), scope.digit("token", Sym(2) * M)};
}

// Rows h·N + t against the half H·M = 2·m·M (+ M for odd H), by the place of h: before m, at m, after m.
void head_queries(const std::string& name, std::uint64_t odd, std::vector<Query>& queries) {
  const auto half_of = [odd](const Sym& m, const Sym& N, const Sym& M) {
    return odd == 1 ? m * N + M : m * N;
  };
  Scope before;
  const Sym m = before.natural("m");
  const Sym M = before.size("M");
  const Sym N = before.size("N");
  before.assume(equal(N, Sym(2) * M));
  const Sym head = before.digit("head", m);
  const Sym token = before.digit("token", N);
  queries.push_back(query(before, name + ".head_before", "a head below m lies before the half", Part::step,
                          less(head * N + token, half_of(m, N, M))));
  Scope at;
  const Sym middle_rows = at.natural("m·N");
  const Sym half_tokens = at.size("M");
  const Sym t = at.digit("token", Sym(2) * half_tokens);
  const Sym half = odd == 1 ? middle_rows + half_tokens : middle_rows;
  const Formula in_first = less(middle_rows + t, half);
  queries.push_back(query(at, name + ".head_at",
                          odd == 1 ? "of head m, the tokens below N/2 lie before the half, the others after"
                                   : "head m lies after the half",
                          Part::step, odd == 1 ? iff(in_first, less(t, half_tokens)) : negation(in_first)));
  Scope after;
  const Sym rows_before = after.natural("m·N");
  const Sym rows_between = after.natural("k·N");
  const Sym tokens = after.size("N");
  const Sym half_of_tokens = after.size("M");
  after.assume(equal(tokens, Sym(2) * half_of_tokens));
  const Sym t_after = after.natural("token");
  const Sym end = odd == 1 ? rows_before + half_of_tokens : rows_before;
  queries.push_back(query(after, name + ".head_after", "head m + 1 + k lies after the half", Part::step,
                          at_most(end, rows_before + tokens + rows_between + t_after)));
  Scope sizes;
  const Sym any_m = sizes.natural("m");
  const Sym any_M = sizes.size("M");
  queries.push_back(query(sizes, name + ".half", "H·N/2 rows are m·N (odd H: and N/2 more)", Part::identity,
                          equal((Sym(2) * any_m + Sym(odd)) * any_M, half_of(any_m, Sym(2) * any_M, any_M))));
}

// The obligation of one parity. Its mutant takes all of head m = (H − odd)/2 into the first half.
Obligation cut_of_heads(std::uint64_t odd, Obligation o, const std::string& mutant_name,
                        const std::string& mutant_claim) {
  head_queries(o.name, odd, o.queries);
  row_queries(o.name, o.queries);
  Scope wrong;
  const Rows q = rows_in(wrong, odd);
  const Sym got = q.head * (Sym(2) * q.M) + q.token;
  o.mutants.push_back(mutant(wrong, o.name + mutant_name, mutant_claim,
                             implies(at_most(q.head, q.m), less(got, q.heads * q.M)),
                             {{{"H", q.heads}, {"N", Sym(2) * q.M}},
                              {{"head", q.head}, {"token", q.token}},
                              "row below",
                              "",
                              q.heads * q.M,
                              got}));
  return o;
}

Obligation cut_of_odd_heads() {
  return cut_of_heads(1,
                      {.name = "halves.odd_heads",
                       .claim = "for odd H the half cuts head (H−1)/2 between tokens N/2 − 1 and N/2",
                       .shapes = "all odd H, even N, all D"},
                      ".whole_head", "the middle head lies wholly in the first half");
}

Obligation cut_of_even_heads() {
  return cut_of_heads(0,
                      {.name = "halves.even_heads",
                       .claim = "for even H each half holds H/2 whole heads",
                       .shapes = "all even H, even N, all D"},
                      ".one_head_more", "head H/2 lies in the first half too");
}

}  // namespace

std::vector<Obligation> torn_head_obligations() {
  return {cut_of_odd_heads(), cut_of_even_heads()};
}

}  // namespace pageproof::proof
