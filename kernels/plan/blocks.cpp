#include "kernels/plan/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/plan/row.hpp"

namespace pageproof::plan {
namespace {

// b as b · per_block + 0 .. per_block − 1.
Expected<BlockIds> expanded(const BlockIds& blocks, std::uint64_t per_block, const std::string& subject) {
  if (blocks.size() > kMostBlocks / per_block) {
    return std::unexpected(Error{subject, "", std::to_string(blocks.size()),
                                 fmt::format("more than {} kernel blocks", kMostBlocks)});
  }
  BlockIds ids;
  ids.reserve(blocks.size() * per_block);
  for (const std::uint64_t block : blocks) {
    if (block > (UINT64_MAX - per_block) / per_block) {
      return std::unexpected(
          Error{subject, "", std::to_string(block), "no block id: its kernel blocks wrap 2^64"});
    }
    for (std::uint64_t i = 0; i < per_block; ++i) ids.push_back(part_id(block, i, per_block));
  }
  return ids;
}

Expected<void> distinct(const BlockIds& blocks, const std::string& subject) {
  BlockIds sorted = blocks;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice == sorted.end()) return {};
  return std::unexpected(
      Error{subject, "", std::to_string(*twice), "stands twice: a block is read or filled once"});
}

Expected<void> checked(const BlockUnits& units) {
  const auto positive = [](std::uint64_t value, const char* field) -> Expected<void> {
    if (value >= 1 && value <= kMostBlocks) return {};
    return std::unexpected(
        Error{"units", field, std::to_string(value), fmt::format("not 1 to {}", kMostBlocks)});
  };
  if (const auto ok = positive(units.local_per_logical, "local_per_logical"); !ok) return ok;
  if (const auto ok = positive(units.remote_per_logical, "remote_per_logical"); !ok) return ok;
  return positive(units.ratio, "ratio");
}

// The last ids of a list that has more than `count`.
void keep_last(BlockIds& ids, std::size_t count) {
  if (ids.size() > count) ids.erase(ids.begin(), ids.end() - static_cast<std::ptrdiff_t>(count));
}

}  // namespace

Expected<void> few_enough(const BlockGroups& blocks, std::uint64_t rows_per_block) {
  std::uint64_t count = 0;
  for (const BlockIds& group : blocks) count += group.size();
  if (count == 0 || rows_per_block <= kMostRequestRows / count) return {};
  return std::unexpected(
      Error{"request", "blocks", std::to_string(count),
            fmt::format("of {} rows each: more than {} descriptors", rows_per_block, kMostRequestRows)});
}

bool PairedBlocks::empty() const {
  return std::ranges::all_of(local, &BlockIds::empty);
}

Expected<PairedBlocks> pair_blocks(const BlockGroups& local, const BlockGroups& remote,
                                   const BlockUnits& units) {
  if (const auto ok = checked(units); !ok) return std::unexpected(ok.error());
  if (local.size() != remote.size()) {
    return std::unexpected(Error{"remote blocks", "groups", std::to_string(remote.size()),
                                 fmt::format("the local side has {} groups", local.size())});
  }
  PairedBlocks paired;
  for (std::size_t g = 0; g < local.size(); ++g) {
    const std::string local_subject = fmt::format("local blocks of group {}", g);
    const std::string remote_subject = fmt::format("remote blocks of group {}", g);
    if (const auto ok = distinct(local[g], local_subject); !ok) return std::unexpected(ok.error());
    if (const auto ok = distinct(remote[g], remote_subject); !ok) return std::unexpected(ok.error());
    auto kernel = expanded(local[g], units.local_per_logical, local_subject);
    if (!kernel) return std::unexpected(kernel.error());
    auto parts = expanded(*kernel, units.ratio, local_subject);
    if (!parts) return std::unexpected(parts.error());
    auto sources = expanded(remote[g], units.remote_per_logical, remote_subject);
    if (!sources) return std::unexpected(sources.error());
    if (units.ratio > 1 && parts->size() > sources->size()) parts->resize(sources->size());
    if (parts->size() > sources->size()) {
      return std::unexpected(Error{remote_subject, "", std::to_string(sources->size()),
                                   fmt::format("fewer than the {} local blocks", parts->size())});
    }
    keep_last(*sources, parts->size());
    paired.local.push_back(*std::move(parts));
    paired.remote.push_back(*std::move(sources));
  }
  return paired;
}

}  // namespace pageproof::plan
