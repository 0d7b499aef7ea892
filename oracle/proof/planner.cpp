// What the planner that ships computes, by its own text (kernels/plan/row.hpp): rows lie inside their blocks
// and apart, and are where the contracts of model/page/landing.hpp and the order of heads want them. Numbers
// have no width here: an address that lies below a region's end wraps where that end does, and the planner
// refuses such regions.
#include "kernels/plan/row.hpp"
#include "model/page/landing.hpp"
#include "oracle/proof/obligation.hpp"

namespace pageproof::proof {
namespace {

using plan::half_base;
using plan::part_id;
using plan::row_address;
using plan::run_half_address;
using plan::series_of_share;
using plan::staged_series;

// A list of whole blocks, of which each is one row.
Sym block_row(const Sym& base, const Sym& stride, const Sym& bytes, const Sym& block) {
  return row_address(series_of_share(base, stride, Sym(1), Sym(1), bytes, Sym(0)), block, Sym(0));
}

Obligation rows() {
  const std::string name = "planner.rows";
  Obligation o{.name = name,
               .claim =
                   "row block · parts + part of a series is that block's and that part's, and is below "
                   "count · parts",
               .shapes = "all block counts, block ids below them, and parts"};
  Scope scope;
  const Sym parts = scope.size("parts");
  const Sym count = scope.size("count");
  const Sym block = scope.digit("block", count);
  const Sym part = scope.digit("part", parts);
  const Sym id = part_id(block, part, parts);
  const page::Split<Sym> back = split(id, parts);
  o.queries.push_back(query(scope, name + ".back", "dividing the number gives block and part", Part::identity,
                            all_of({equal(back.quotient, block), equal(back.remainder, part)})));
  append(o.queries, cut_queries(scope, name));
  o.queries.push_back(
      query(scope, name + ".inside", "0 <= number < count · parts", Part::step, within(id, count * parts)));
  Scope wrong;
  const Sym p = wrong.size("parts");
  const Sym n = wrong.size("count");
  const Sym last = wrong.digit_up_to("block", n);
  const Sym of = wrong.digit("part", p);
  o.mutants.push_back(mutant(wrong, name + ".block_too_far",
                             "block `count` has rows of the series (<= for <)",
                             less(part_id(last, of, p), n * p),
                             {{{"parts", p}, {"count", n}},
                              {{"block", last}, {"part", of}},
                              "row below",
                              "",
                              n * p,
                              part_id(last, of, p)}));
  return o;
}

Obligation inside() {
  const std::string name = "planner.inside";
  Obligation o{
      .name = name,
      .claim =
          "every byte of a row lies in its block and below the region's end, so no address wraps "
          "where the end does not",
      .shapes = "all bases, strides, lengths, block ids below the count, shares or parts of a block"};
  Scope sum;
  const Sym base = sum.natural("base");
  const Sym stride = sum.size("stride");
  const Sym bytes = sum.size("bytes");
  const Sym block = sum.natural("block");
  const Sym share = sum.natural("share");
  const Sym part = sum.natural("part");
  const Sym byte = sum.natural("byte");
  const auto series = series_of_share(base, stride, Sym(1), Sym(1), bytes, share);
  o.queries.push_back(query(sum, name + ".place",
                            "address + byte = base + block · stride + ((share + part) · bytes + byte)",
                            Part::identity,
                            equal(row_address(series, block, part) + byte,
                                  base + block * stride + ((share + part) * bytes + byte))));
  Scope one;
  const Sym length = one.size("bytes");
  const Sym shares = one.size("shares");
  const Sym which = one.digit("share", shares);
  const Sym at = one.digit("byte", length);
  o.queries.push_back(query(one, name + ".block", "one share, or one part, lies in shares · bytes",
                            Part::step, within(which * length + at, shares * length)));
  Scope region;
  const Sym step = region.size("stride");
  const Sym len = region.size("block_len");
  const Sym id = region.natural("block");
  const Sym behind = region.natural("blocks_behind");
  const Sym in_block = region.digit("block_byte", len);
  o.queries.push_back(query(region, name + ".region", "a block ends by the end of the last one", Part::step,
                            less(id * step + in_block, (id + behind) * step + len)));
  Scope wrong;
  const Sym l = wrong.size("bytes");
  const Sym n = wrong.size("shares");
  const Sym last = wrong.digit_up_to("share", n);
  const Sym b = wrong.digit("byte", l);
  o.mutants.push_back(mutant(wrong, name + ".share_too_far", "share number `shares` lies in the block",
                             less(last * l + b, n * l),
                             {{{"bytes", l}, {"shares", n}},
                              {{"share", last}, {"byte", b}},
                              "block byte below",
                              "",
                              n * l,
                              last * l + b}));
  return o;
}

Obligation apart() {
  const std::string name = "planner.apart";
  Obligation o{.name = name,
               .claim = "rows of two blocks of a region, and two shares or parts of a block, share no byte",
               .shapes = "all strides, lengths up to the stride, block ids, shares and parts"};
  const auto same = [](Scope& scope, const Sym& step, const Sym& bound) {
    const Sym a = scope.natural("number_a");
    const Sym b = scope.natural("number_b");
    const Sym p = scope.digit("byte_a", bound);
    const Sym q = scope.digit("byte_b", bound);
    return Example{{{"step", step}, {"bytes", bound}},
                   {{"number_a", a}, {"byte_a", p}, {"number_b", b}, {"byte_b", q}},
                   "byte other than",
                   "",
                   a * step + p,
                   b * step + q};
  };
  Scope scope;
  const Sym step = scope.size("step");
  const Example meeting = same(scope, step, step);
  o.queries.push_back(
      query(scope, name + ".once", "blocks a stride apart, and shares a length apart: equal bytes are one",
            Part::step,
            implies(equal(meeting.expected, meeting.got),
                    all_of({equal(meeting.coordinate[0].second, meeting.coordinate[2].second),
                            equal(meeting.coordinate[1].second, meeting.coordinate[3].second)}))));
  Scope shorter;
  const Sym stride = shorter.size("stride");
  const Sym length = shorter.size("block_len");
  shorter.assume(at_most(length, stride));
  const Sym byte = shorter.digit("byte", length);
  o.queries.push_back(query(shorter, name + ".stride", "a byte of a block lies below the stride", Part::whole,
                            within(byte, stride)));
  Scope wrong;
  const Sym s = wrong.size("step");
  const Sym len = wrong.size("bytes");
  wrong.assume(less(s, len));
  const Example overlap = same(wrong, s, len);
  o.mutants.push_back(mutant(wrong, name + ".short_stride", "blocks longer than their stride do not overlap",
                             implies(equal(overlap.expected, overlap.got),
                                     equal(overlap.coordinate[0].second, overlap.coordinate[2].second)),
                             overlap));
  return o;
}

Obligation halves() {
  const std::string name = "planner.halves";
  Obligation o{.name = name,
               .claim = "the planner's two rows of a page are the halves of the landing's contract",
               .shapes = "all S, bases and block ids"};
  Scope scope;
  const Sym S = scope.size("S");
  const Sym base = scope.natural("base");
  const Sym block = scope.natural("block");
  const Sym half = scope.digit("half", Sym(2));
  o.queries.push_back(query(scope, name + ".local", "the row of a plane's block", Part::identity,
                            equal(block_row(base, S, S, block), page::local_half(base, block, S))));
  o.queries.push_back(query(scope, name + ".remote", "the row of half `half` of a page", Part::identity,
                            equal(block_row(half_base(base, half, S), Sym(2) * S, S, block),
                                  page::remote_half(base, block, half, S))));
  const Sym got = block_row(half_base(base, half, S), S, S, block);
  const Sym expected = page::remote_half(base, block, half, S);
  o.mutants.push_back(
      mutant(scope, name + ".length_for_stride", "pages lie a half apart", equal(expected, got),
             {{{"S", S}, {"base", base}}, {{"block", block}, {"half", half}}, "address", "", expected, got}));
  return o;
}

Obligation staged() {
  const std::string name = "planner.staged";
  Obligation o{.name = name,
               .claim = "the planner's row of a staged page, and of the page itself, are the contract's",
               .shapes = "all page sizes, page counts, layers and bases"};
  Scope scope;
  const Sym page = scope.size("page");
  const Sym pages = scope.size("pages");
  const Sym base = scope.natural("base");
  const Sym layer = scope.natural("layer");
  const Sym index = scope.natural("page_index");
  const Sym byte = scope.natural("byte");
  const auto row = [&](const Sym& used) {
    return row_address(staged_series(base, used, page, pages), index, Sym(0)) + byte;
  };
  const Sym expected = page::staged(base, layer, index, pages, byte, page);
  o.queries.push_back(query(scope, name + ".staging", "after `layer` layers of `pages` pages", Part::identity,
                            equal(row(layer * (pages * page)), expected)));
  o.queries.push_back(query(scope, name + ".page", "the page's row is its first half's, as long as both",
                            Part::identity,
                            equal(block_row(base, Sym(2) * page, Sym(2) * page, index),
                                  page::remote_half(base, index, Sym(0), page))));
  o.mutants.push_back(mutant(scope, name + ".one_page_a_layer", "each layer takes one page of the memory",
                             equal(row(layer * page), expected),
                             {{{"page", page}, {"pages", pages}, {"base", base}},
                              {{"layer", layer}, {"page_index", index}, {"byte", byte}},
                              "address",
                              "",
                              expected,
                              row(layer * page)}));
  return o;
}

Obligation run_halves() {
  const std::string name = "planner.run_halves";
  Obligation o{.name = name,
               .claim = "the planner's two rows of a run are the halves of its bytes",
               .shapes = "all S, run lengths, bases and first blocks"};
  Scope scope;
  const Sym S = scope.size("S");
  const Sym m = scope.size("m");
  const Sym base = scope.natural("base");
  const Sym first = scope.natural("first_block");
  const Sym half = scope.digit("half", Sym(2));
  const Sym expected = page::remote_run_half(base, first, half, m, S);
  const auto remote = [&](const Sym& half_bytes) {
    return run_half_address(base, first, Sym(2) * S, half, half_bytes);
  };
  o.queries.push_back(
      query(scope, name + ".local", "the run's first block of a plane", Part::identity,
            equal(run_half_address(base, first, S, Sym(0), m * S), page::local_half(base, first, S))));
  o.queries.push_back(query(scope, name + ".remote", "half `half` of the run's m pages", Part::identity,
                            equal(remote(m * S), expected)));
  o.mutants.push_back(mutant(scope, name + ".page_for_run", "the second half begins after half a page",
                             equal(remote(S), expected),
                             {{{"S", S}, {"m", m}, {"base", base}},
                              {{"first_block", first}, {"half", half}},
                              "address",
                              "",
                              expected,
                              remote(S)}));
  return o;
}

// Blocks whose outermost axis is the heads, `head` bytes each; of a two-slot page, that is a slot.
Obligation heads() {
  const std::string name = "planner.heads";
  Obligation o{.name = name,
               .claim = "under unequal TP a rank's share of a block, or of a slot, is whole heads: its own",
               .shapes = "all head sizes, heads of a rank, ranks, strides, bases and block ids"};
  Scope scope;
  const Sym head = scope.size("head_bytes");
  const Sym heads = scope.size("heads_of_share");
  const Sym ranks = scope.size("ranks");
  const Sym base = scope.natural("base");
  const Sym stride = scope.size("stride");
  const Sym block = scope.natural("block");
  const Sym rank = scope.digit("rank", ranks);
  const Sym h = scope.digit("head", heads);
  const Sym byte = scope.natural("byte");
  const Sym slot = scope.digit("slot", Sym(2));
  const Sym bytes = heads * head;
  const auto share = [&](const Sym& from, const Sym& share_bytes) {
    return row_address(series_of_share(from, stride, Sym(1), Sym(1), share_bytes, rank), block, Sym(0));
  };
  o.queries.push_back(query(
      scope, name + ".whole", "head h of rank k is head k · heads + h of the block", Part::identity,
      equal(share(base, bytes) + h * head + byte, base + block * stride + (rank * heads + h) * head + byte)));
  const Sym slot_bytes = ranks * bytes;
  const Sym expected = base + block * stride + slot * slot_bytes + (rank * heads + h) * head + byte;
  o.queries.push_back(query(
      scope, name + ".slot", "and of its slot, where K and V are the two halves of a page", Part::identity,
      equal(share(half_base(base, slot, slot_bytes), bytes) + h * head + byte, expected)));
  // Whole blocks cut in `ranks`: of the second rank, where its own K heads should be.
  const Sym got = share(base, Sym(2) * bytes) + h * head + byte;
  const Sym key_head = base + block * stride + (rank * heads + h) * head + byte;
  o.mutants.push_back(
      mutant(scope, name + ".slots_as_one", "a share of a whole two-slot page begins with K's heads",
             equal(got, key_head),
             {{{"head_bytes", head}, {"heads_of_share", heads}, {"ranks", ranks}, {"base", base}},
              {{"block", block}, {"rank", rank}, {"head", h}, {"byte", byte}},
              "address",
              "",
              key_head,
              got}));
  return o;
}

}  // namespace

std::vector<Obligation> planner_obligations() {
  return {rows(), inside(), apart(), halves(), staged(), run_halves(), heads()};
}

}  // namespace pageproof::proof
