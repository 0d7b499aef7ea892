// A judgement as documents for programs: one JSON document with stable keys (docs/gonogo.md describes each)
// and a long CSV, one value a line.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "reports/gonogo/judge.hpp"

namespace pageproof::gonogo {

inline constexpr int kDocumentVersion = 1;

nlohmann::ordered_json document_of(const Judgement& judgement);

// cell,setup,metric,run,value,unit with a header line.
std::string csv_of(const Judgement& judgement);

}  // namespace pageproof::gonogo
