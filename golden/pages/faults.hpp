// Planes as a faulty converter leaves them, one row a fault that has been made, or nearly made, in practice.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "golden/pages/blocks.hpp"
#include "model/page/plain/shape.hpp"

namespace pageproof::golden {

// What a fault may start from: rows of the listed blocks, dense, block i first to last.
struct FaultInput {
  Shape shape;
  std::uint64_t blocks = 0;
  std::span<const std::byte> standard;  // [blocks, H, N, 2D]
  const PlaneBytes& landing;            // the byte halves
  const PlaneBytes& expected;           // the shuffled planes
};

struct Fault {
  std::string flag;     // the note that explains it
  std::string comment;  // of the test
  PlaneBytes (*planes)(const FaultInput&);
};

// Some faults change nothing for some shapes (V [H, D, N] is the shuffled V where N = x): the caller
// compares.
std::span<const Fault> faults();

}  // namespace pageproof::golden
