// Dumps as safetensors files.
//
//   FILE        `pages` of any shape: the bytes of a region as they lie; or `k_plane` and `v_plane` of any
//   shape;
//               or, where it has neither, `standard`, whose bytes are then taken as `pages` are
//   reference   pages of a known format, as reports/pages/stored.hpp has them
//   both        `block_ids` (I64, one a block, distinct): which blocks these are; blocks are matched by
//               position where one of the two files has none
#pragma once

#include "golden/container/safetensors.hpp"
#include "reports/identify/dumped_pages.hpp"

namespace pageproof::reports {

// Bytes are those of the file and live as long as it. Refused: none or only one of the tensors, `pages`
// beside planes, ids that are not I64 of one axis, or negative.
Expected<DumpedPages> read_dump(const golden::SafetensorsFile& file);

// `format` may be null: what the tensors are, or what the metadata says. Refused as stored_pages refuses, and
// where block ids are not I64 of one axis, or negative.
Expected<KnownPages> read_reference(const golden::SafetensorsFile& file, const page::PageFormat* format);

}  // namespace pageproof::reports
