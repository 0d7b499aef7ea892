// Moving the bytes of a conversion: through the converter's C ABI where the shape is in its scope, through
// the model's fold everywhere else. Which way it went is part of the answer.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/convert_plan.hpp"
#include "model/page/plain/error.hpp"
#include "model/page/rearrange.hpp"
#include "reports/pages/pages.hpp"

namespace pageproof::cli {

// Bytes on the heap that nobody has written yet.
class Buffer {
 public:
  // Refused where the memory is not there; `what` says what it was for.
  static Expected<Buffer> of(std::uint64_t bytes, const std::string& what);

  std::span<std::byte> bytes() { return {bytes_.get(), size_}; }
  std::span<const std::byte> bytes() const { return {bytes_.get(), size_}; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_ = 0;
};

enum class Path { converter, fold };

struct Movement {
  Path path = Path::fold;
  std::string why_fold;  // the bound that kept the converter out; empty where it was taken
  std::chrono::duration<double> seconds{};
};

// Why the converter does not take this shape, in its own words; nothing where it does.
std::optional<std::string> outside_converter(const Shape& shape);

// What is asked: which blocks (each once, all below the pool's count), how.
struct MoveRequest {
  reports::Pool pool;
  std::span<const std::uint64_t> block_ids;
  bool in_place = false;
  std::uint32_t threads = 1;
};

// From the plan's one format to its other: pages of heads or tokens first to shuffled planes and back through
// the converter, everything else through the fold. Of a page format only `first` is used. In place: lands
// each page's byte halves in the planes, then converts the landing into the same bytes; a page above the
// converter's in-place bound is refused, whichever path. Blocks that are not listed keep what the planes
// hold.
// @pre the shape fits both formats; in place: the plan is standard or standard-nhd to aiter-shuffled
Expected<Movement> move_pages(const MoveRequest& request, const ConvertPlan& plan,
                              const page::ConstRegions& source, const page::MutableRegions& destination);

}  // namespace pageproof::cli
