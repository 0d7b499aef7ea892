// Law: pages written in a format are identified as that format, or as exactly the formats that put every
// element at the same byte for the shape. The class is found apart from the code, by comparing offset tables.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/reports/identify/pages.hpp"

namespace pageproof::reports {
namespace {

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const std::uint64_t e : {1, 2}) {
    for (const std::uint64_t H : {1, 2, 3, 8}) {
      for (const std::uint64_t N : {16, 32}) {
        for (const std::uint64_t D : {64, 128}) all.push_back({H, N, D, e});
      }
    }
  }
  all.push_back({3, 8, 64, 2});  // N = x: several orders fall together
  return all;
}

using Named = std::set<std::pair<std::string, Arrangement>>;

// The side is the outermost digit: a page that is two planes side by side.
bool side_outermost(const page::PageFormat& format) {
  return format.key.front() == page::Digit{page::Axis::side};
}

// In which arrangements may a format be written without an accident?
bool natural(const page::PageFormat& format, Form form) {
  if (format.key_only()) return false;
  if (format.regions == page::Regions::planes) return true;
  return form == Form::side_by_side || (form == Form::tensors && side_outermost(format));
}

Arrangement arrangement_of(Form form) {
  if (form == Form::tensors) return Arrangement::two_tensors;
  return form == Form::side_by_side ? Arrangement::side_by_side : Arrangement::one_after_another;
}

std::string digits(const page::PageFormat& format, Side side) {
  const std::string text = to_string(page::normal_form(side == Side::key ? format.key : format.value));
  return format.regions == page::Regions::planes ? "s " + text : text;
}

Complaints written_formats_are_identified(const Shape& shape, const Diligence& diligence) {
  Complaints complaints;
  const Reference reference = random_reference(shape, 3, 7 + shape.heads);
  std::vector<std::pair<const page::PageFormat*, Table>> tables;
  for (const page::PageFormat& format : page::catalogue()) {
    if (!format.key_only() && page::fits(format, shape))
      tables.emplace_back(&format, table_of(format, shape));
  }
  for (const Form form : {Form::tensors, Form::side_by_side, Form::one_after_another}) {
    for (const auto& [format, table] : tables) {
      if (!natural(*format, form)) continue;
      Dump dump(form, shape, reference.blocks);
      write(dump, reference, table);
      const Identification found = identified(dump, reference, diligence);
      Named expected, got;
      bool one_order = true;
      for (const auto& [other, other_table] : tables) {
        if (!natural(*other, form) || other_table != table) continue;
        expected.emplace(other->tag, arrangement_of(form));
        one_order = one_order && digits(*other, Side::key) == digits(*format, Side::key) &&
                    digits(*other, Side::value) == digits(*format, Side::value);
      }
      for (const Answer& answer : found.answers) {
        const Candidate& candidate = found.candidates[answer.candidate];
        if (candidate.accident == Accident::none) {
          got.emplace(candidate.format->tag, candidate.arrangement);
        } else if (answer.likeness != Likeness::same_place) {
          complaints.push_back(
              fmt::format("{} {} {}: {}", to_string(shape), to_string(form), format->tag, candidate.words));
        }
      }
      const Verdict verdict = one_order ? Verdict::identified : Verdict::ambiguous;
      if (got != expected || found.verdict != verdict || !found.as_wanted()) {
        complaints.push_back(fmt::format("{} {} {}: {} of {} formats\n{}", to_string(shape), to_string(form),
                                         format->tag, got.size(), expected.size(), summary(found)));
      }
    }
  }
  return complaints;
}

class EveryShape : public testing::TestWithParam<Shape> {};

TEST_P(EveryShape, WrittenFormatsAreIdentified) {
  const Complaints complaints = written_formats_are_identified(GetParam(), {});
  EXPECT_TRUE(complaints.empty()) << complaints.size() << " complaints, the first: " << complaints.front();
}

INSTANTIATE_TEST_SUITE_P(identify, EveryShape, testing::ValuesIn(shapes()), [](const auto& param) {
  const Shape& s = param.param;
  return fmt::format("H{}_N{}_D{}_e{}", s.heads, s.tokens, s.head_dim, s.element_bytes);
});

TEST(Mutant, StoppingAtTheFirstMatchIsCaught) {
  EXPECT_FALSE(written_formats_are_identified({3, 8, 64, 2}, {.all_candidates = false}).empty());
}

TEST(Mutant, LookingAtKAloneIsCaught) {
  EXPECT_FALSE(written_formats_are_identified({3, 16, 64, 2}, {.both_sides = false}).empty());
}

}  // namespace
}  // namespace pageproof::reports
