#include "model/region/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace pageproof::region {
namespace {

// Where no backend declares anything (spec §3.3).
constexpr std::array kDefaultOrder = {Layout::lbnhc, Layout::lbhnc, Layout::blnhc,
                                      Layout::blhnc, Layout::bhlnc, Layout::lhbnc};

bool contains(std::span<const Layout> layouts, Layout layout) {
  return std::ranges::find(layouts, layout) != layouts.end();
}

}  // namespace

std::optional<Layout> required_layout(const Engine& engine, LayoutRequest request) {
  if (engine.model.latent) return std::nullopt;
  if (!engine.shuffle || request == LayoutRequest::today) return Layout::lbhnc;
  if (request == LayoutRequest::deferring || engine.kernel_path == KernelPath::gluon) return std::nullopt;
  return Layout::lhbnc;
}

Expected<std::vector<Layout>> candidate_layouts(std::span<const std::span<const Layout>> declarations,
                                                const std::string& subject) {
  std::vector<std::span<const Layout>> declared;
  for (const auto& declaration : declarations) {
    if (!declaration.empty()) declared.push_back(declaration);
  }
  if (declared.empty()) return std::vector<Layout>(kDefaultOrder.begin(), kDefaultOrder.end());
  const bool identical = std::ranges::all_of(
      declared, [&](const auto& declaration) { return std::ranges::equal(declaration, declared.front()); });
  std::vector<Layout> candidates;
  if (identical) {
    candidates.assign(declared.front().begin(), declared.front().end());
  } else {
    for (const Layout layout : kLayouts) {
      if (std::ranges::all_of(declared, [&](const auto& one) { return contains(one, layout); })) {
        candidates.push_back(layout);
      }
    }
    const auto firsts = [&](Layout layout) {
      return std::ranges::count_if(declared, [&](const auto& one) { return one.front() == layout; });
    };
    std::ranges::sort(candidates, [&](Layout a, Layout b) {
      return firsts(a) != firsts(b) ? firsts(a) > firsts(b) : a < b;
    });
  }
  if (candidates.empty()) {
    return std::unexpected(
        Error{subject, "$.backend", "", "the backends have no layout in common (ValueError)"});
  }
  return candidates;
}

Expected<Resolution> resolve_layout(const Engine& engine, LayoutRequest request, bool mixed_specs) {
  const std::string& subject = engine.engine_id;
  const std::array declarations = {facts_of(engine.backend).layouts};
  Expected<std::vector<Layout>> candidates = candidate_layouts(declarations, subject);
  if (!candidates) return std::unexpected(candidates.error());
  if (engine.behaviour == Behaviour::s0) {
    std::erase_if(*candidates, [](Layout l) { return l != Layout::lbhnc && l != Layout::lbnhc; });
  }
  if (mixed_specs) std::erase_if(*candidates, [](Layout layout) { return !is_block_compact(layout); });

  Resolution resolution{.candidates = *candidates, .because = "", .warning = ""};
  if (engine.configured_layout) {
    resolution.layout = *engine.configured_layout;
    resolution.because = "cache_config.kv_cache_layout is set";
    return resolution;
  }
  if (candidates->empty()) {
    return std::unexpected(
        Error{subject, "$.backend", to_string(engine.backend), "no layout is left to it (ValueError)"});
  }
  if (engine.environment_layout) {
    if (!contains(*candidates, *engine.environment_layout)) {
      return std::unexpected(
          Error{subject, "$.environment_layout", to_string(*engine.environment_layout),
                fmt::format("not a layout that {} takes here (ValueError)", to_string(engine.backend))});
    }
    resolution.layout = *engine.environment_layout;
    resolution.because = "VLLM_KV_CACHE_LAYOUT";
    return resolution;
  }
  const std::optional<Layout> required = required_layout(engine, request);
  if (required && contains(*candidates, *required)) {
    resolution.layout = *required;
    resolution.because = "the connector requires it";
    return resolution;
  }
  resolution.layout = candidates->front();
  resolution.because = fmt::format("{} prefers it", to_string(engine.backend));
  if (required) {
    resolution.warning = fmt::format("the connector requires {}, which {} does not take",
                                     to_string(*required), to_string(engine.backend));
  }
  return resolution;
}

}  // namespace pageproof::region
