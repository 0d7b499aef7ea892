// Runs plan fixtures against a planner, and makes them. The generator asks nothing that ships.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "golden/plans/fixture.hpp"
#include "model/page/plain/error.hpp"
#include "model/page/plain/failure.hpp"

namespace pageproof::golden::plans {

// What a planner says of a test's inputs; it does not look at the rest.
struct Planned {
  struct Read {
    Ids local_ids;
    Ids remote_ids;
    std::vector<Row> local_rows;
    std::vector<Row> remote_rows;
    std::vector<Row> posted;
  };
  std::vector<Read> reads;  // one a source
};
using Planner = std::function<Expected<Planned>(const Test& test)>;

struct PlansReport {
  std::uint64_t valid = 0;
  std::uint64_t invalid = 0;
  std::vector<Failure> failures;  // each names the test (tcId)

  std::uint64_t tests() const { return valid + invalid; }
  bool holds() const { return failures.empty() && tests() > 0; }
};

// `folder` holds plans_v1.json. An Error is a file that cannot be read; all else is a failure of the report:
// an answer that differs, a digest that the expected rows do not give, ids used twice, flags without a note.
Expected<PlansReport> check_plans(const std::filesystem::path& folder, const Planner& planner);

// Writes plans_v1.json, the same bytes every time; the folder is made. Returns the number of tests.
Expected<std::uint64_t> generate_plans(const std::filesystem::path& folder);

}  // namespace pageproof::golden::plans
