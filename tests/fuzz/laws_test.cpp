#include "fuzz/laws/laws.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fuzz/campaign/mutants.hpp"
#include "fuzz/campaign/run.hpp"
#include "fuzz/laws/faulty.hpp"
#include "fuzz/laws/memory.hpp"
#include "fuzz/property/property.hpp"

namespace pageproof::fuzz {
namespace {

ConvertCase random_case(std::uint64_t seed) {
  Choices choices(seeded(seed));
  return make_convert_case(choices, wide_extent());
}

// The mutants stand on a converter that is right without its fault.
TEST(Laws, HoldForThePlainConverterWithoutAFault) {
  const Converter plain = faulty_converter(Fault::none);
  for (const Law& law : convert_laws()) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const ConvertCase c = random_case(seed);
      const Verdict verdict = law.check(c, plain);
      ASSERT_FALSE(verdict.has_value()) << law.name << "\n" << to_string(c) << "\n" << verdict->where;
    }
  }
}

TEST(Laws, NameTheFirstDifferingPlaceBothBytesAndTheCount) {
  ConvertCase c;
  c.shape = {3, 16, 64, 2};
  c.layers = 2;
  c.plane_blocks = 3;
  c.from = {0};
  c.to = {2};
  const PlanesMemory expected = planes_memory(c);
  PlanesMemory got = expected;
  // Layer 1, V block 2, head 1: element 1 · N · D of the block is token 0, dim 0; 8 elements on is dim 1.
  const std::uint64_t at = got.value.begin(1, 2) + (1 * 16 * 64 + 8) * 2;
  got.bytes[at] ^= std::byte{0xFF};
  got.bytes[at + 2] ^= std::byte{0xFF};
  const auto difference = difference_in(c, expected, got);
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->where, "layer=1 block=2 side=V head=1 token=0 dim=1");
  EXPECT_EQ(difference->count, 2u);
  EXPECT_EQ(difference->expected, expected.bytes[at]);
  EXPECT_EQ(difference->got, expected.bytes[at] ^ std::byte{0xFF});
  EXPECT_FALSE(difference_outside(c, expected, got).has_value());
}

TEST(Laws, SeeBytesOutsideEveryBlock) {
  ConvertCase c;
  c.shape = {1, 16, 64, 1};
  c.plane_blocks = 2;
  c.plane_gap = 16;
  const PlanesMemory before = planes_memory(c);
  PlanesMemory after = before;
  const std::uint64_t gap = after.key.begin(0, 0) + c.shape.side_bytes();
  after.bytes[gap] ^= std::byte{1};
  const auto difference = difference_outside(c, before, after);
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->where, "byte " + std::to_string(gap) + ", outside every block");
}

TEST(Memory, KeyAndValueDifferAndNaNsOccur) {
  ConvertCase c;
  c.shape = {1, 16, 64, 2};
  const StandardMemory memory = standard_memory(c);
  const std::byte* const page = &memory.bytes[memory.pages.begin(0, 0)];
  std::size_t nans = 0, same = 0;
  for (std::size_t token = 0; token < 16; ++token) {
    for (std::size_t dim = 0; dim < 64; ++dim) {
      const std::byte* const key = page + (token * 128 + dim) * 2;
      const std::byte* const value = key + 128;
      if (key[0] == value[0] && key[1] == value[1]) ++same;
      const bool exponent_full =
          (key[1] & std::byte{0x7F}) == std::byte{0x7F} && (key[0] >> 7) == std::byte{1};
      if (exponent_full && (key[0] & std::byte{0x7F}) != std::byte{0}) ++nans;
    }
  }
  EXPECT_LT(same, 16u);
  EXPECT_GT(nans, 200u);
}

TEST(Properties, EachHasMutantsThatCarryItsName) {
  ASSERT_GE(all_properties().size(), 13u);
  for (const Property& property : all_properties()) {
    EXPECT_FALSE(property.mutants.empty()) << property.name;
    EXPECT_FALSE(property.claim.empty()) << property.name;
  }
  for (const FaultEntry& entry : faults()) {
    EXPECT_TRUE(std::ranges::count(all_properties(), entry.law, &Property::name) == 1) << entry.law;
  }
}

TEST(Properties, HoldOnAFewRandomCases) {
  for (const Property& property : all_properties()) {
    const Tried tried = run_random(property.run, 11, property.quick_cases / 10);
    EXPECT_EQ(tried.cases, property.quick_cases / 10) << property.name;
    EXPECT_FALSE(tried.found.has_value()) << to_string(tried.found->failure);
  }
}

TEST(Properties, DescribeTheCaseThatTheyRun) {
  for (const Property& property : all_properties()) {
    for (const Domain domain : {Domain::small, Domain::wide}) {
      Choices running(seeded(5)), describing(seeded(5));
      property.run(running, domain);
      property.describe(describing, domain);
      EXPECT_EQ(running.made(), describing.made()) << property.name;
    }
  }
}

TEST(Mutants, EachIsRefutedWithinTheQuickBudgetWhateverTheSeed) {
  for (const Property& property : all_properties()) {
    for (const Mutant& mutant : property.mutants) {
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const MutantResult result = try_mutant(property, mutant, seed, property.quick_cases);
        EXPECT_FALSE(result.problem.has_value()) << "seed " << seed << "\n" << to_string(*result.problem);
      }
    }
  }
}

TEST(Mutants, OneThatIsNotRefutedIsAProblem) {
  const Property& property = all_properties().front();
  const Mutant harmless{"harmless", "no fault at all", property.run};
  const MutantResult result = try_mutant(property, harmless, 1, 10);
  EXPECT_EQ(result.cases, 10u);
  ASSERT_TRUE(result.problem.has_value());
  EXPECT_EQ(result.problem->got, "holds");
}

TEST(Mutants, OneThatIsRefutedUnderAnotherNameIsAProblem) {
  const Property& property = all_properties().front();
  const Mutant strange{"strange", "answers for another claim", [](Choices&, Domain) {
                         return std::optional<Failure>(Failure{"other.claim", "", "", "", "", ""});
                       }};
  const MutantResult result = try_mutant(property, strange, 1, 10);
  ASSERT_TRUE(result.problem.has_value());
  EXPECT_EQ(result.problem->got, "refuted as other.claim");
}

}  // namespace
}  // namespace pageproof::fuzz
