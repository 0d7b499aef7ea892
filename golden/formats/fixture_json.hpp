// formats_v1.json, written and read. The text is canonical: one suite, one text.
#pragma once

#include <string>
#include <string_view>

#include "golden/formats/fixture.hpp"
#include "model/page/plain/error.hpp"

namespace pageproof::golden::formats {

std::string to_json_text(const Suite& suite);

// Refuses what the schema refuses: text that is no JSON, a missing, unknown or wrongly typed field, another
// algorithm or schema. `subject` is the file's path. What the fields say of each other is check.hpp's to
// judge.
Expected<Suite> read_suite(std::string_view text, const std::string& subject);

std::string_view to_string(Operation operation);

}  // namespace pageproof::golden::formats
