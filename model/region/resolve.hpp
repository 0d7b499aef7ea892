// Which layout an engine's KV cache gets: decided once, before anything is allocated, from what the backends
// declare, what the environment says and what the connector asks for. Source: connector spec §3.3.
//
// The connector's request beats the backend's preference: that is why a shuffled decoder, whose readers need
// the dense planes of LHBNC, comes up with LBHNC unless VLLM_KV_CACHE_LAYOUT says otherwise (RFC §2).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/page/plain/error.hpp"
#include "model/region/engine.hpp"
#include "model/region/layout.hpp"

namespace pageproof::region {

// What NixlConnector.get_required_kvcache_layout answers: as it is, as the RFC proposes (no request where the
// shuffle is on, so that the backend decides), and as it would have to be for the shuffle to get its planes
// without help. Deferring is not enough while ROCM_AITER_FA itself lists LBHNC first (trap T21).
enum class LayoutRequest : std::uint8_t { today, deferring, planes_for_shuffle };
std::optional<Layout> required_layout(const Engine& engine, LayoutRequest request);

struct Resolution {
  Layout layout = Layout::lbhnc;
  std::vector<Layout> candidates = {};  // in the order in which they were preferred
  std::string because = {};             // which of the rules decided
  std::string warning = {};             // empty, or what the engine would log
};

// The layouts that all these backends can take, the preferred first. Identical declarations keep their order;
// else the one that most backends put first leads, ties in enum order. Empty declaration: any layout. Refused
// when nothing is left (vLLM: ValueError).
Expected<std::vector<Layout>> candidate_layouts(std::span<const std::span<const Layout>> declarations,
                                                const std::string& subject);

// @pre checked(engine). `mixed_specs`: the model's layers differ in (H, N, page bytes), which keeps only
// block-compact layouts. Refused as vLLM refuses (ValueError): an environment layout that is no candidate, no
// candidate at all.
Expected<Resolution> resolve_layout(const Engine& engine, LayoutRequest request, bool mixed_specs = false);

}  // namespace pageproof::region
