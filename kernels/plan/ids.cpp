#include "kernels/plan/ids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>

namespace pageproof::plan {
namespace {

bool serves(const IdOrder& order, std::size_t region, std::size_t group) {
  return !order.by_group || order.group[region] == kShared ||
         order.group[region] == static_cast<std::int64_t>(group);
}

// A plain loop: std::ranges::max_element branches on every element.
std::uint64_t highest_of(const BlockIds& blocks) {
  std::uint64_t highest = 0;
  for (const std::uint64_t block : blocks) highest = block > highest ? block : highest;
  return highest;
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

template <class Id>
Id* fill(std::uint64_t first_id, std::span<const std::uint64_t> blocks, Id* __restrict out) {
  for (std::size_t i = 0; i < blocks.size(); ++i) out[i] = static_cast<Id>(first_id + blocks[i]);
  return out + blocks.size();
}

template <class Id>
Expected<void> fill_all(const IdOrder& order, const BlockGroups& blocks, const std::string& subject,
                        std::span<Id> out) {
  assert(out.size() == id_count(order, blocks));
  constexpr std::uint64_t last = static_cast<std::uint64_t>(std::numeric_limits<Id>::max());
  if (const auto ok = inside(order, blocks, subject, last); !ok) return ok;
  Id* next = out.data();
  if (order.by_group) {
    for (std::size_t g = 0; g < blocks.size(); ++g) {
      for (std::size_t i = 0; i < order.first_id.size(); ++i) {
        if (serves(order, i, g)) next = fill(order.first_id[i], blocks[g], next);
      }
    }
    return {};
  }
  for (const std::uint64_t first_id : order.first_id) {
    for (const BlockIds& group : blocks) next = fill(first_id, group, next);
  }
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
