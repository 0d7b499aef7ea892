// A counterexample is a file that replays: the choices that made the case, the case as values for whoever
// reads it, and where it was found. Replaying makes the case again from the choices; where that is another
// case than the file shows, the generator has changed since, and the file is refused.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fuzz/campaign/run.hpp"
#include "model/page/plain/error.hpp"

namespace pageproof::fuzz {

struct CaseFile {
  std::string property;
  Domain domain = Domain::wide;
  std::vector<std::uint64_t> choices;
  nlohmann::json values;  // Property::describe
  std::uint64_t seed = 0;
  std::uint64_t round = 0;
  std::string commit;
};

CaseFile case_file(const Property& property, const Found& found, std::uint64_t seed, std::uint64_t round);

nlohmann::json to_json(const CaseFile& file);
Expected<CaseFile> case_from_json(const nlohmann::json& json, const std::string& subject);

Expected<CaseFile> read_case(const std::string& path);

// Written beside and renamed; folders are made. Returns the path: folder/PROPERTY.json.
Expected<std::string> write_case(const CaseFile& file, const std::string& folder);

// Runs exactly this case again; empty when the property now holds for it.
Expected<std::optional<Failure>> replay(const CaseFile& file, std::span<const Property> properties,
                                        const std::string& path);

// Where failing cases are kept, from the current folder.
inline constexpr const char* kCasesFolder = "reports/out/cases";

}  // namespace pageproof::fuzz
