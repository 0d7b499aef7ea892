// Dumps as safetensors files.
//
//   FILE        `pages` of any shape: the bytes of a region as they lie; or `k_plane` and `v_plane` of any
//   shape;
//               or, where it has neither, `standard`, whose bytes are then taken as `pages` are
//   reference   `standard` [B, H, N, 2D]; or `k_plane` [B, H, D/x, N, x] and `v_plane` [B, H, N/x, D, x]; or,
//   with
//               a format named, `pages` [B, H, N, 2D] of a page format, or `k_plane` and `v_plane` [B, H, N,
//               D] of a planes format: the axes give the sizes, the bytes lie as the format says
//   both        `block_ids` (I64, one a block, distinct): which blocks these are; without it they are 0, 1,
//   2, ...
#pragma once

#include "golden/container/safetensors.hpp"
#include "reports/identify/dumped_pages.hpp"

namespace pageproof::reports {

// Bytes are those of the file and live as long as it. Refused: none or only one of the tensors, `pages`
// beside planes, ids that are not I64 of one axis, or negative.
Expected<DumpedPages> read_dump(const golden::SafetensorsFile& file);

// `format` may be null: standard for `standard`, aiter-shuffled for the planes. Refused as above, and where
// the axes do not give a shape, give two different ones, or do not belong to the format.
Expected<KnownPages> read_reference(const golden::SafetensorsFile& file, const page::PageFormat* format);

}  // namespace pageproof::reports
