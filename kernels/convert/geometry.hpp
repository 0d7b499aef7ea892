// What the kernels know of a shape at compile time, counted in granules of 16 bytes, and the tile: the unit
// of work.
//
// A head of a standard page is N rows (tokens) of 2D elements: a row is D/x granules of K, then D/x of V.
// A tile is one granule column of x rows, x granules in all. Whatever its side, its x granules land side by
// side:
//
//   K  column c, tokens x*r ...  ->  granules c*N + x*r + i        [D/x, N]   moved whole
//   V  column c, tokens x*r ...  ->  granules r*D + c*x + i        [N/x, D]   after an x by x transpose
#pragma once

#include "kernels/convert/device.hpp"

namespace pageproof::convert {

template <uint32_t kTokens_, uint32_t kHeadDim_, uint32_t kElementBytes_>
struct Geometry {
  static constexpr uint32_t kTokens = kTokens_;
  static constexpr uint32_t kHeadDim = kHeadDim_;
  static constexpr uint32_t kElementBytes = kElementBytes_;
  static constexpr uint32_t kTileRows = 16 / kElementBytes;                   // x
  static constexpr uint32_t kSideColumns = kHeadDim / kTileRows;              // granules of one side of a row
  static constexpr uint32_t kRowGranules = 2 * kSideColumns;                  // K, then V
  static constexpr uint32_t kHeadGranules = kTokens * kSideColumns;           // of one side of a head
  static constexpr uint32_t kHeadTiles = kTokens / kTileRows * kRowGranules;  // of both sides of a head
  static constexpr uint32_t kTileBytes = 16 * kTileRows;
  static constexpr uint32_t kHeadBytes = 2 * 16 * kHeadGranules;  // of both sides of a head
  static_assert(kTokens % kTileRows == 0 && kHeadDim % kTileRows == 0);
};

template <class G>
struct Tile {
  uint32_t head;
  uint32_t source;  // granule of the page, first row; the next row lies G::kRowGranules further
  uint32_t target;  // granule of the head's side; the next one follows
  bool is_value;

  // Neighbouring tile numbers are neighbouring columns of the same rows: a wave reads whole rows.
  PAGEPROOF_INLINE explicit Tile(uint32_t number) {
    const uint32_t column = number % G::kRowGranules;
    const uint32_t rows = number / G::kRowGranules % (G::kTokens / G::kTileRows);
    head = number / G::kHeadTiles;
    source = (head * G::kTokens + rows * G::kTileRows) * G::kRowGranules + column;
    is_value = column >= G::kSideColumns;
    target = is_value ? rows * G::kHeadDim + (column - G::kSideColumns) * G::kTileRows
                      : column * G::kTokens + rows * G::kTileRows;
  }
};

}  // namespace pageproof::convert
