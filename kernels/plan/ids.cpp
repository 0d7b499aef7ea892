#include "kernels/plan/ids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace pageproof::plan {
namespace {

bool serves(const IdOrder& order, std::size_t region, std::size_t group) {
  return !order.by_group || order.group[region] == kShared ||
         order.group[region] == static_cast<std::int64_t>(group);
}

Expected<void> inside(const IdOrder& order, const BlockGroups& blocks, const std::string& subject) {
  for (std::size_t g = 0; g < blocks.size(); ++g) {
    if (blocks[g].empty()) continue;
    const std::uint64_t highest = *std::ranges::max_element(blocks[g]);
    for (std::size_t i = 0; i < order.rows.size(); ++i) {
      if (!serves(order, i, g) || highest < order.rows[i]) continue;
      return std::unexpected(Error{subject, fmt::format("blocks of group {}", g), std::to_string(highest),
                                   fmt::format("region {} has {} of them", i, order.rows[i])});
    }
  }
  return {};
}

std::uint64_t* fill(std::uint64_t first_id, const BlockIds& blocks, std::uint64_t* out) {
  for (const std::uint64_t block : blocks) *out++ = first_id + block;
  return out;
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
  assert(out.size() == id_count(order, blocks));
  if (const auto ok = inside(order, blocks, subject); !ok) return ok;
  std::uint64_t* next = out.data();
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

}  // namespace pageproof::plan
