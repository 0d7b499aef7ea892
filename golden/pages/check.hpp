// Runs page fixtures against a converter, and checks the fixtures themselves: digests, counts, flags.
//
//   const auto report = check_fixtures("golden", my_converter);
//   if (!report) usage_error(report.error());                       // a file missing, JSON broken, a tensor
//   too small for (const Failure& failure : report->failures) print(failure);
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "golden/pages/converter.hpp"
#include "model/page/plain/error.hpp"
#include "model/page/plain/failure.hpp"

namespace pageproof::golden {

struct CheckReport {
  std::uint64_t files = 0;
  std::uint64_t valid = 0;        // tests whose result must come out byte for byte
  std::uint64_t invalid = 0;      // requests that must be refused, planes whose fault must be found
  std::vector<Failure> failures;  // each names the test (tcId) and, where bytes differ, the first coordinate

  std::uint64_t tests() const { return valid + invalid; }
  bool holds() const { return failures.empty() && tests() > 0; }
};

// `folder` holds pages_v1.json and the files that it names. An Error is input that cannot be checked;
// everything else that is wrong is a failure of the report, and the check goes on.
Expected<CheckReport> check_fixtures(const std::filesystem::path& folder, const Convert& converter);

}  // namespace pageproof::golden
