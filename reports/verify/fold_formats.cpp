#include "reports/verify/fold_formats.hpp"

#include <cstring>
#include <numeric>

#include "model/page/rearrange.hpp"

namespace pageproof::reports {
namespace {

using golden::formats::FormatRequest;
using golden::formats::Operation;

template <class Region>
Region second(const std::vector<Region>& regions) {
  return regions.size() > 1 ? regions[1] : Region{};
}

// Each element of K where the format locates it.
Expected<void> place(const FormatRequest& request, const page::PageFormat& from, const page::PageFormat& to) {
  const Shape& shape = request.shape;
  for (const page::PageFormat* format : {&from, &to}) {
    if (const auto fit = page::fits(*format, shape); !fit) return fit;
  }
  for (Coordinate c; c.block < request.blocks; ++c.block) {
    for (c.head = 0; c.head < shape.heads; ++c.head) {
      for (c.token = 0; c.token < shape.tokens; ++c.token) {
        for (c.dim = 0; c.dim < shape.head_dim; ++c.dim) {
          std::memcpy(request.destination[0].data() + page::locate(to, shape, c).byte,
                      request.source[0].data() + page::locate(from, shape, c).byte, shape.element_bytes);
        }
      }
    }
  }
  return {};
}

Expected<void> convert(const FormatRequest& request) {
  const auto from = page::find_format(request.from);
  if (!from) return std::unexpected(from.error());
  const auto to = page::find_format(request.to);
  if (!to) return std::unexpected(to.error());
  if (request.operation == Operation::place) return place(request, **from, **to);
  const auto map = page::rearrangement(**from, **to, request.shape);
  if (!map) return std::unexpected(map.error());
  std::vector<std::uint64_t> blocks(request.blocks);
  std::iota(blocks.begin(), blocks.end(), std::uint64_t{0});
  page::apply(*map, blocks, {request.source[0], second(request.source)},
              {request.destination[0], second(request.destination)});
  return {};
}

}  // namespace

golden::formats::ConvertFormat fold_formats() {
  return convert;
}

}  // namespace pageproof::reports
