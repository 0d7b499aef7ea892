// The byte of (layer l, block b, head slot h, token t, content byte c) in each of the six KV-cache layouts,
// written out. Source: page_layouts.md §2.1.
#pragma once

#include <array>
#include <string_view>

namespace pageproof::oracle {

template <class Number>
struct CacheSizes {
  Number layers;
  Number blocks;
  Number slots;
  Number tokens;
  Number content_bytes;
};
template <class Number>
struct CachePlace {
  Number layer;
  Number block;
  Number slot;
  Number token;
  Number content;
};

// @pre name is one of the six
template <class Number>
constexpr Number layout_byte(std::string_view name, const CacheSizes<Number>& s,
                             const CachePlace<Number>& p) {
  const Number &L = s.layers, &B = s.blocks, &H = s.slots, &N = s.tokens, &C = s.content_bytes;
  const Number &l = p.layer, &b = p.block, &h = p.slot, &t = p.token, &c = p.content;
  if (name == "LBHNC") return l * (B * H * N * C) + b * (H * N * C) + h * (N * C) + t * C + c;
  if (name == "LBNHC") return l * (B * H * N * C) + b * (H * N * C) + t * (H * C) + h * C + c;
  if (name == "LHBNC") return l * (B * H * N * C) + h * (B * N * C) + b * (N * C) + t * C + c;
  if (name == "BLHNC") return b * (L * H * N * C) + l * (H * N * C) + h * (N * C) + t * C + c;
  if (name == "BLNHC") return b * (L * H * N * C) + l * (H * N * C) + t * (H * C) + h * C + c;
  return b * (H * L * N * C) + h * (L * N * C) + l * (N * C) + t * C + c;  // BHLNC
}

}  // namespace pageproof::oracle
