// A case of the converter: which pages, where they lie, which blocks move. One generator makes it, whoever
// answers its choices (choices.hpp).
//
//   H=3 N=16 D=64 e=2   layers=2 standard=[5 blocks, gap 16 B, base 0 B] planes=[two-slot, 3 blocks, gap 0 B,
//   base 16 B] tokens_first ids=4B from=[4,0] to=[1,2] threads=1 seed=9
#pragma once

#include <cstdint>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "fuzz/generate/choices.hpp"
#include "model/page/plain/shape.hpp"

namespace pageproof::fuzz {

// How the K and V blocks of a layer lie: each plane on its own, or K and V of a block side by side in one
// page of 2S.
enum class Planes : std::uint8_t { separate, two_slot };

struct ConvertCase {
  Shape shape;
  std::uint64_t layers = 1;
  Planes planes = Planes::separate;
  std::uint64_t standard_gap = 0;   // bytes between blocks, multiples of 16, for the standard pages
  std::uint64_t plane_gap = 0;      // the same for the planes
  std::uint64_t standard_base = 0;  // bytes from an aligned address to the first block, multiples of 16
  std::uint64_t plane_base = 0;
  std::uint64_t id_bytes = 4;  // 4 or 8
  std::uint64_t threads = 1;
  bool tokens_first = false;  // pages are [N, H, 2D]
  bool rewrite = false;       // e4m3 to e4m3fnuz on the way; elements of 1 byte
  std::uint64_t seed = 0;     // of the bytes: K and V differ, NaN bit patterns occur
  std::uint64_t standard_blocks = 1;
  std::uint64_t plane_blocks = 2;   // never standard_blocks
  std::vector<std::uint64_t> from;  // block ids, any order, distinct
  std::vector<std::uint64_t> to;    // pairwise to `from`, distinct

  friend bool operator==(const ConvertCase&, const ConvertCase&) = default;
};

// What a generator may choose from. N is x·(1..token_granules) and D is x·(1..head_dim_granules), or, with
// a fast_share, one of the converter's fast shapes (N of 16, 32; D of 64, 128, 256). Never H = N.
struct Extent {
  std::uint64_t heads = 1;
  std::uint64_t token_granules = 1;
  std::uint64_t head_dim_granules = 1;
  std::uint64_t fast_share = 0;  // fast shapes for each other one; above 1 the same case can be made twice
  bool only_fast_shapes = false;
  std::uint64_t fast_head_dims = 3;       // of 64, 128, 256, the first so many
  std::vector<std::uint64_t> page_bytes;  // H is lowered until the page fits into one of these
  std::uint64_t layers = 1;
  std::uint64_t blocks = 2;   // of each pool, at least 2
  bool high_ids = false;      // sometimes ids around 256, in one layer of as many blocks
  std::uint64_t gaps = 1;     // values of each gap and base: 0, 16, 32 ... bytes
  std::uint64_t threads = 1;  // at most
  std::uint64_t seeds = 1;    // values of the data seed
};

// Every case of a small extent can be made in seconds; a wide one is for random cases.
const Extent& small_extent();
const Extent& wide_extent();

Shape make_shape(Choices& choices, const Extent& extent);
ConvertCase make_convert_case(Choices& choices, const Extent& extent);

std::string to_string(const ConvertCase& convert_case);
nlohmann::json to_json(const ConvertCase& convert_case);
nlohmann::json to_json(const Shape& shape);

// For RapidCheck, which asks for this name.
void showValue(const ConvertCase& convert_case, std::ostream& out);

}  // namespace pageproof::fuzz

namespace pageproof {

void showValue(const Shape& shape, std::ostream& out);
void showValue(const Coordinate& coordinate, std::ostream& out);
void showValue(Side side, std::ostream& out);

}  // namespace pageproof
