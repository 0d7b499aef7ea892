// The parts of a suite's JSON that both suites have: notes, a group's shape, a difference.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "golden/pages/fields.hpp"
#include "golden/pages/fixture.hpp"

namespace pageproof::golden {

nlohmann::ordered_json json_of(const std::map<std::string, Note>& notes);
std::map<std::string, Note> read_notes(Fields fields);

nlohmann::ordered_json json_of(const Shape& shape, Dtype dtype);
std::pair<Shape, Dtype> read_shape(Fields fields);

nlohmann::ordered_json json_of(const Difference& difference);
Difference read_difference(Fields fields);

}  // namespace pageproof::golden
