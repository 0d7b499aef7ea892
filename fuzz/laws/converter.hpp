// The converter under test, as a value: production and every mutant stand behind the same three functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/page/plain/error.hpp"
#include "model/page/plain/shape.hpp"

namespace pageproof::fuzz {

// One region a layer, all layers alike: block b of layer l begins at layers[l] + b · block_stride.
struct Pool {
  std::vector<std::byte*> layers;
  std::uint64_t block_stride = 0;  // bytes
  std::uint64_t num_blocks = 0;
};

struct ConvertJob {
  Shape shape;
  Pool standard;  // not read in place
  Pool key;
  Pool value;
  std::vector<std::int64_t> from;  // standard block ids; not read in place
  std::vector<std::int64_t> to;    // block ids of the planes, pairwise to `from`
  std::uint64_t id_bytes = 8;      // the width in which the ids are handed over: 4 or 8
  std::uint64_t threads = 1;
  bool tokens_first = false;  // pages and landing are [N, H, 2D]
  bool rewrite = false;       // e4m3 to e4m3fnuz, whichever way
};

// An Error means: refused, and nothing was written.
using Convert = std::function<Expected<void>(const ConvertJob&)>;

struct Converter {
  std::string name;
  Convert out_of_place;      // standard blocks `from` into the planes' blocks `to`
  Convert in_place;          // the landing in the planes' blocks `to`, into the same bytes
  Convert inverse;           // the planes' blocks `to` back into the standard blocks `from`
  Convert inverse_in_place;  // the planes' blocks `to` into their landing, into the same bytes
};

// Shapes that the fast kernel takes; others go through the fold, which has no bound on a page.
bool is_fast_shape(const Shape& shape);

// What ships: the C ABI for fast shapes, the fold for all others.
Converter production();

// Everything through the fold over the digit orders, any shape.
Converter fold_converter();

}  // namespace pageproof::fuzz
