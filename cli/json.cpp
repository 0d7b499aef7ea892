#include "cli/json.hpp"

#include <nlohmann/json.hpp>

namespace pageproof::cli {

nlohmann::ordered_json json_of(const Shape& shape) {
  return {{"heads", shape.heads},          {"tokens", shape.tokens},
          {"head_dim", shape.head_dim},    {"element_bytes", shape.element_bytes},
          {"x", shape.granule_elements()}, {"page_bytes", shape.page_bytes()}};
}

nlohmann::ordered_json json_of(const Coordinate& coordinate) {
  return {{"block", coordinate.block},
          {"side", to_string(coordinate.side)},
          {"head", coordinate.head},
          {"token", coordinate.token},
          {"dim", coordinate.dim}};
}

std::string one_document(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace pageproof::cli
