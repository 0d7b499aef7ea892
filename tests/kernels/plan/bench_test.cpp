// The benchmark gives every row, says why a column is empty, and refuses a Python that makes something else.
#include "kernels/plan/bench/bench.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "kernels/plan/bench/python.hpp"

namespace pageproof::plan::bench {
namespace {

const std::string kBaseline = PAGEPROOF_SOURCE_DIR "/kernels/plan/bench/baseline.py";

Options small() {
  return {
      .layers = 3, .blocks = 11, .pool_blocks = 40, .pair_blocks = 64, .repetitions = 1, .python_script = ""};
}

bool has_numpy() {
  return std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") == 0;
}

TEST(PlanBench, EveryRowWithoutPython) {
  testing::internal::CaptureStdout();
  const auto result = run_plan_benchmark(small());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_EQ(result->python, "not asked for");
  ASSERT_EQ(result->rows.size(), 5u);
  EXPECT_EQ(result->rows[0].descriptors, 2u * 3 * 11);
  EXPECT_EQ(result->rows[3].descriptors, 2u * 3 * 40);
  EXPECT_EQ(result->rows[4].descriptors, 2u * 3 * (64 + 65));
  for (const Row& row : result->rows) {
    EXPECT_GT(row.seconds, 0);
    EXPECT_FALSE(row.numpy_seconds || row.numpy_into_seconds || row.python_seconds);
    EXPECT_EQ(row.memset_seconds.has_value(), &row <= &result->rows[1]) << row.name;
  }
}

TEST(PlanBench, PythonMakesTheSameAndIsTimed) {
  if (!has_numpy()) GTEST_SKIP() << "/usr/bin/python3 has no numpy";
  Options options = small();
  options.python_script = kBaseline;
  options.pythons = {"/usr/bin/python3"};
  const auto result = run_plan_benchmark(options);
  ASSERT_TRUE(result) << to_string(result.error());
  for (const Row& row : result->rows) {
    EXPECT_TRUE(row.numpy_seconds && row.python_seconds) << row.name;
    EXPECT_EQ(row.numpy_into_seconds.has_value(), &row <= &result->rows[1]) << row.name;
  }
}

TEST(PlanBench, APairHoldsAsMuchWhateverItsBlocks) {
  Options options = small();
  const auto few = run_plan_benchmark(options);
  options.pair_blocks = 1'000'000;
  const auto many = run_plan_benchmark(options);
  ASSERT_TRUE(few && many);
  EXPECT_EQ(few->pair_bytes, many->pair_bytes);
  EXPECT_GT(few->pair_bytes, 0u);
}

TEST(PlanBench, WhyAColumnIsEmpty) {
  Options options = small();
  options.python_script = kBaseline;
  options.pythons = {"no-such-python", "/usr/bin/true"};
  const auto result = run_plan_benchmark(options);
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_EQ(result->python, "python: no-such-python, /usr/bin/true: none runs " + kBaseline);
}

TEST(PlanBench, APythonThatMakesOtherIdsIsRefused) {
  if (!has_numpy()) GTEST_SKIP() << "/usr/bin/python3 has no numpy";
  const std::filesystem::path script = std::filesystem::path(testing::TempDir()) / "other_baseline.py";
  std::ifstream original(kBaseline);
  std::string text(std::istreambuf_iterator<char>(original), {});
  const std::string right = "return (self.first[:, None] + self.blocks[None, :]).ravel()";
  ASSERT_NE(text.find(right), std::string::npos);
  text.replace(text.find(right), right.size(),
               "return (self.first[:, None] + self.blocks[None, :]).T.ravel()");
  std::ofstream(script) << text;
  Options options = small();
  options.python_script = script;
  options.pythons = {"/usr/bin/python3"};
  const auto result = run_plan_benchmark(options);
  std::filesystem::remove(script);
  ASSERT_FALSE(result);
  EXPECT_EQ(to_string(result.error()),
            "bench plan: ids of a request: numpy: makes other values than the planner");
}

TEST(PlanBench, OptionsOutOfRangeAreRefusedByName) {
  const auto problem = [](auto change) {
    Options options = small();
    change(options);
    const auto result = run_plan_benchmark(options);
    return result ? "accepted" : to_string(result.error());
  };
  EXPECT_EQ(problem([](Options& o) { o.layers = 0; }), "bench plan: layers: 0: not 1 to 4096");
  EXPECT_EQ(problem([](Options& o) { o.blocks = 0; }), "bench plan: blocks: 0: not 1 to 1398101");
  EXPECT_EQ(problem([](Options& o) { o.pool_blocks = 10; }),
            "bench plan: pool_blocks: 10: not 11 to 1398101");
  EXPECT_EQ(problem([](Options& o) { o.pair_blocks = UINT64_MAX; }),
            "bench plan: pair_blocks: 18446744073709551615: not 32 to 1398101");
  EXPECT_EQ(problem([](Options& o) { o.repetitions = 0; }), "bench plan: repetitions: 0: not 1 to 1000000");
}

}  // namespace
}  // namespace pageproof::plan::bench
