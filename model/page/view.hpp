// What the shuffle writer does to a view [B, N, H, D] of one side of the blocks, given the strides of the
// view. The writer honours the block stride at most and takes the [N, H, D] of a block for S dense bytes, so
//
//   a block that is not dense inside       is no plane at all: its rows belong to K and V in turn
//   a block stride that is not H·N·D       needs a writer that is told of it: one with dense offsets puts
//   block b
//                                          at b·H·N·D, which is in another block from the first one on
//   32-bit offsets                         wrap from some block on (words.hpp)
//
// Source: page_layouts.md §1.1, §1.5; public reports P10 (vllm#39192), P11 (vllm#51722), P15 (aiter#4774).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/page/plain/shape.hpp"

namespace pageproof::page {

// In elements, as torch prints them.
struct ViewStrides {
  std::uint64_t block = 0;
  std::uint64_t token = 0;
  std::uint64_t head = 0;
  std::uint64_t dim = 0;

  friend bool operator==(const ViewStrides&, const ViewStrides&) = default;
};

// An element whose offset is not where a dense block has it.
struct Misplaced {
  std::uint64_t token = 0;
  std::uint64_t head = 0;
  std::uint64_t dim = 0;
  std::uint64_t dense_byte = 0;  // from the block's first
  std::uint64_t byte = 0;
};

// The first block that a writer with dense offsets puts elsewhere.
struct Stray {
  std::uint64_t block = 0;
  std::uint64_t byte = 0;        // where its first store falls, from the view's first byte
  std::uint64_t right_byte = 0;  // where it belongs
  std::uint64_t falls_in = 0;    // the block whose bytes (to the next block's) those are
};

struct ViewVerdict {
  std::optional<Misplaced> not_dense;   // then the view is no plane
  std::optional<Stray> stray;           // nothing: the block stride is H·N·D
  std::uint64_t first_signed_wrap = 0;  // block ids from which a 32-bit element offset wraps
  std::uint64_t first_unsigned_wrap = 0;

  bool is_plane() const { return !not_dense; }
  bool is_dense_plane() const { return !not_dense && !stray; }
};

// @pre checked(shape). Refused: a stride of 0, or of 2^48 elements or more.
Expected<ViewVerdict> judge_view(const Shape& shape, const ViewStrides& strides);

// One line a finding; `view` names it ("K").
std::string to_string(const ViewVerdict& verdict, const Shape& shape, const ViewStrides& strides);

}  // namespace pageproof::page
