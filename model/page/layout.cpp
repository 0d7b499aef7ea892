#include "model/page/layout.hpp"

#include <algorithm>
#include <vector>

#include "model/page/nearest.hpp"

namespace pageproof::page {
namespace {

constexpr LayoutAxis L = LayoutAxis::layer;
constexpr LayoutAxis B = LayoutAxis::block;
constexpr LayoutAxis H = LayoutAxis::head_slot;
constexpr LayoutAxis N = LayoutAxis::token;
constexpr LayoutAxis C = LayoutAxis::content;

constexpr Layout kLayouts[] = {
    {"LBHNC", "HND", {L, B, H, N, C}}, {"LBNHC", "NHD", {L, B, N, H, C}}, {"LHBNC", "", {L, H, B, N, C}},
    {"BLHNC", "", {B, L, H, N, C}},    {"BLNHC", "", {B, L, N, H, C}},    {"BHLNC", "", {B, H, L, N, C}},
};

}  // namespace

std::span<const Layout> layouts() {
  return kLayouts;
}

Expected<const Layout*> find_layout(std::string_view name) {
  std::vector<std::string> names;
  for (const Layout& layout : kLayouts) {
    if (name == layout.name || (!layout.alias.empty() && name == layout.alias)) return &layout;
    names.emplace_back(layout.name);
  }
  return std::unexpected(
      Error{"layout", "name", std::string(name), "no such KV-cache layout; " + did_you_mean(name, names)});
}

}  // namespace pageproof::page
