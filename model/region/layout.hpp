// KV-cache layouts: the order, outermost first, in which a model's cache [L, B, H, N, C] lies in memory
// (layer, block, head slot, token, content). The name is the order. H counts head slots: it is 2 for a view
// of one K and one V slot, so a layout says nothing of what lies inside a page.
//
//   LBHNC  one page after another, heads outside tokens (HND)      LBNHC  tokens outside heads (NHD)
//   LHBNC  one dense plane for each head slot
//
// LBHNC and LHBNC differ by one transposed pair of letters. Source: connector spec §3.1.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "model/page/plain/error.hpp"

namespace pageproof::region {

enum class LayoutAxis : std::uint8_t { layer, block, head, token, content };

// In this order ties between layouts are broken.
enum class Layout : std::uint8_t { lbhnc, lbnhc, lhbnc, blhnc, blnhc, bhlnc };
inline constexpr std::array kLayouts = {Layout::lbhnc, Layout::lbnhc, Layout::lhbnc,
                                        Layout::blhnc, Layout::blnhc, Layout::bhlnc};

// Axes outermost first. A layout's stride_order is this list as numbers.
std::array<LayoutAxis, 5> order_of(Layout layout);

std::string to_string(Layout layout);    // "LBHNC"
std::string legacy_name(Layout layout);  // "HND", "NHD"; the name itself where there is none
Expected<Layout> parse_layout(std::string_view name,
                              const std::string& subject);  // names and the two aliases

bool is_layer_compact(Layout layout);     // L outermost
bool is_block_contiguous(Layout layout);  // ends H, N, C
bool is_block_compact(Layout layout);     // {L, B} are the two outermost
bool is_block_outermost(Layout layout);   // B first

}  // namespace pageproof::region
