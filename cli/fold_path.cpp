#include "cli/fold_path.hpp"

#include <algorithm>
#include <thread>

#include "model/page/rearrange.hpp"

namespace pageproof::cli {
namespace {

Expected<page::Rearrangement> fold_map(const MoveRequest& request, const char* from, const char* to) {
  return page::rearrangement(**page::find_format(from), **page::find_format(to), request.pool.shape);
}

// Calls `work` on consecutive parts of the block ids, each on a thread of its own.
template <class Work>
void in_parts(const MoveRequest& request, Work work) {
  const std::size_t count = request.block_ids.size();
  const std::size_t parts = std::clamp<std::size_t>(request.threads, 1, std::max<std::size_t>(count, 1));
  std::vector<std::jthread> threads;
  for (std::size_t part = 1; part < parts; ++part) {
    const std::size_t begin = count * part / parts;
    const std::size_t end = count * (part + 1) / parts;
    threads.emplace_back(work, request.block_ids.subspan(begin, end - begin));
  }
  work(request.block_ids.first(count / parts));
}

}  // namespace

Expected<void> fold_to_planes(const MoveRequest& request, std::span<const std::byte> pages,
                              std::span<std::byte> keys, std::span<std::byte> values) {
  const auto map = fold_map(request, "standard", "aiter-shuffled");
  if (!map) return std::unexpected(map.error());
  in_parts(request,
           [&](std::span<const std::uint64_t> ids) { page::apply(*map, ids, {pages, {}}, {keys, values}); });
  return {};
}

Expected<void> fold_in_place(const MoveRequest& request, std::span<std::byte> keys,
                             std::span<std::byte> values) {
  const auto map = fold_map(request, "standard", "aiter-shuffled");
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

Expected<void> fold_to_standard(const MoveRequest& request, std::span<const std::byte> keys,
                                std::span<const std::byte> values, std::span<std::byte> pages) {
  const auto map = fold_map(request, "aiter-shuffled", "standard");
  if (!map) return std::unexpected(map.error());
  in_parts(request,
           [&](std::span<const std::uint64_t> ids) { page::apply(*map, ids, {keys, values}, {pages, {}}); });
  return {};
}

}  // namespace pageproof::cli
