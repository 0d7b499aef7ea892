// plans_v1.json, written and read. The text is canonical: one suite, one text, a test a line.
#pragma once

#include <string>
#include <string_view>

#include "golden/plans/fixture.hpp"
#include "model/page/plain/error.hpp"

namespace pageproof::golden::plans {

std::string to_json_text(const Suite& suite);

// Refused, with the path of the field: what is no strict JSON, a missing, unknown or wrongly typed field, a
// test without sources, block lists and groups that are no lists. What the fields say of each other is
// check.hpp's to judge.
Expected<Suite> read_suite(std::string_view text, const std::string& subject);

}  // namespace pageproof::golden::plans
