// The symbolic number is trusted code: every template that a proof runs is run here on symbols and on plain
// integers, and the two agree on every value tried, through real division and through what the solver sees.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "model/page/landing.hpp"
#include "model/page/layout.hpp"
#include "model/page/words.hpp"
#include "oracle/offset/layouts.hpp"
#include "oracle/offset/readers.hpp"
#include "oracle/proof/world.hpp"

namespace pageproof::proof {
namespace {

using U = std::uint64_t;

// Values for a world's variables: sizes from 1 to 5, digits below their bounds.
Values values_for(const World& w, std::mt19937& random) {
  Values values;
  for (const Formula& assumption : w.scope.assumptions()) {
    std::vector<std::string> names;
    variables_of(assumption, names);
    for (const std::string& name : names) {
      if (!w.scope.bounds().contains(name)) values.emplace(name, 1 + random() % 5);
    }
  }
  for (const auto& [name, bound] : w.scope.bounds()) {
    values[name] = static_cast<std::int64_t>(random() % static_cast<U>(*evaluate(bound, values)));
  }
  return values;
}

U value(const Sym& sym, const Values& values) {
  const std::optional<std::int64_t> found = evaluate(sym, values);
  EXPECT_TRUE(found.has_value());
  return static_cast<U>(found.value_or(-1));
}

struct Plain {
  page::Sizes<U> sizes;
  page::AxisValues<U> place;
};

Plain plain_of(const World& w, const Values& values) {
  Plain plain{{{}, w.x}, {}};
  for (std::size_t axis = 0; axis < page::kAxes; ++axis) {
    plain.sizes.axis[axis] = value(w.sizes.axis[axis], values);
    plain.place[axis] = value(w.place[axis], values);
  }
  return plain;
}

// What the solver reads of the same number: quotients and remainders replaced by their cuts.
U seen(const Sym& sym, const Values& values) {
  const Node& node = sym.node();
  if (node.seen) return seen(*node.seen, values);
  if (node.kind == Node::Kind::sum) return seen(node.parts[0], values) + seen(node.parts[1], values);
  if (node.kind == Node::Kind::product) return seen(node.parts[0], values) * seen(node.parts[1], values);
  return value(sym, values);
}

void expect_same(const Sym& sym, U plain, const Values& values, const std::string& what) {
  EXPECT_EQ(value(sym, values), plain) << what;
  EXPECT_EQ(seen(sym, values), plain) << what << ", as the solver sees it";
}

constexpr int kTries = 20;

TEST(Sym, FoldTemplatesAgreeWithPlainIntegersForEveryFormat) {
  std::mt19937 random(7);
  for (const page::PageFormat& format : page::catalogue()) {
    for (const page::DigitOrder* order : {&format.key, &format.value}) {
      for (const U x : {8, 16}) {
        if (order->empty()) continue;
        const std::unique_ptr<World> w = world(cuts_of({order}, x), x);
        const proof::Run run = run_of(*w, *order);
        const std::vector<Sym> back = page::unfold<Sym>(run.offset, run.radices);
        const page::AxisValues<Sym> again = page::place_of<Sym>(*order, w->sizes, run.digits, w->place);
        for (int i = 0; i < kTries; ++i) {
          const Values values = values_for(*w, random);
          const Plain plain = plain_of(*w, values);
          const std::vector<U> digits = page::digits_of<U>(*order, plain.sizes, plain.place);
          const std::vector<U> radices = page::radices_of<U>(*order, plain.sizes);
          const U offset = page::fold<U>(digits, radices);
          const std::string what = fmt::format("{} x={}", page::to_string(*order), x);
          expect_same(run.offset, offset, values, what);
          const std::vector<U> unfolded = page::unfold<U>(offset, radices);
          for (std::size_t d = 0; d < digits.size(); ++d) {
            expect_same(run.digits[d], digits[d], values, what);
            expect_same(run.radices[d], radices[d], values, what);
            expect_same(back[d], unfolded[d], values, what);
          }
          const page::AxisValues<U> place = page::place_of<U>(*order, plain.sizes, digits, plain.place);
          for (std::size_t axis = 0; axis < page::kAxes; ++axis) {
            expect_same(again[axis], place[axis], values, what);
          }
        }
      }
    }
  }
}

TEST(Sym, OracleTemplatesAgreeWithPlainIntegers) {
  std::mt19937 random(11);
  for (const U x : {8, 16}) {
    Cuts cuts;
    cuts[1] = cuts[3] = {x};
    const std::unique_ptr<World> w = world(cuts, x);
    const Sym block = w->scope.size("block");
    const oracle::Sizes<Sym> s = w->oracle_sizes();
    const oracle::Element<Sym> c = w->oracle_element(block);
    const Sym position = w->scope.size("before") * w->tokens() + c.token;
    const oracle::BlockHeadStrides<Sym> strides{s.heads * s.tokens * s.head_dim, s.tokens * s.head_dim};
    const std::vector<Sym> symbolic{oracle::standard_byte(s, c),
                                    oracle::shuffled_key_byte(s, c),
                                    oracle::shuffled_value_byte(s, c),
                                    oracle::gather_key_byte(s, c),
                                    oracle::gather_value_byte(s, c),
                                    oracle::ll4mi_key_byte(s, strides, c, position),
                                    oracle::ll4mi_value_byte(s, strides, c, position),
                                    oracle::gluon_key_byte(s, c),
                                    oracle::gluon_value_byte(s, c)};
    for (int i = 0; i < kTries; ++i) {
      const Values values = values_for(*w, random);
      const Plain plain = plain_of(*w, values);
      const oracle::Sizes<U> ps{plain.sizes.axis[0], plain.sizes.axis[1], plain.sizes.axis[3], 16 / x, x};
      const oracle::Element<U> pc{value(block, values), plain.place[2], plain.place[0], plain.place[1],
                                  plain.place[3]};
      const oracle::BlockHeadStrides<U> pstrides{ps.heads * ps.tokens * ps.head_dim, ps.tokens * ps.head_dim};
      const U at = value(position, values);
      const std::vector<U> expected{oracle::standard_byte(ps, pc),
                                    oracle::shuffled_key_byte(ps, pc),
                                    oracle::shuffled_value_byte(ps, pc),
                                    oracle::gather_key_byte(ps, pc),
                                    oracle::gather_value_byte(ps, pc),
                                    oracle::ll4mi_key_byte(ps, pstrides, pc, at),
                                    oracle::ll4mi_value_byte(ps, pstrides, pc, at),
                                    oracle::gluon_key_byte(ps, pc),
                                    oracle::gluon_value_byte(ps, pc)};
      for (std::size_t k = 0; k < expected.size(); ++k) {
        expect_same(symbolic[k], expected[k], values, fmt::format("statement {} x={}", k, x));
      }
    }
  }
}

// The readers agree with the writer in numbers too: the same statements, another route.
TEST(Readers, ReadWhereTheWriterWrote) {
  const Shape shape{3, 32, 64, 2};
  const oracle::Sizes<U> s = oracle::plain(shape);
  const oracle::BlockHeadStrides<U> dense{3 * 32 * 64, 32 * 64};
  for (U head = 0; head < 3; ++head) {
    for (U token = 0; token < 32; ++token) {
      for (U dim = 0; dim < 64; ++dim) {
        for (const Side side : {Side::key, Side::value}) {
          const Coordinate coordinate{2, side, head, token, dim};
          const oracle::Element<U> c = oracle::plain(coordinate);
          const bool key = side == Side::key;
          const U written = oracle::shuffled_byte(shape, coordinate);
          EXPECT_EQ(written, key ? oracle::gather_key_byte(s, c) : oracle::gather_value_byte(s, c));
          EXPECT_EQ(written, key ? oracle::ll4mi_key_byte(s, dense, c, U{96} + token)
                                 : oracle::ll4mi_value_byte(s, dense, c, U{96} + token));
          EXPECT_EQ(written, key ? oracle::gluon_key_byte(s, c) : oracle::gluon_value_byte(s, c));
        }
      }
    }
  }
}

TEST(Sym, LayoutLandingAndWordTemplatesAgreeWithPlainIntegers) {
  std::mt19937 random(13);
  for (const page::Layout& layout : page::layouts()) {
    Scope scope;
    const page::PerLayoutAxis<Sym> sizes{scope.size("L"), scope.size("B"), scope.size("H"), scope.size("N"),
                                         scope.size("C")};
    const page::PerLayoutAxis<Sym> stride = page::strides(layout, sizes);
    const page::RegisteredRegion<Sym> region =
        page::registered_region(layout, sizes, scope.natural("layer"), scope.natural("slot"));
    for (int i = 0; i < kTries; ++i) {
      Values values{{"layer", random() % 3}, {"slot", random() % 3}};
      page::PerLayoutAxis<U> plain{};
      for (std::size_t axis = 0; axis < page::kLayoutAxes; ++axis) {
        plain[axis] = 1 + random() % 9;
        values[std::string(1, "LBHNC"[axis])] = static_cast<std::int64_t>(plain[axis]);
      }
      const page::PerLayoutAxis<U> expected = page::strides(layout, plain);
      for (std::size_t axis = 0; axis < page::kLayoutAxes; ++axis) {
        expect_same(stride[axis], expected[axis], values, std::string(layout.name));
      }
      const page::RegisteredRegion<U> plain_region = page::registered_region<U>(
          layout, plain, static_cast<U>(values["layer"]), static_cast<U>(values["slot"]));
      expect_same(region.base, plain_region.base, values, "base");
      expect_same(region.block_len, plain_region.block_len, values, "block_len");
      expect_same(region.block_stride, plain_region.block_stride, values, "block_stride");
    }
  }
  Scope scope;
  const Sym side = scope.size("S");
  const Sym byte = scope.digit("byte", Sym(2) * side);
  const page::Split<Sym> landing = page::landed(byte, side);
  for (U s = 1; s < 20; ++s) {
    for (U b = 0; b < 2 * s; ++b) {
      const Values values{{"S", static_cast<std::int64_t>(s)}, {"byte", static_cast<std::int64_t>(b)}};
      EXPECT_EQ(value(landing.quotient, values), page::landed(b, s).quotient);
      EXPECT_EQ(value(landing.remainder, values), page::landed(b, s).remainder);
      EXPECT_EQ(value(page::remote_half(side, byte, Sym(1), side), values), page::remote_half(s, b, U{1}, s));
      EXPECT_EQ(value(page::local_half(side, byte, side), values), page::local_half(s, b, s));
    }
  }
  for (const U elements : {U{1}, U{1'002'560}, U{1} << 20}) {
    const Sym first = page::first_wrapping_block(scope.known("n"), page::Word::signed_32);
    EXPECT_EQ(value(first, {{"n", static_cast<std::int64_t>(elements)}}),
              page::first_wrapping_block(elements, page::Word::signed_32));
  }
}

TEST(Sym, NoValueWhereOneIsMissingOrTooLarge) {
  Scope scope;
  const Sym a = scope.size("a");
  EXPECT_EQ(evaluate(a, {}), std::nullopt);
  EXPECT_EQ(evaluate(a * a, {{"a", std::int64_t{1} << 40}}), std::nullopt);
  EXPECT_EQ(evaluate(a / (a * Sym(3)), {{"a", 0}}), std::nullopt);
  EXPECT_EQ(evaluate(a + Sym(2), {{"a", 40}}), 42);
}

// A cut is a proposal: a wrong one is refused by its own queries (prove_test). Here: it is right where made.
TEST(Sym, CutsDivideAsProposed) {
  std::mt19937 random(17);
  const page::DigitOrder& order = (*page::find_format("aiter-page16"))->value;
  const std::unique_ptr<World> w = world(cuts_of({&order}, 8), 8);
  const proof::Run run = run_of(*w, order);
  const std::vector<Sym> back = page::unfold<Sym>(run.offset, run.radices);
  ASSERT_GE(w->scope.cuts().size(), back.size());
  for (int i = 0; i < kTries; ++i) {
    const Values values = values_for(*w, random);
    for (const Cut& cut : w->scope.cuts()) {
      EXPECT_EQ(value(cut.value, values) / value(cut.radix, values), value(cut.quotient, values));
      EXPECT_EQ(value(cut.value, values) % value(cut.radix, values), value(cut.remainder, values));
    }
  }
}

TEST(Sym, ANumberOf2To63IsNoValue) {
  EXPECT_EQ(evaluate(Sym((std::uint64_t{1} << 63) - 1), {}), INT64_MAX);
  EXPECT_EQ(evaluate(Sym(std::uint64_t{1} << 63), {}), std::nullopt);
  EXPECT_EQ(evaluate(Sym(UINT64_MAX), {}), std::nullopt) << "not -1";
}

}  // namespace
}  // namespace pageproof::proof
