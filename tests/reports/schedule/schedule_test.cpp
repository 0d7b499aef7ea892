// The schedule converts every run, and no schedule that splits a component does.
#include "reports/schedule/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace pageproof::schedule {
namespace {

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const std::uint64_t heads : {1, 2, 3, 4, 5, 8}) {
    for (const std::uint64_t tokens : {16, 32}) {
      for (const std::uint64_t dim : {64, 128}) {
        for (const std::uint64_t e : {1, 2}) all.push_back({heads, tokens, dim, e});
      }
    }
  }
  return all;
}

TEST(Schedule, converts_every_run) {
  for (const Shape& shape : shapes()) {
    for (const std::uint64_t pages : {1, 2, 3, 4}) {
      const Expected<LandedRun> run = run_of(shape, pages);
      ASSERT_TRUE(run.has_value());
      const Schedule schedule = schedule_of(*run);
      EXPECT_TRUE(converts(*run, schedule)) << to_string(shape) << " m=" << pages;
      std::vector<std::uint32_t> seen;
      for (const auto& step : schedule.steps) seen.insert(seen.end(), step.begin(), step.end());
      std::ranges::sort(seen);
      EXPECT_EQ(seen.size(), run->granules());
      EXPECT_TRUE(std::ranges::adjacent_find(seen) == seen.end());
    }
  }
}

TEST(Schedule, takes_components_in_any_order) {
  const LandedRun run = *run_of({8, 32, 128, 2}, 2);
  Schedule schedule = schedule_of(run);
  ASSERT_EQ(schedule.steps.size(), 149u);
  std::ranges::reverse(schedule.steps);
  EXPECT_TRUE(converts(run, schedule));
  std::ranges::sort(schedule.steps, {}, &std::vector<std::uint32_t>::size);
  EXPECT_TRUE(converts(run, schedule));
}

// Mutant: the largest component in two steps, wherever it is cut.
TEST(Schedule, no_component_can_be_cut) {
  const LandedRun run = *run_of({3, 16, 64, 2}, 2);
  const Schedule whole = schedule_of(run);
  for (const double part : {0.01, 0.25, 0.5, 0.99}) {
    Schedule cut = whole;
    const auto largest = std::ranges::max_element(cut.steps, {}, &std::vector<std::uint32_t>::size);
    const auto at =
        largest->begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(largest->size()));
    const std::vector<std::uint32_t> rest(at, largest->end());
    largest->erase(at, largest->end());
    cut.steps.insert(std::next(largest), rest);
    EXPECT_FALSE(converts(run, cut)) << part;
  }
}

// The component grows with the run: run halves hold all pages of a run at once, 90 % of them at least.
TEST(Schedule, a_longer_run_has_a_larger_component) {
  for (const Shape& shape : {Shape{8, 16, 128, 2}, Shape{3, 16, 64, 1}, Shape{8, 32, 128, 2}}) {
    for (const std::uint64_t pages : {2, 4, 8}) {
      const LandedRun run = *run_of(shape, pages);
      EXPECT_GT(10 * schedule_of(run).largest(), 9 * run.granules()) << to_string(shape) << " m=" << pages;
    }
  }
}

// One page, 40 shapes: the largest component is 62 to 100 % of the page, so heads cannot be converted one at
// a time.
TEST(Schedule, most_of_a_page_is_one_component) {
  EXPECT_EQ(schedule_of(*run_of({8, 16, 128, 2}, 1)).largest(), 4095u);
  for (const Shape& shape : shapes()) {
    const LandedRun run = *run_of(shape, 1);
    const double share =
        static_cast<double>(schedule_of(run).largest()) / static_cast<double>(run.granules());
    EXPECT_GE(share, 0.62) << to_string(shape);
  }
}

TEST(Schedule, refuses_what_is_no_run) {
  for (const std::uint64_t pages : {std::uint64_t{0}, UINT64_MAX, kMostGranules}) {
    const Expected<LandedRun> run = run_of({8, 16, 128, 2}, pages);
    ASSERT_FALSE(run.has_value());
    EXPECT_EQ(run.error().field, "pages");
  }
  EXPECT_FALSE(run_of({8, 16, 100, 2}, 1).has_value());
  const Expected<LandedRun> page = run_of({100000, 16, 128, 2}, 1);
  ASSERT_FALSE(page.has_value());
  EXPECT_EQ(to_string(page.error()), "run: page: 819200000: above the 67108864 B that are scheduled");
}

}  // namespace
}  // namespace pageproof::schedule
