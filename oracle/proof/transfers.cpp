// The two other ways to read pages: staged whole, one behind the other, and in halves of runs of pages. Each
// byte has one place, inside its memory, and the page's bytes are all there. And what the checker of plans
// rests on.
#include <fmt/format.h>

#include "model/page/landing.hpp"
#include "oracle/proof/obligation.hpp"

namespace pageproof::proof {
namespace {

// Page i of layer l is number l · n + i of the staging memory; then its bytes follow.
struct Staging {
  Sym layers, pages, page_bytes;  // L, n, 2S
  Sym number_of_pages;            // L · n
};

Staging staging_in(Scope& scope) {
  const Sym L = scope.size("L");
  const Sym n = scope.size("n");
  const Sym page = scope.size("page");
  return {L, n, page, L * n};
}

Obligation staged_once() {
  const std::string name = "staged.once";
  Obligation o{.name = name,
               .claim = "no byte of the staging memory takes two bytes of the request's pages",
               .shapes = "all L, page counts and page sizes"};
  Scope pages;
  const Sym n = pages.size("n");
  const Sym l = pages.natural("layer_a");
  const Sym k = pages.natural("layer_b");
  const Sym i = pages.digit("page_a", n);
  const Sym j = pages.digit("page_b", n);
  o.queries.push_back(query(pages, name + ".page", "one number, one page of one layer", Part::step,
                            implies(equal(l * n + i, k * n + j), all_of({equal(l, k), equal(i, j)}))));
  Scope bytes;
  const Sym page = bytes.size("page");
  const Sym a = bytes.natural("number_a");
  const Sym b = bytes.natural("number_b");
  const Sym p = bytes.digit("byte_a", page);
  const Sym q = bytes.digit("byte_b", page);
  o.queries.push_back(query(bytes, name + ".byte", "one place, one byte of one page", Part::step,
                            implies(equal(a * page + p, b * page + q), all_of({equal(a, b), equal(p, q)}))));
  Scope sum;
  const Staging s = staging_in(sum);
  const Sym base = sum.natural("staging_base");
  const Sym layer = sum.natural("layer");
  const Sym at = sum.natural("page_index");
  const Sym byte = sum.natural("byte");
  o.queries.push_back(query(sum, name + ".place", "the address is base + number · page + byte",
                            Part::identity,
                            equal(page::staged(base, layer, at, s.pages, byte, s.page_bytes),
                                  base + (layer * s.pages + at) * s.page_bytes + byte)));
  Scope wrong;
  const Sym m = wrong.size("n");
  const Sym f = wrong.natural("layer_a");
  const Sym g = wrong.natural("layer_b");
  const Sym x = wrong.digit_up_to("page_a", m);
  const Sym y = wrong.digit("page_b", m);
  o.mutants.push_back(mutant(wrong, name + ".one_page_more", "layers of n + 1 pages do not overlap",
                             implies(equal(f * m + x, g * m + y), equal(f, g)),
                             {{{"n", m}},
                              {{"layer_a", f}, {"page_a", x}, {"layer_b", g}, {"page_b", y}},
                              "number other than",
                              "",
                              f * m + x,
                              g * m + y}));
  return o;
}

Obligation staged_inside() {
  const std::string name = "staged.inside";
  Obligation o{.name = name,
               .claim = "every page lies inside L · n · page bytes of staging memory",
               .shapes = "all L, page counts and page sizes"};
  Scope numbers;
  const Sym L = numbers.size("L");
  const Sym n = numbers.size("n");
  const Sym layer = numbers.digit("layer", L);
  const Sym index = numbers.digit("page_index", n);
  o.queries.push_back(
      query(numbers, name + ".number", "0 <= number < L · n", Part::step, within(layer * n + index, L * n)));
  Scope bytes;
  const Sym count = bytes.size("pages");
  const Sym page = bytes.size("page");
  const Sym number = bytes.digit("number", count);
  const Sym byte = bytes.digit("byte", page);
  o.queries.push_back(query(bytes, name + ".byte", "0 <= place < pages · page bytes", Part::step,
                            within(number * page + byte, count * page)));
  Scope wrong;
  const Sym c = wrong.size("pages");
  const Sym s = wrong.size("page");
  const Sym last = wrong.digit_up_to("number", c);
  const Sym at = wrong.digit("byte", s);
  o.mutants.push_back(mutant(wrong, name + ".page_too_far", "page number `pages` lies inside (<= for <)",
                             less(last * s + at, c * s),
                             {{{"pages", c}, {"page", s}},
                              {{"number", last}, {"byte", at}},
                              "place below",
                              "",
                              c * s,
                              last * s + at}));
  return o;
}

// A run of m pages of 2S bytes.
Obligation run_cover() {
  const std::string name = "run_halves.cover";
  Obligation o{.name = name,
               .claim = "the two halves of a run cover each byte of its pages exactly once",
               .shapes = "all S and run lengths"};
  Scope scope;
  const Sym half = scope.size("half_run");  // m · S
  const Sym byte = scope.digit("run_byte", Sym(2) * half);
  const page::Split<Sym> landed = page::run_landed(byte, Sym(1), half);
  o.queries.push_back(query(scope, name + ".covered", "every byte of the run lies in half 0 or half 1",
                            Part::whole,
                            all_of({within(landed.quotient, Sym(2)), within(landed.remainder, half)})));
  Scope size;
  const Sym m = size.size("m");
  const Sym S = size.size("S");
  o.queries.push_back(query(size, name + ".size", "m pages of 2S bytes are two halves of m · S",
                            Part::identity, equal(m * (Sym(2) * S), Sym(2) * (m * S))));
  Scope once;
  const Sym h = once.size("half_run");
  const Sym a = once.digit("half_a", Sym(2));
  const Sym b = once.digit("half_b", Sym(2));
  const Sym p = once.digit("byte_a", h);
  const Sym q = once.digit("byte_b", h);
  o.queries.push_back(query(once, name + ".once", "and in one of them only", Part::step,
                            implies(equal(a * h + p, b * h + q), all_of({equal(a, b), equal(p, q)}))));
  Scope one;
  const Sym side = one.size("S");
  const Sym base = one.natural("base");
  const Sym block = one.natural("block");
  const Sym which = one.digit("half", Sym(2));
  o.queries.push_back(query(one, name + ".one_page", "a run of one page lands as the page does",
                            Part::identity,
                            equal(page::remote_run_half(base, block, which, Sym(1), side),
                                  page::remote_half(base, block, which, side))));
  Scope wrong;
  const Sym s = wrong.size("S");
  const Sym run = wrong.size("m");
  const Sym at = wrong.natural("base");
  const Sym first = wrong.natural("block");
  o.mutants.push_back(
      mutant(wrong, name + ".as_pages", "the run's second half begins where its first page's does",
             equal(page::remote_run_half(at, first, Sym(1), run, s), page::remote_half(at, first, Sym(1), s)),
             {{{"S", s}, {"m", run}, {"base", at}},
              {{"block", first}, {"half", Sym(1)}},
              "address",
              "",
              page::remote_half(at, first, Sym(1), s),
              page::remote_run_half(at, first, Sym(1), run, s)}));
  return o;
}

// Blocks first .. first + m − 1 of both sides.
Obligation run_inside() {
  const std::string name = "run_halves.inside";
  Obligation o{.name = name,
               .claim = "both halves of a run lie in its pages, and land in its blocks of the plane",
               .shapes = "all S, run lengths, bases, block ids and block counts that hold the run"};
  Scope local;
  const Sym S = local.size("S");
  const Sym m = local.size("m");
  const Sym base = local.natural("plane_base");
  const Sym first = local.natural("first_block");
  const Sym half = m * S;
  const Sym byte = local.digit("byte", half);
  const Sym address = page::local_half(base, first, S) + byte;
  o.queries.push_back(
      query(local, name + ".local", "from the first block's first byte to the last one's last", Part::step,
            all_of({at_most(base + first * S, address), less(address, base + first * S + half)})));
  Scope end;
  const Sym s = end.size("S");
  const Sym run = end.size("m");
  const Sym begin = end.natural("first_block");
  const Sym rest = end.natural("blocks_behind");
  o.queries.push_back(query(end, name + ".local_end", "the last block is one of the plane's B", Part::step,
                            at_most(begin * s + run * s, (begin + run + rest) * s)));
  Scope remote;
  const Sym h = remote.size("half_run");
  const Sym at = remote.natural("first_byte");
  const Sym which = remote.digit("half", Sym(2));
  const Sym of_half = remote.digit("byte", h);
  const Sym source = at + which * h + of_half;
  o.queries.push_back(query(remote, name + ".remote", "a half of the run lies in its 2 · m · S bytes",
                            Part::step, all_of({at_most(at, source), less(source, at + Sym(2) * h)})));
  Scope wrong;
  const Sym side = wrong.size("S");
  const Sym blocks = wrong.size("m");
  const Sym plane = wrong.natural("plane_base");
  const Sym block = wrong.natural("first_block");
  const Sym offset = wrong.digit_up_to("byte", blocks * side);
  const Sym got = page::local_half(plane, block, side) + offset;
  const Sym bound = plane + block * side + blocks * side;
  o.mutants.push_back(mutant(wrong, name + ".one_byte_long",
                             "halves of m · S + 1 bytes land in the run's blocks", less(got, bound),
                             {{{"S", side}, {"m", blocks}, {"plane_base", plane}},
                              {{"first_block", block}, {"byte", offset}},
                              "address below",
                              "",
                              bound,
                              got}));
  return o;
}

Obligation runs_apart() {
  const std::string name = "run_halves.disjoint";
  Obligation o{.name = name,
               .claim = "the halves of runs that share no block share no byte of a plane",
               .shapes = "all S, bases, and runs one of which ends before the other begins"};
  Scope scope;
  const Sym S = scope.size("S");
  const Sym base = scope.natural("plane_base");
  const Sym first = scope.natural("first_a");
  const Sym m = scope.size("m_a");
  const Sym gap = scope.natural("blocks_between");
  const Sym half = m * S;
  const Sym byte_a = scope.digit("byte_a", half);
  const Sym byte_b = scope.natural("byte_b");
  const Sym a = page::local_half(base, first, S) + byte_a;
  const Sym b = page::local_half(base, first + m + gap, S) + byte_b;
  o.queries.push_back(query(scope, name + ".order",
                            "every byte of the first lies before every byte of the second", Part::step,
                            less(a, b)));
  Scope wrong;
  const Sym s = wrong.size("S");
  const Sym plane = wrong.natural("plane_base");
  const Sym start = wrong.natural("first_a");
  const Sym run = wrong.size("m_a");
  const Sym p = wrong.digit("byte_a", run * s);
  const Sym q = wrong.natural("byte_b");
  const Sym x = page::local_half(plane, start, s) + p;
  const Sym y = page::local_half(plane, start + Sym(1), s) + q;
  o.mutants.push_back(mutant(wrong, name + ".next_block",
                             "a run may begin at the block after another's first", less(x, y),
                             {{{"S", s}, {"m_a", run}, {"plane_base", plane}},
                              {{"first_a", start}, {"byte_a", p}, {"byte_b", q}},
                              "address below",
                              "",
                              y,
                              x}));
  return o;
}

// A registered range and a row, in words below W, as the checker of plans reads them
// (kernels/plan/check.cpp).
struct Words {
  Sym word, base, size, address, bytes;
};

Words words_in(Scope& scope) {
  const Words w{scope.size("W"), scope.natural("base"), scope.natural("size"), scope.natural("address"),
                scope.size("bytes")};
  scope.assume(at_most(w.base + w.size, w.word));
  scope.assume(less(w.address, w.word));
  return w;
}

// `result` is a word, and the sum or that less W.
void wraps_to(Scope& scope, const Words& w, const Sym& result, const Sym& sum) {
  scope.assume(less(result, w.word));
  scope.assume(any_of({equal(sum, result), equal(sum, result + w.word)}));
}

Obligation checker_inside() {
  const std::string name = "checker.inside";
  Obligation o{.name = name,
               .claim = "a row that passes the checker's subtractions lies inside its range, whatever wraps",
               .shapes = "all words, ranges that end by the last word, rows of a byte or more"};
  Scope scope;
  const Words w = words_in(scope);
  const Sym distance = scope.natural("distance");  // address − base, in words
  wraps_to(scope, w, w.address, w.base + distance);
  scope.assume(less(distance, w.word));
  scope.assume(at_most(distance, w.size));
  scope.assume(at_most(distance + w.bytes, w.size));  // bytes <= size − distance, which does not wrap
  o.queries.push_back(
      query(scope, name + ".inside", "base <= address and address + bytes <= base + size", Part::whole,
            all_of({at_most(w.base, w.address), at_most(w.address + w.bytes, w.base + w.size)})));
  Scope wrong;
  const Words v = words_in(wrong);
  const Sym end = wrong.natural("end");
  wraps_to(wrong, v, end, v.address + v.bytes);
  wrong.assume(at_most(v.base, v.address));
  wrong.assume(at_most(end, v.base + v.size));
  o.mutants.push_back(mutant(wrong, name + ".sum",
                             "address + bytes, added in words, may be compared with the end",
                             at_most(v.address + v.bytes, v.base + v.size),
                             {{{"W", v.word}, {"base", v.base}, {"size", v.size}},
                              {{"address", v.address}, {"bytes", v.bytes}},
                              "end at most",
                              "",
                              v.base + v.size,
                              v.address + v.bytes}));
  return o;
}

Obligation checker_apart() {
  const std::string name = "checker.disjoint";
  Obligation o{.name = name,
               .claim = "of rows in order of their addresses it is enough to compare neighbours",
               .shapes = "all rows; induction over the list"};
  Scope scope;
  const Sym before = scope.natural("address_before");
  const Sym bytes = scope.size("bytes_before");
  const Sym next = scope.natural("address_next");
  const Sym later = scope.natural("address_later");
  scope.assume(at_most(before + bytes, next));
  scope.assume(at_most(next, later));
  o.queries.push_back(query(scope, name + ".step",
                            "a row that ends before its neighbour ends before every later row", Part::step,
                            at_most(before + bytes, later)));
  Scope wrong;
  const Sym a = wrong.natural("address_before");
  const Sym n = wrong.size("bytes_before");
  const Sym b = wrong.natural("address_next");
  const Sym c = wrong.natural("address_later");
  wrong.assume(at_most(a + n, b));
  o.mutants.push_back(mutant(wrong, name + ".unsorted", "neighbours are enough in any order",
                             at_most(a + n, c),
                             {{{"bytes_before", n}},
                              {{"address_before", a}, {"address_next", b}, {"address_later", c}},
                              "address at least",
                              "",
                              a + n,
                              c}));
  return o;
}

}  // namespace

std::vector<Obligation> transfer_obligations() {
  return {staged_once(), staged_inside(),  run_cover(),    run_inside(),
          runs_apart(),  checker_inside(), checker_apart()};
}

}  // namespace pageproof::proof
