// What converts between formats, as the checker calls it: whoever wants to be checked adapts to this.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "golden/formats/fixture.hpp"

namespace pageproof::golden::formats {

// Pools are dense. A format of pages is one region, a format of planes two (K, V), one of K only one.
struct FormatRequest {
  Operation operation = Operation::convert;  // or place
  Shape shape;
  std::uint64_t blocks = 0;
  std::string from;
  std::string to;
  std::vector<std::span<const std::byte>> source;
  std::vector<std::span<std::byte>> destination;
};

// Writes every byte of the destination, or returns an Error whose field, value and problem name the rule, and
// has written nothing.
using ConvertFormat = std::function<Expected<void>(const FormatRequest&)>;

}  // namespace pageproof::golden::formats
