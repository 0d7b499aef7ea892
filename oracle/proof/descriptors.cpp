// The descriptors of a READ: halves of distinct blocks are disjoint, lie in their region, and cover the page.
#include <fmt/format.h>

#include "model/page/landing.hpp"
#include "oracle/proof/obligation.hpp"

namespace pageproof::proof {
namespace {

// A byte of the half that goes to local block `block` of a plane.
Sym local_byte(const Sym& base, const Sym& block, const Sym& side, const Sym& byte) {
  return page::local_half(base, block, side) + byte;
}

Obligation disjoint() {
  const std::string name = "descriptors.disjoint";
  Obligation o{.name = name,
               .claim = "no byte belongs to the halves of two blocks, nor to both halves of one",
               .shapes = "all S, bases and block ids; planes that do not overlap"};
  Scope one;
  const Sym side = one.size("S");
  const Sym base = one.natural("plane_base");
  const Sym a = one.natural("block_a");
  const Sym b = one.natural("block_b");
  const Sym byte_a = one.digit("byte_a", side);
  const Sym byte_b = one.digit("byte_b", side);
  o.queries.push_back(query(
      one, name + ".one_plane", "equal addresses in one plane mean equal blocks", Part::step,
      implies(equal(local_byte(base, a, side, byte_a), local_byte(base, b, side, byte_b)), equal(a, b))));
  o.mutants.push_back(
      mutant(one, name + ".byte_too_far", "blocks differ whenever bytes do",
             implies(equal(local_byte(base, a, side, byte_a), local_byte(base, b, side, byte_b)),
                     negation(equal(a, b))),
             {{{"S", side}, {"plane_base", base}},
              {{"block_a", a}, {"block_b", b}, {"byte_a", byte_a}, {"byte_b", byte_b}},
              "address other than",
              "",
              local_byte(base, a, side, byte_a),
              local_byte(base, b, side, byte_b)}));
  const auto two_planes = [](Scope& scope, bool overlapping) {
    const Sym S = scope.size("S");
    const Sym blocks = scope.size("B");
    const Sym key_base = scope.natural("k_base");
    const Sym value_base = scope.natural("v_base");
    const Sym plane_bytes = blocks * S;
    if (overlapping) {
      scope.assume(less(key_base, value_base));
    } else {
      scope.assume(
          any_of({at_most(key_base + plane_bytes, value_base), at_most(value_base + plane_bytes, key_base)}));
    }
    const Sym i = scope.digit("block_k", blocks);
    const Sym j = scope.digit("block_v", blocks);
    const Sym at_i = scope.digit("byte_k", S);
    const Sym at_j = scope.digit("byte_v", S);
    return Example{{{"S", S}, {"B", blocks}, {"k_base", key_base}, {"v_base", value_base}},
                   {{"block_k", i}, {"block_v", j}, {"byte_k", at_i}, {"byte_v", at_j}},
                   "address other than",
                   "",
                   local_byte(key_base, i, S, at_i),
                   local_byte(value_base, j, S, at_j)};
  };
  Scope planes;
  const Example apart = two_planes(planes, false);
  o.queries.push_back(query(planes, name + ".two_planes", "no byte lies in a K half and a V half",
                            Part::whole, negation(equal(apart.expected, apart.got))));
  Scope wrong;
  const Example meeting = two_planes(wrong, true);
  o.mutants.push_back(mutant(wrong, name + ".overlapping", "planes need only begin at different addresses",
                             negation(equal(meeting.expected, meeting.got)), meeting));
  return o;
}

Obligation inside() {
  const std::string name = "descriptors.inside";
  Obligation o{.name = name,
               .claim = "every byte of a half lies in its region, on both sides of the READ",
               .shapes = "all S, block counts, bases and block ids below the counts"};
  Scope local;
  const Sym side = local.size("S");
  const Sym blocks = local.size("B");
  const Sym base = local.natural("base");
  const Sym block = local.digit("block", blocks);
  const Sym byte = local.digit("byte", side);
  const Sym address = local_byte(base, block, side, byte);
  o.queries.push_back(query(local, name + ".local", "base <= address < base + B·S", Part::step,
                            all_of({at_most(base, address), less(address, base + blocks * side)})));
  Scope remote;
  const Sym S = remote.size("S");
  const Sym page = remote.size("page");
  remote.assume(equal(page, Sym(2) * S));
  const Sym count = remote.size("B");
  const Sym start = remote.natural("base");
  const Sym id = remote.digit("block", count);
  const Sym half = remote.digit("half", Sym(2));
  const Sym at = remote.digit("byte", S);
  const Sym in_page = half * S + at;
  o.queries.push_back(query(remote, name + ".remote.half", "byte `half · S + byte` lies in the page",
                            Part::step, within(in_page, Sym(2) * S)));
  o.queries.push_back(
      query(remote, name + ".remote.address", "remote half + byte = base + block · page + page byte",
            Part::identity,
            equal(page::remote_half(start, id, half, S) + at, start + id * (Sym(2) * S) + in_page)));
  Scope region;
  const Sym page_bytes = region.size("page");
  const Sym pages = region.size("B");
  const Sym remote_base = region.natural("base");
  const Sym remote_block = region.digit("block", pages);
  const Sym page_byte = region.digit("page_byte", page_bytes);
  const Sym remote_address = remote_base + remote_block * page_bytes + page_byte;
  o.queries.push_back(query(region, name + ".remote.region", "base <= address < base + B·page", Part::step,
                            all_of({at_most(remote_base, remote_address),
                                    less(remote_address, remote_base + pages * page_bytes)})));
  Scope wrong;
  const Sym s = wrong.size("S");
  const Sym n = wrong.size("B");
  const Sym first = wrong.natural("base");
  const Sym last = wrong.digit_up_to("block", n);
  const Sym offset = wrong.digit("byte", s);
  const Sym got = local_byte(first, last, s, offset);
  o.mutants.push_back(mutant(wrong, name + ".block_too_far", "block id B lies in the region (<= for <)",
                             less(got, first + n * s),
                             {{{"S", s}, {"B", n}, {"base", first}},
                              {{"block", last}, {"byte", offset}},
                              "address below",
                              "",
                              first + n * s,
                              got}));
  return o;
}

Obligation cover() {
  const std::string name = "descriptors.cover";
  Obligation o{
      .name = name, .claim = "the two halves cover each byte of the page exactly once", .shapes = "all S"};
  Scope scope;
  const Sym side = scope.size("S");
  const Sym byte = scope.digit("page_byte", Sym(2) * side);
  const page::Split<Sym> half = page::landed(byte, side);
  o.queries.push_back(query(scope, name + ".covered", "every page byte lies in half 0 or half 1", Part::whole,
                            all_of({within(half.quotient, Sym(2)), within(half.remainder, side)})));
  Scope once;
  const Sym S = once.size("S");
  const Sym a = once.digit("half_a", Sym(2));
  const Sym b = once.digit("half_b", Sym(2));
  const Sym byte_a = once.digit("byte_a", S);
  const Sym byte_b = once.digit("byte_b", S);
  const Sym page_a = a * S + byte_a;
  const Sym page_b = b * S + byte_b;
  o.queries.push_back(query(once, name + ".once", "and in one of them only", Part::step,
                            implies(equal(page_a, page_b), all_of({equal(a, b), equal(byte_a, byte_b)}))));
  Scope wrong;
  const Sym s = wrong.size("S");
  const Sym too_long = wrong.digit_up_to("byte", s);
  const Sym got = too_long;
  o.mutants.push_back(mutant(wrong, name + ".one_byte_long", "halves of S + 1 bytes do not overlap",
                             less(got, page::remote_half(Sym(0), Sym(0), Sym(1), s)),
                             {{{"S", s}},
                              {{"half", Sym(0)}, {"byte", too_long}},
                              "page byte below",
                              "",
                              page::remote_half(Sym(0), Sym(0), Sym(1), s),
                              got}));
  return o;
}

}  // namespace

std::vector<Obligation> descriptor_obligations() {
  return {disjoint(), inside(), cover()};
}

}  // namespace pageproof::proof
