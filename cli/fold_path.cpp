#include "cli/fold_path.hpp"

#include <algorithm>
#include <system_error>
#include <thread>

#include "model/page/rearrange.hpp"
#include "oracle/offset/fp8.hpp"

namespace pageproof::cli {
namespace {

// Calls `work` on consecutive parts of the block ids, each on a thread of its own; where the system gives no
// more threads, this one does what is left.
template <class Work>
void in_parts(const MoveRequest& request, Work work) {
  const std::size_t count = request.block_ids.size();
  const std::size_t parts = std::clamp<std::size_t>(request.threads, 1, std::max<std::size_t>(count, 1));
  const auto ids_from = [&](std::size_t part) {
    return request.block_ids.subspan(count * part / parts, count * (part + 1) / parts - count * part / parts);
  };
  std::vector<std::jthread> threads;
  threads.reserve(parts - 1);
  std::size_t started = 1;
  try {
    for (; started < parts; ++started) threads.emplace_back(work, ids_from(started));
  } catch (const std::system_error&) {
  }
  work(ids_from(0));
  for (; started < parts; ++started) work(ids_from(started));
}

}  // namespace

Expected<void> fold_pages(const MoveRequest& request, const page::PageFormat& from,
                          const page::PageFormat& to, const page::ConstRegions& source,
                          const page::MutableRegions& destination) {
  const auto map = page::rearrangement(from, to, request.pool.shape);
  if (!map) return std::unexpected(map.error());
  in_parts(request, [&](std::span<const std::uint64_t> ids) { page::apply(*map, ids, source, destination); });
  return {};
}

Expected<void> fold_in_place(const MoveRequest& request, const page::PageFormat& from,
                             std::span<std::byte> keys, std::span<std::byte> values) {
  const auto map = page::rearrangement(from, **page::find_format("aiter-shuffled"), request.pool.shape);
  if (!map) return std::unexpected(map.error());
  const std::uint64_t half = request.pool.shape.side_bytes();
  std::vector<std::byte> page(2 * half);  // each block is copied whole before any of it is written
  constexpr std::uint64_t kOnly[] = {0};
  for (const std::uint64_t block : request.block_ids) {
    const std::span<std::byte> key = keys.subspan(block * half, half);
    const std::span<std::byte> value = values.subspan(block * half, half);
    std::ranges::copy(key, page.begin());
    std::ranges::copy(value, page.begin() + static_cast<std::ptrdiff_t>(half));
    page::apply(*map, kOnly, {page, {}}, {key, value});
  }
  return {};
}

void rewrite_blocks(const MoveRequest& request, std::span<std::byte> region, std::uint64_t block_bytes) {
  for (const std::uint64_t block : request.block_ids) {
    for (std::byte& code : region.subspan(block * block_bytes, block_bytes)) {
      code = static_cast<std::byte>(oracle::e4m3_to_e4m3fnuz(static_cast<std::uint8_t>(code)));
    }
  }
}

}  // namespace pageproof::cli
