// Descriptor ids of a request's blocks, in the order in which NIXL pairs them. Source: connector spec §4.4.
//
//   one group of regions    for each region, the blocks of all groups in a row: region-major
//   several                 for each group, its own regions and the shared ones, each with the group's blocks
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/plan/blocks.hpp"
#include "kernels/plan/region.hpp"
#include "kernels/plan/table.hpp"

namespace pageproof::plan {

// Where ids begin, and which group each region serves; O(regions).
struct IdOrder {
  std::vector<std::uint64_t> first_id;  // of each region
  std::vector<std::uint64_t> rows;      // of each region
  std::vector<std::int64_t> group;
  bool by_group = false;
};
// @pre the table has a series for each region, in order
IdOrder id_order(std::span<const Region> regions, const DescriptorTable& table);

std::uint64_t id_count(const IdOrder& order, const BlockGroups& blocks);

// Fills the caller's buffer. Refused: a block id that some region of its group does not have.
// @pre out.size() == id_count(order, blocks)
Expected<void> fill_ids(const IdOrder& order, const BlockGroups& blocks, const std::string& subject,
                        std::span<std::uint64_t> out);
// The same as make_prepped_xfer takes it: int32. Refused besides: an id of 2^31 or more.
Expected<void> fill_ids(const IdOrder& order, const BlockGroups& blocks, const std::string& subject,
                        std::span<std::int32_t> out);

}  // namespace pageproof::plan
