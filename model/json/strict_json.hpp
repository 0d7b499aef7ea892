// JSON as this project reads it from files: UTF-8, one value and nothing after it, no key twice in one
// object, and no nesting deeper than the reader needs. Whatever the text is, memory stays within a constant
// factor of its size and the stack does not grow with it.
//
//   parse_strict_json(text, {.subject = "pages_v1.json", .field = "", .deepest = 8})
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "model/page/plain/error.hpp"

namespace pageproof {

struct StrictJsonRules {
  std::string subject;  // Error::subject: the file's path
  std::string field;    // stands before the path in Error::field: what of the file the text is; may be empty
  std::size_t deepest = 8;  // arrays and objects that may be open at once
};

// Refuses, with the path of the value where it was found ("$.model.layers[2]"): what is not JSON and invalid
// UTF-8 (with the byte), a repeated key, deeper nesting.
Expected<nlohmann::json> parse_strict_json(std::string_view text, const StrictJsonRules& rules);

}  // namespace pageproof
