// Pages of a catalogue format as tensors of a safetensors file: the one convention of every command that
// reads or writes them.
//
//   standard                               `standard` [B, H, N, 2D]
//   aiter-shuffled, sglang-vectorized-5d   `k_plane` [B, H, D/x, N, x] and `v_plane` [B, H, N/x, D, x]
//   other formats of pages                 `pages` [B, H, N, 2D]
//   other formats of planes                `k_plane` and `v_plane` [B, H, N, D]
//
// `standard` and planes of 5 axes are one order each, and metadata that names another is refused unless it
// speaks of other tensors of the file. The axes of `pages` and of planes of 4 axes give the
// sizes alone: the bytes lie as the format says that the metadata's `page_format` names, or the reader where
// the metadata names none. A reader that names another than the metadata is refused. Formats of K only have
// no file: pages hold both sides.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "golden/container/safetensors.hpp"
#include "model/page/format.hpp"

namespace pageproof::reports {

inline constexpr const char* kPages = "pages";
inline constexpr const char* kPageFormat = "page_format";  // of the metadata

// The bytes are the file's, or the caller's, and live as long. `second` is the V plane; a page format has
// none.
struct StoredPages {
  const page::PageFormat* format = nullptr;
  Shape shape;
  std::uint64_t blocks = 0;
  golden::Dtype dtype = golden::Dtype::u8;
  std::span<const std::byte> first;
  std::span<const std::byte> second;
};

// Are the planes of this format [B, H, D/x, N, x] and [B, H, N/x, D, x]?
bool has_shuffled_axes(const page::PageFormat& format);

// `format` may be null: then it is what the tensors are (`standard` before planes), or what the metadata
// says. Refused: tensors that are missing, whose axes give no shape or two different ones, whose element has
// neither 1 nor 2 bytes; a format that the metadata contradicts or nothing names; a format of K only. What
// the shape must be for the format is page::fits' to say.
Expected<StoredPages> stored_pages(const golden::SafetensorsFile& file, const page::PageFormat* format);

// The tensors that hold these pages.
// @pre the format has both sides
std::vector<golden::Tensor> stored_tensors(const StoredPages& pages);

}  // namespace pageproof::reports
