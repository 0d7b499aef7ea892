#include "model/region/layout.hpp"

#include <algorithm>

namespace pageproof::region {

std::array<LayoutAxis, 5> order_of(Layout layout) {
  using enum LayoutAxis;
  switch (layout) {
    case Layout::lbhnc:
      return {layer, block, head, token, content};
    case Layout::lbnhc:
      return {layer, block, token, head, content};
    case Layout::lhbnc:
      return {layer, head, block, token, content};
    case Layout::blhnc:
      return {block, layer, head, token, content};
    case Layout::blnhc:
      return {block, layer, token, head, content};
    case Layout::bhlnc:
      break;
  }
  return {block, head, layer, token, content};
}

std::string to_string(Layout layout) {
  std::string name;
  for (const LayoutAxis axis : order_of(layout)) name += "LBHNC"[static_cast<std::size_t>(axis)];
  return name;
}

std::string legacy_name(Layout layout) {
  if (layout == Layout::lbhnc) return "HND";
  if (layout == Layout::lbnhc) return "NHD";
  return to_string(layout);
}

Expected<Layout> parse_layout(std::string_view name, const std::string& subject) {
  for (const Layout layout : kLayouts) {
    if (name == to_string(layout) || name == legacy_name(layout)) return layout;
  }
  return std::unexpected(
      Error{subject, "layout", std::string(name),
            "no such layout: one of LBHNC (HND), LBNHC (NHD), LHBNC, BLHNC, BLNHC, BHLNC"});
}

bool is_layer_compact(Layout layout) {
  return order_of(layout)[0] == LayoutAxis::layer;
}

bool is_block_contiguous(Layout layout) {
  const auto order = order_of(layout);
  return order[2] == LayoutAxis::head && order[3] == LayoutAxis::token;
}

bool is_block_compact(Layout layout) {
  const auto order = order_of(layout);
  const auto outer = [](LayoutAxis axis) { return axis == LayoutAxis::layer || axis == LayoutAxis::block; };
  return outer(order[0]) && outer(order[1]);
}

bool is_block_outermost(Layout layout) {
  return order_of(layout)[0] == LayoutAxis::block;
}

}  // namespace pageproof::region
