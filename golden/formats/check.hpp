// Runs the fixtures of page formats against a converter, and checks the fixtures themselves: digests, counts,
// flags, the arithmetic that they state.
#pragma once

#include <filesystem>

#include "golden/formats/converter.hpp"
#include "golden/pages/check.hpp"

namespace pageproof::golden::formats {

// `folder` holds formats_v1.json and the files that it names. An Error is input that cannot be checked;
// everything else that is wrong is a failure of the report, and the check goes on.
Expected<CheckReport> check_fixtures(const std::filesystem::path& folder, const ConvertFormat& converter);

}  // namespace pageproof::golden::formats
