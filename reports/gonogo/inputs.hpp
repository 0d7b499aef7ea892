// The two small files that a person may write for the judge.
//
//   plan     {"cells": [{"model": "Qwen3-8B", "workload": "cold", "pd": "1:1", "isl": 4096, "osl": 128,
//   "load": "c48",
//                        "batch": 48, "infeasible": "KV of 48 requests does not fit"}]}
//   weights  {"Qwen3-8B cold isl4096 osl128 c48 pd1:1": 2.5}
//
// In a plan, model, workload and pd may be left out (unstated), batch and infeasible too.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/page/plain/error.hpp"
#include "reports/gonogo/judge.hpp"

namespace pageproof::gonogo {

// `source` names the text in errors. Refuses what is not of this form, by the key of the value.
Expected<std::vector<Planned>> parse_plan(std::string_view text, const std::string& source);

// Finite weights of zero or more, not all zero.
Expected<std::map<std::string, double>> parse_weights(std::string_view text, const std::string& source);

}  // namespace pageproof::gonogo
