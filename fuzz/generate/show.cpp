#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "fuzz/generate/convert_case.hpp"

namespace pageproof::fuzz {
namespace {

const char* name_of(Planes planes) {
  return planes == Planes::two_slot ? "two-slot" : "separate";
}

}  // namespace

std::string to_string(const ConvertCase& c) {
  return fmt::format(
      "{}   layers={} standard=[{} blocks, gap {} B, base {} B] planes=[{}, {} blocks, gap {} B, base {} B] "
      "{}{}ids={}B "
      "from=[{}] to=[{}] threads={} seed={}",
      pageproof::to_string(c.shape), c.layers, c.standard_blocks, c.standard_gap, c.standard_base,
      name_of(c.planes), c.plane_blocks, c.plane_gap, c.plane_base, c.tokens_first ? "tokens_first " : "",
      c.rewrite ? "e4m3_to_e4m3fnuz " : "", c.id_bytes, fmt::join(c.from, ","), fmt::join(c.to, ","),
      c.threads, c.seed);
}

nlohmann::json to_json(const Shape& shape) {
  return {{"heads", shape.heads},
          {"tokens", shape.tokens},
          {"head_dim", shape.head_dim},
          {"element_bytes", shape.element_bytes}};
}

nlohmann::json to_json(const ConvertCase& c) {
  return {{"shape", to_json(c.shape)},
          {"layers", c.layers},
          {"planes", name_of(c.planes)},
          {"tokens_first", c.tokens_first},
          {"rewrite", c.rewrite},
          {"standard_gap", c.standard_gap},
          {"plane_gap", c.plane_gap},
          {"standard_base", c.standard_base},
          {"plane_base", c.plane_base},
          {"id_bytes", c.id_bytes},
          {"threads", c.threads},
          {"seed", c.seed},
          {"standard_blocks", c.standard_blocks},
          {"plane_blocks", c.plane_blocks},
          {"from", c.from},
          {"to", c.to}};
}

void showValue(const ConvertCase& convert_case, std::ostream& out) {
  out << to_string(convert_case);
}

}  // namespace pageproof::fuzz

namespace pageproof {

void showValue(const Shape& shape, std::ostream& out) {
  out << to_string(shape);
}

void showValue(const Coordinate& coordinate, std::ostream& out) {
  out << to_string(coordinate);
}

void showValue(Side side, std::ostream& out) {
  out << to_string(side);
}

}  // namespace pageproof
