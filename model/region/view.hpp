// An engine's KV cache as allocated: one backing allocation, and in it a strided view [B, H, N, C] for each
// layer (kernel blocks, head slots, tokens, content bytes). All strides are in bytes. Source: connector spec
// §3.2.
//
//   standard page   H = KV heads of the rank, C = 2·D·e      K then V in each (head, token) row
//   two slots       H = 2, C = Hkv·D·e                       slot 0 the K side, slot 1 the V side; same page
//   bytes
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/page/plain/error.hpp"
#include "model/region/engine.hpp"
#include "model/region/layout.hpp"

namespace pageproof::region {

// What one layer stores in one kernel block.
struct CacheSpec {
  std::uint64_t head_slots = 1;         // H
  std::uint64_t tokens = 0;             // N
  std::uint64_t content_bytes = 0;      // C
  std::uint64_t padded_page_bytes = 0;  // 0: no padding

  std::uint64_t unpadded_bytes() const { return head_slots * tokens * content_bytes; }
  std::uint64_t page_bytes() const { return padded_page_bytes != 0 ? padded_page_bytes : unpadded_bytes(); }
  friend bool operator==(const CacheSpec&, const CacheSpec&) = default;
};
CacheSpec spec_of(const Engine& engine);  // @pre checked(engine)

struct Strides {
  std::uint64_t layer = 0;
  std::uint64_t block = 0;
  std::uint64_t head = 0;
  std::uint64_t token = 0;  // of content: 1

  friend bool operator==(const Strides&, const Strides&) = default;
};

// Walks the layout from its innermost axis outwards: a stride is the product so far. Padding widens the page,
// so it needs a layout whose pages are whole (refused otherwise, with the layout).
Expected<Strides> strides_of(const CacheSpec& spec, Layout layout, std::uint64_t layers, std::uint64_t blocks,
                             const std::string& subject);

struct LayerView {
  std::string layer = {};     // "model.layers.7.self_attn.attn"
  std::uint64_t pointer = 0;  // of block 0
  std::uint64_t blocks = 0;   // B, kernel blocks
  CacheSpec spec;
  Strides strides;  // strides.layer is not used here
  std::uint64_t storage_base = 0;
  std::uint64_t storage_bytes = 0;
  std::int64_t group = 0;  // transfer group of the layer
  bool latent = false;
  bool compressed = false;  // compressed MLA: dense virtual pages
  MemoryType memory = MemoryType::vram;
  std::string page_format = "";  // tag

  friend bool operator==(const LayerView&, const LayerView&) = default;
};

// The views of all layers, in layer order. Refused: kernel blocks smaller than manager blocks where a manager
// block is no dense page (LHBNC with more than one head slot, layouts with B outermost; trap T20; vLLM:
// ValueError).
Expected<std::vector<LayerView>> allocate(const Engine& engine, Layout layout);

// Bytes of the view, holes not counted: B·H·N·C.
std::uint64_t view_bytes(const LayerView& view);
bool is_page_contiguous(
    const LayerView& view);  // block 0 is one run in logical (H, N, C) order; size-1 axes ignored

}  // namespace pageproof::region
