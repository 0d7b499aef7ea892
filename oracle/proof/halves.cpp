// The byte-half contract: where the two landed halves of a page lie, that they hold the whole page, and that
// a half is not a side.
#include <fmt/format.h>

#include "model/page/landing.hpp"
#include "oracle/proof/world.hpp"

namespace pageproof::proof {
namespace {

const page::DigitOrder& standard() {
  return (*page::find_format("standard"))->key;
}

// Byte p of the page lies at byte p % S of the block in plane p / S: in range, and plane · S + byte is p
// again.
Obligation concatenated() {
  const std::string name = "halves.concatenated";
  Obligation o{.name = name,
               .claim = "the two landed halves, one after the other, are the remote page",
               .shapes = "all S, bases, block ids and bytes"};
  Scope scope;
  const Sym side = scope.size("S");
  const Sym byte = scope.digit("byte", Sym(2) * side);
  const page::Split<Sym> landing = page::landed(byte, side);
  o.queries.push_back(query(scope, name + ".landing",
                            "every page byte lands in one of two planes, and comes back", Part::whole,
                            all_of({within(landing.quotient, Sym(2)), within(landing.remainder, side),
                                    equal(landing.quotient * side + landing.remainder, byte)})));
  // The READ: byte o of half j of remote page r.
  for (const std::uint64_t half : {0, 1}) {
    Scope read;
    const Sym S = read.size("S");
    const Sym at = read.digit("byte_in_half", S);
    const Sym remote_base = read.natural("remote_base");
    const Sym local_base = read.natural("local_base");
    const Sym remote = read.natural("remote_block");
    const Sym local = read.natural("local_block");
    const std::string prefix = fmt::format("{}.read.{}", name, half);
    const Sym page_byte = Sym(half) * S + at;
    const page::Split<Sym> place = page::landed(page_byte, S);
    o.queries.push_back(query(read, prefix + ".source", "descriptor j reads page bytes j·S ... j·S + S − 1",
                              Part::identity,
                              equal(page::remote_half(remote_base, remote, Sym(half), S) + at,
                                    remote_base + remote * (Sym(2) * S) + page_byte)));
    o.queries.push_back(query(read, prefix + ".plane", "and its destination is the plane of the landing",
                              Part::identity, equal(place.quotient, Sym(half))));
    o.queries.push_back(
        query(read, prefix + ".destination", "at the byte of the landing", Part::identity,
              equal(page::local_half(local_base, local, S) + at, local_base + local * S + place.remainder)));
    append(o.queries, cut_queries(read, prefix));
  }
  Scope wrong;
  const Sym S = wrong.size("S");
  const Sym p = wrong.digit_up_to("byte", Sym(2) * S);
  const page::Split<Sym> landing_too_far = page::landed(p, S);
  const std::string claim = "a page has two planes also when its byte may be 2S (<= for <)";
  o.mutants.push_back(
      mutant(wrong, name + ".too_far", claim, less(landing_too_far.quotient, Sym(2)),
             {{{"S", S}}, {{"byte", p}}, "plane below", "", Sym(2), landing_too_far.quotient}));
  return o;
}

// Both byte sets are all of two blocks of S bytes: the landing reaches every byte of both (here), and so does
// the shuffled pair of orders (format.aiter-shuffled.*.onto).
Obligation same_bytes() {
  const std::string name = "halves.same_bytes";
  Obligation o{
      .name = name,
      .claim =
          "a conversion in place reads and writes the same bytes: the landing covers both blocks, as the "
          "shuffled planes do",
      .shapes = "all H, N, D; x = 8, 16"};
  Scope scope;
  const Sym side = scope.size("S");
  const Sym plane = scope.digit("plane", Sym(2));
  const Sym byte = scope.digit("byte", side);
  const Sym page_byte = plane * side + byte;
  const page::Split<Sym> landing = page::landed(page_byte, side);
  o.queries.push_back(query(scope, name + ".reached", "byte `plane · S + byte` of the page lies below 2S",
                            Part::step, within(page_byte, Sym(2) * side)));
  o.queries.push_back(query(scope, name + ".onto", "and lands on any wanted byte of any plane",
                            Part::identity,
                            all_of({equal(landing.quotient, plane), equal(landing.remainder, byte)})));
  append(o.queries, cut_queries(scope, name));
  const page::PageFormat& shuffled = **page::find_format("aiter-shuffled");
  for (const std::uint64_t x : {8, 16}) {
    for (const page::DigitOrder* order : {&shuffled.key, &shuffled.value}) {
      const std::unique_ptr<World> w = world(cuts_of({order}, x), x);
      const Run run = run_of(*w, *order);
      Sym capacity = run.radices[0];
      for (std::size_t i = 1; i < run.radices.size(); ++i) capacity = capacity * run.radices[i];
      const std::string prefix = fmt::format("{}.{}.x{}", name, order == &shuffled.key ? "k" : "v", x);
      o.queries.push_back(query(
          w->scope, prefix + ".bytes", "the plane's block has S bytes too", Part::identity,
          equal(capacity * w->element_bytes, w->heads() * w->tokens() * w->head_dim() * w->element_bytes)));
      append(o.queries, cut_queries(w->scope, prefix));
    }
  }
  // Fault: the second half placed one byte further.
  Scope wrong;
  const Sym S = wrong.size("S");
  const Sym j = wrong.digit("plane", Sym(2));
  const Sym at = wrong.digit("byte", S);
  const Sym got = j * (S + Sym(1)) + at;
  const std::string claim = "the halves cover the page when the second begins at S + 1";
  o.mutants.push_back(
      mutant(wrong, name + ".off_by_one", claim, less(got, Sym(2) * S),
             {{{"S", S}}, {{"plane", j}, {"byte", at}}, "page byte below", "", Sym(2) * S, got}));
  return o;
}

// Elements on the wrong side of the cut, for every shape with H·N >= 2.
Obligation never_a_side_boundary() {
  const std::string name = "halves.never_a_side_boundary";
  Obligation o{
      .name = name,
      .claim =
          "the half is a boundary between K and V for no shape with H·N >= 2: V of the first row lies in "
          "the first half, K of the last row in the second",
      .shapes = "all H, N, D with H·N >= 2"};
  Scope scope;
  const Sym heads = scope.size("H");
  const Sym tokens = scope.size("N");
  const Sym dim = scope.size("D");
  const std::vector<Sym> radices{heads, tokens, Sym(2), dim};
  const std::vector<Sym> first_value{Sym(0), Sym(0), Sym(1), Sym(0)};
  o.queries.push_back(query(scope, name + ".first_v", "element (0, 0, V, 0) has offset D", Part::identity,
                            equal(page::fold<Sym>(first_value, radices), dim)));
  Scope last;
  const Sym head = last.natural("head");
  const Sym token = last.natural("token");
  const Sym D = last.size("D");
  const std::vector<Sym> last_key{head, token, Sym(0), Sym(0)};
  const std::vector<Sym> last_radices{head + Sym(1), token + Sym(1), Sym(2), D};
  o.queries.push_back(query(last, name + ".last_k", "element (H−1, N−1, K, 0) has offset 2·D·(H·N − 1)",
                            Part::identity,
                            equal(page::fold<Sym>(last_key, last_radices) + Sym(2) * D,
                                  Sym(2) * D * ((head + Sym(1)) * (token + Sym(1))))));
  Scope rows;
  const Sym more = rows.natural("rows_minus_2");
  const Sym width = rows.size("D");
  const Sym more_elements = more * width;  // H·N = more + 2, S = more_elements + 2·D elements
  o.queries.push_back(query(rows, name + ".v_in_first", "with H·N >= 2 rows, D < S", Part::whole,
                            less(width, more_elements + Sym(2) * width)));
  o.queries.push_back(
      query(rows, name + ".k_in_second", "and 2·D·(H·N − 1) >= S", Part::whole,
            at_most(more_elements + Sym(2) * width, Sym(2) * more_elements + Sym(2) * width)));
  // Fault: also where H·N may be 1.
  Scope wrong;
  const Sym H = wrong.size("H");
  const Sym N = wrong.size("N");
  const Sym d = wrong.size("D");
  const Sym side = H * N * d;
  const std::vector<Sym> wrong_radices{H, N, Sym(2), d};
  const Sym got = page::fold<Sym>(first_value, wrong_radices);
  o.mutants.push_back(mutant(wrong, name + ".one_row", "the same for H·N >= 1", less(got, side),
                             {{{"H", H}, {"N", N}, {"D", d}},
                              {{"head", Sym(0)}, {"token", Sym(0)}, {"side", Sym(1)}, {"dim", Sym(0)}},
                              "offset below",
                              "elements",
                              side,
                              got}));
  // The belief itself: what lies in the first half is K.
  const std::unique_ptr<World> w = world(cuts_of({&standard()}, 8), 8);
  const Run run = run_of(*w, standard());
  const Sym half = w->heads() * w->tokens() * w->head_dim();
  o.mutants.push_back(
      mutant(w->scope, "halves.first_half_is_k", "byte o < S of a standard page belongs to side K",
             implies(less(run.offset, half), equal(w->place[2], Sym(0))),
             {w->sizes_shown(), w->coordinate_shown(standard(), Side::key), "second half: offset at least",
              "B", half * w->element_bytes, run.offset * w->element_bytes}));
  return o;
}

}  // namespace

std::vector<Obligation> half_obligations() {
  return {concatenated(), same_bytes(), never_a_side_boundary()};
}

}  // namespace pageproof::proof
