#include "reports/pages/blocks_elsewhere.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pageproof::reports {
namespace {

constexpr std::size_t kListedBlocks = 4;

// Both halves of a block as one run of bytes, the planes' own or those a page would give.
class BlockBytes {
 public:
  BlockBytes(const CheckedPages& checked, const BlockMap& truth)
      : checked_(checked), truth_(truth), bytes_(checked.pool.shape.page_bytes(), '\0') {}

  std::string_view of_page(std::uint64_t block) {
    const std::byte* const page = checked_.page(block).data();
    const std::uint64_t e = truth_.element_bytes;
    for (std::size_t i = 0; i < truth_.source_of.size(); ++i) {
      std::memcpy(&bytes_[i * e], page + truth_.source_of[i] * e, e);
    }
    return bytes_;
  }
  std::string_view of_planes(std::uint64_t block) {
    const auto key = checked_.half(Side::key, block);
    const auto value = checked_.half(Side::value, block);
    std::memcpy(bytes_.data(), key.data(), key.size());
    std::memcpy(bytes_.data() + key.size(), value.data(), value.size());
    return bytes_;
  }

 private:
  const CheckedPages& checked_;
  const BlockMap& truth_;
  std::string bytes_;
};

struct Moved {
  std::uint64_t block;
  std::uint64_t page;
};

// The block holds the page of another block, rightly shuffled, wherever such a page exists.
std::vector<Moved> moved_blocks(const CheckedPages& checked, const BlockMap& truth,
                                std::span<const std::uint64_t> wrong) {
  BlockBytes expected(checked, truth), got(checked, truth);
  const std::hash<std::string_view> hash;
  std::unordered_multimap<std::size_t, std::uint64_t> pages;
  for (std::uint64_t page = 0; page < checked.pool.blocks; ++page) {
    pages.emplace(hash(expected.of_page(page)), page);
  }
  std::vector<Moved> moved;
  for (const std::uint64_t block : wrong) {
    const std::string_view bytes = got.of_planes(block);
    const auto [begin, end] = pages.equal_range(hash(bytes));
    const auto found =
        std::find_if(begin, end, [&](const auto& entry) { return expected.of_page(entry.second) == bytes; });
    if (found != end) moved.push_back({block, found->second});
  }
  return moved;
}

}  // namespace

std::optional<std::string> blocks_elsewhere(const CheckedPages& checked, const BlockMap& truth,
                                            std::span<const std::uint64_t> wrong) {
  const std::vector<Moved> moved = moved_blocks(checked, truth, wrong);
  if (moved.empty()) return std::nullopt;
  const std::uint64_t blocks = checked.pool.blocks;
  const std::uint64_t shift = moved.front().page - moved.front().block;  // wraps for a shift downwards
  const bool constant = std::ranges::all_of(moved, [&](const Moved& m) { return m.page - m.block == shift; });
  // Where the shift leads out of the pool there is no page to compare with; all others must have matched.
  const auto in_pool = std::ranges::count_if(wrong, [&](std::uint64_t b) { return b + shift < blocks; });
  if (constant && static_cast<std::size_t>(in_pool) == moved.size()) {
    const auto distance = static_cast<std::int64_t>(shift);
    return fmt::format(
        "block b of the planes holds page b{:+} ({} of {} differing blocks, all where that page "
        "exists, every byte)",
        distance, moved.size(), wrong.size());
  }
  if (moved.size() != wrong.size()) return std::nullopt;
  std::vector<std::string> list;
  for (const Moved& m : moved) {
    if (list.size() < kListedBlocks) list.push_back(fmt::format("block {} holds page {}", m.block, m.page));
  }
  return fmt::format("blocks hold other blocks' pages: {}{} (all {} differing blocks, every byte)",
                     fmt::join(list, ", "), moved.size() > kListedBlocks ? ", ..." : "", moved.size());
}

}  // namespace pageproof::reports
