// Where a rank's writer puts each element of a block, by the writer's own arithmetic: the byte oracle asks
// nothing else about a page. Tags play no part here once the format is known, and no digit order is used.
//
//   standard    slot h, row t            side·D + d
//   two slots   slot = side, dense       shuffled, classic-paged (V is [H, D, N]), aiter-page16 (tiles of 16
//   tokens) cpu-attn    slot h, dense            K [D, N], then V [N, D] latent      slot 0, row t d
//
// Source: page_layouts.md §1.3, §1.4, §2.4, §3 (aiter-page16), §5.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/page/plain/error.hpp"
#include "model/region/engine.hpp"
#include "model/region/view.hpp"

namespace pageproof::silent {

enum class Format : std::uint8_t { standard, shuffled, rocm_attn, cpu_attn, page_16, latent };

// What a rank's pages hold and where. Elements of a block are numbered ((h·N + t)·sides + side)·D + d, the
// order of a standard page.
struct Cache {
  Format format = Format::standard;
  std::uint64_t sides = 2;  // 1: latent
  std::uint64_t heads = 1;  // of the rank
  std::uint64_t tokens = 16;
  std::uint64_t dims = 1;
  std::uint64_t element_bytes = 2;
  std::uint64_t slots = 1;          // H axis of the view
  std::uint64_t content_bytes = 1;  // C
  std::uint64_t block_stride = 0;
  std::uint64_t slot_stride = 0;
  std::uint64_t token_stride = 0;
  struct Layer {
    std::uint64_t pointer = 0;
    std::uint64_t group = 0;  // whose block ids it takes
  };
  std::vector<Layer> layers = {};
  std::vector<std::uint32_t> offsets = {};  // of each element, in bytes from its block's first

  std::uint64_t elements() const { return heads * tokens * sides * dims; }
  std::uint64_t number(std::uint64_t head, std::uint64_t token, std::uint64_t side, std::uint64_t dim) const {
    return ((head * tokens + token) * sides + side) * dims + dim;
  }
  std::uint64_t address(std::uint64_t layer, std::uint64_t block, std::uint64_t element) const {
    return layers[layer].pointer + block * block_stride + offsets[element];
  }
};

// @pre checked(engine). Refused: what allocate() refuses; a format whose places are not stated above; a
// writer whose elements overlap, so that the engine could not read its own pages (two slots under LBNHC: the
// writer fills dense runs that the view interleaves).
Expected<Cache> cache_of(const region::Engine& engine, region::Layout layout);

}  // namespace pageproof::silent
