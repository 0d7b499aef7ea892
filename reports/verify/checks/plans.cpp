// Plan fixtures: they are what the generator makes today, and the planner that ships gives them.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "golden/container/mapped_file.hpp"
#include "reports/plan/production.hpp"
#include "reports/verify/check.hpp"

namespace pageproof::reports {
namespace {

namespace fs = std::filesystem;
namespace plans = golden::plans;

CheckResult failed(const char* check, const Error& error) {
  return {.cases = 0,
          .failures = {{check, "the plan fixtures can be read", to_string(error), "fixtures", "an error",
                        fmt::format("pageproof verify {}", check)}},
          .skipped = {}};
}

CheckResult planner_matches(const CheckOptions& options) {
  const auto report = plans::check_plans(options.fixtures, production_planner());
  if (!report) return failed("golden.planner_matches", report.error());
  return {.cases = report->tests(), .failures = report->failures, .skipped = {}};
}

CheckResult plans_are_current(const CheckOptions& options) {
  const fs::path made = fs::temp_directory_path() / fmt::format("pageproof-plans-{}", std::random_device{}());
  CheckResult result;
  if (const auto tests = plans::generate_plans(made); !tests) {
    result = failed("golden.plans_are_current", tests.error());
  } else {
    result.cases = *tests;
    const auto one = golden::MappedFile::open(made / plans::kPlansFile);
    const auto other = golden::MappedFile::open(options.fixtures / plans::kPlansFile);
    if (!one || !other || !std::ranges::equal(one->bytes(), other->bytes())) {
      result.failures.push_back({"golden.plans_are_current",
                                 "the plan fixtures are what the generator makes, byte for byte",
                                 (options.fixtures / plans::kPlansFile).string(), "the generator's bytes",
                                 "other bytes", "pageproof fixtures generate golden"});
    }
  }
  std::error_code ignored;
  fs::remove_all(made, ignored);
  return result;
}

const Registered kPlannerMatches(
    {.name = "golden.planner_matches",
     .claim =
         "the planner that ships gives the plan fixtures' descriptors, ids and posted transfers, and refuses "
         "their bad requests",
     .run = planner_matches});
const Registered kPlansAreCurrent({.name = "golden.plans_are_current",
                                   .claim = "the plan fixtures are what the generator makes, byte for byte",
                                   .run = plans_are_current});

}  // namespace
}  // namespace pageproof::reports
