// The sizes of one page, and a place in it. Plain values: no formula stands here, so every room may include
// it, also those that must not share a formula with each other.
//
//   Shape{.heads = 8, .tokens = 16, .head_dim = 128, .element_bytes = 2}     Qwen3-8B, bf16, 16-token pages
#pragma once

#include <cstdint>
#include <string>

#include "model/page/plain/error.hpp"

namespace pageproof {

// A granule is the 16 bytes that AITER's readers fetch at once.
inline constexpr std::uint64_t kGranuleBytes = 16;

enum class Side : std::uint8_t { key, value };

struct Shape {
  std::uint64_t heads = 0;          // H: KV heads on this rank, at least 1
  std::uint64_t tokens = 0;         // N: tokens of a block
  std::uint64_t head_dim = 0;       // D: elements of a head
  std::uint64_t element_bytes = 0;  // e: 1 or 2

  // x: elements of a granule.
  constexpr std::uint64_t granule_elements() const { return kGranuleBytes / element_bytes; }
  // S = H·N·D·e: bytes of one side of a block. A page is 2S.
  constexpr std::uint64_t side_bytes() const { return heads * tokens * head_dim * element_bytes; }
  constexpr std::uint64_t page_bytes() const { return 2 * side_bytes(); }

  friend bool operator==(const Shape&, const Shape&) = default;
};

// One element of one side of one block of a pool.
struct Coordinate {
  std::uint64_t block = 0;
  Side side = Side::key;
  std::uint64_t head = 0;
  std::uint64_t token = 0;
  std::uint64_t dim = 0;

  friend bool operator==(const Coordinate&, const Coordinate&) = default;
};

// Refuses a shape that no page can have: a size of 0, an element that is not 1 or 2 bytes, N or D that is not
// a multiple of x (page_layouts.md §1.1: the writer needs both), a page of 2^48 bytes or more. `subject` is
// where the shape came from.
Expected<Shape> checked(const Shape& shape, const std::string& subject);

std::string to_string(Side side);                     // "K", "V"
std::string to_string(const Shape& shape);            // "H=8 N=16 D=128 e=2"
std::string to_string(const Coordinate& coordinate);  // "block=3 side=V head=0 token=7 dim=65"

}  // namespace pageproof
