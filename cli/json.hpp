// The words that the JSON documents of all subcommands share.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/page/plain/shape.hpp"

namespace pageproof::cli {

nlohmann::ordered_json json_of(const Shape& shape);  // heads, tokens, head_dim, element_bytes, x, ...
nlohmann::ordered_json json_of(const Coordinate& coordinate);  // block, side, head, token, dim

// Indented by 2; text that is not UTF-8 (a file's name may be anything) is replaced, not refused.
std::string one_document(const nlohmann::ordered_json& json);

}  // namespace pageproof::cli
