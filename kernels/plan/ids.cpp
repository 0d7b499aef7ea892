#include "kernels/plan/ids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <type_traits>

#include "kernels/plan/shifted_copy.hpp"

namespace pageproof::plan {
namespace {

bool serves(const IdOrder& order, std::size_t region, std::size_t group) {
  return !order.by_group || order.group[region] == kShared ||
         order.group[region] == static_cast<std::int64_t>(group);
}

// Four maxima side by side: one would wait for itself at every element, and std::ranges::max_element
// branches.
std::uint64_t highest_of(const BlockIds& blocks) {
  std::array<std::uint64_t, 4> highest{};
  const std::size_t even = blocks.size() - blocks.size() % highest.size();
  for (std::size_t i = 0; i < even; i += highest.size()) {
    for (std::size_t k = 0; k < highest.size(); ++k)
      highest[k] = blocks[i + k] > highest[k] ? blocks[i + k] : highest[k];
  }
  for (std::size_t i = even; i < blocks.size(); ++i) highest[0] = std::max(highest[0], blocks[i]);
  return std::ranges::max(highest);
}

// Every id exists, and none is above `last`.
Expected<void> inside(const IdOrder& order, const BlockGroups& blocks, const std::string& subject,
                      std::uint64_t last) {
  for (std::size_t g = 0; g < blocks.size(); ++g) {
    if (blocks[g].empty()) continue;
    const std::uint64_t highest = highest_of(blocks[g]);
    for (std::size_t i = 0; i < order.rows.size(); ++i) {
      if (!serves(order, i, g)) continue;
      if (highest >= order.rows[i]) {
        return std::unexpected(Error{subject, fmt::format("blocks of group {}", g), std::to_string(highest),
                                     fmt::format("region {} has {} of them", i, order.rows[i])});
      }
      if (highest > last || order.first_id[i] > last - highest) {
        return std::unexpected(Error{subject, fmt::format("blocks of group {}", g), std::to_string(highest),
                                     fmt::format("its id in region {} is above {}", i, last)});
      }
    }
  }
  return {};
}

// Bytes of blocks that are copied to the rows of all regions while they are in the first-level cache.
constexpr std::size_t kTileBytes = 8192;

// Ids of so many bytes are written in these ways. Measured on an EPYC of 32 MiB that other machines share:
// cached stores reach 65 to 90 GB/s up to 7 MB; at 9 to 14 MB they have 30 to 75, and 45 to 70 where lines
// are asked for ahead; above that 10 to 30, where streamed ones keep 28.
Stores stores_for(std::size_t bytes) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  if (bytes > 14 * kMiB) return Stores::streamed;
  return bytes > 7 * kMiB ? Stores::fetched : Stores::cached;
}

// A row for each region, of these blocks, and rows `width` ids apart.
template <class Id>
void fill_rows(std::span<const std::uint64_t> first_ids, std::span<const std::uint64_t> blocks,
               std::size_t width, Id* out, Stores stores) {
  constexpr std::size_t kTile = kTileBytes / sizeof(Id);
  alignas(64) [[maybe_unused]] std::array<Id, kTile> tile;  // where ids are narrower than blocks
  while (!blocks.empty()) {
    const std::span<const std::uint64_t> part = blocks.first(std::min(kTile, blocks.size()));
    std::span<const Id> from;
    if constexpr (std::is_same_v<Id, std::uint64_t>) {
      from = part;
    } else {
      for (std::size_t i = 0; i < part.size(); ++i) tile[i] = static_cast<Id>(part[i]);
      from = std::span<const Id>(tile).first(part.size());
    }
    for (std::size_t i = 0; i < first_ids.size(); ++i) {
      shifted_copy(from, static_cast<Id>(first_ids[i]), out + i * width, stores);
    }
    blocks = blocks.subspan(part.size());
    out += part.size();
  }
}

template <class Id>
Expected<void> fill_all(const IdOrder& order, const BlockGroups& blocks, const std::string& subject,
                        std::span<Id> out) {
  assert(out.size() == id_count(order, blocks));
  constexpr std::uint64_t last = static_cast<std::uint64_t>(std::numeric_limits<Id>::max());
  if (const auto ok = inside(order, blocks, subject, last); !ok) return ok;
  const Stores stores = stores_for(out.size_bytes());
  Id* next = out.data();
  if (!order.by_group) {
    std::size_t width = 0;
    for (const BlockIds& group : blocks) width += group.size();
    for (const BlockIds& group : blocks) {
      fill_rows(order.first_id, group, width, next, stores);
      next += group.size();
    }
    finish(stores);
    return {};
  }
  for (std::size_t g = 0; g < blocks.size(); ++g) {
    std::vector<std::uint64_t> first_ids;
    for (std::size_t i = 0; i < order.first_id.size(); ++i) {
      if (serves(order, i, g)) first_ids.push_back(order.first_id[i]);
    }
    fill_rows(first_ids, blocks[g], blocks[g].size(), next, stores);
    next += first_ids.size() * blocks[g].size();
  }
  finish(stores);
  return {};
}

}  // namespace

IdOrder id_order(std::span<const Region> regions, const DescriptorTable& table) {
  assert(table.series().size() == regions.size());
  IdOrder order;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    order.first_id.push_back(table.first_id(i));
    order.rows.push_back(table.series()[i].count * table.series()[i].parts);
    order.group.push_back(regions[i].group);
    order.by_group = order.by_group || regions[i].group != regions.front().group;
  }
  return order;
}

std::uint64_t id_count(const IdOrder& order, const BlockGroups& blocks) {
  std::uint64_t count = 0;
  for (std::size_t g = 0; g < blocks.size(); ++g) {
    for (std::size_t i = 0; i < order.first_id.size(); ++i)
      count += serves(order, i, g) ? blocks[g].size() : 0;
  }
  return count;
}

Expected<void> fill_ids(const IdOrder& order, const BlockGroups& blocks, const std::string& subject,
                        std::span<std::uint64_t> out) {
  return fill_all(order, blocks, subject, out);
}

Expected<void> fill_ids(const IdOrder& order, const BlockGroups& blocks, const std::string& subject,
                        std::span<std::int32_t> out) {
  return fill_all(order, blocks, subject, out);
}

}  // namespace pageproof::plan
