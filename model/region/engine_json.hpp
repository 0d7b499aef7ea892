// An engine description as JSON: one object whose keys are the fields of Engine, all optional but "backend",
// so that a description states what differs from the default. Unknown keys are refused: a mistyped option
// must not be a default.
//
//   {"backend": "ROCM_AITER_FA", "shuffle": true, "environment_layout": "LHBNC", "model": {"layers": 2}}
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "model/page/plain/error.hpp"
#include "model/region/engine.hpp"

namespace pageproof::region {

// Refuses, with the path of the field: what is not strict JSON, nesting deeper than 4, unknown keys, wrong
// types, negative numbers and those of 2^64 or more, unknown names, and what checked() refuses.
Expected<Engine> read_engine(std::string_view text, const std::string& subject);
Expected<Engine> engine_from_json(const nlohmann::json& json, const std::string& subject);

// All fields, in the order of Engine; read_engine(text) gives the same engine.
nlohmann::ordered_json to_json(const Engine& engine);

}  // namespace pageproof::region
