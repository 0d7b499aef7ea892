#include "kernels/plan/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace pageproof::plan {
namespace {

std::string text_of(const Descriptor& row) {
  return fmt::format("{:#x}, {} B, device {}", row.address, row.bytes, row.device);
}

Violation violation(Rule rule, std::optional<std::size_t> row, std::string text) {
  return {rule, row, std::move(text)};
}

// Ranges sorted by device and address, for look-up.
class Memory {
 public:
  explicit Memory(std::span<const MemoryRange> ranges) : ranges_(ranges.begin(), ranges.end()) {
    std::ranges::sort(ranges_, {}, key);
  }

  std::optional<std::string> overlap() const {
    for (std::size_t i = 1; i < ranges_.size(); ++i) {
      const MemoryRange& before = ranges_[i - 1];
      const MemoryRange& range = ranges_[i];
      if (before.device != range.device || before.bytes <= range.base - before.base) continue;
      return fmt::format("{:#x}, {} B and {:#x}, {} B overlap on device {}", before.base, before.bytes,
                         range.base, range.bytes, range.device);
    }
    return std::nullopt;
  }

  bool holds(const Descriptor& row) const {
    const auto after = std::ranges::upper_bound(ranges_, std::pair(row.device, row.address), {}, key);
    if (after == ranges_.begin()) return false;
    const MemoryRange& range = *std::prev(after);
    return range.device == row.device && row.address - range.base <= range.bytes &&
           row.bytes <= range.bytes - (row.address - range.base);
  }

 private:
  static std::pair<std::uint64_t, std::uint64_t> key(const MemoryRange& range) {
    return {range.device, range.base};
  }
  std::vector<MemoryRange> ranges_;
};

std::optional<Violation> rows_fit(const CheckInput& input) {
  if (input.local.size() != input.remote.size()) {
    return violation(Rule::as_many_rows, std::nullopt,
                     fmt::format("{} local rows, {} remote rows", input.local.size(), input.remote.size()));
  }
  for (std::size_t i = 0; i < input.local.size(); ++i) {
    if (input.local[i].bytes == input.remote[i].bytes && input.local[i].bytes != 0) continue;
    return violation(Rule::lengths_equal, i,
                     fmt::format("local {}, remote {}", text_of(input.local[i]), text_of(input.remote[i])));
  }
  return std::nullopt;
}

std::optional<Violation> rows_inside(const CheckInput& input) {
  const Memory local(input.local_memory), remote(input.remote_memory);
  for (const auto& [name, memory] : {std::pair{"local", &local}, std::pair{"remote", &remote}}) {
    if (auto text = memory->overlap()) {
      return violation(Rule::ranges_disjoint, std::nullopt, fmt::format("{} ranges {}", name, *text));
    }
  }
  for (std::size_t i = 0; i < input.local.size(); ++i) {
    if (!local.holds(input.local[i])) return violation(Rule::local_inside, i, text_of(input.local[i]));
    if (!remote.holds(input.remote[i])) return violation(Rule::remote_inside, i, text_of(input.remote[i]));
  }
  return std::nullopt;
}

std::optional<Violation> destinations_apart(std::span<const Descriptor> rows) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(rows[i].device, rows[i].address); });
  for (std::size_t k = 1; k < order.size(); ++k) {
    const Descriptor& before = rows[order[k - 1]];
    const Descriptor& row = rows[order[k]];
    if (before.device != row.device || before.bytes <= row.address - before.address) continue;
    return violation(Rule::destinations_apart, order[k],
                     fmt::format("{} begins inside row {}: {}", text_of(row), order[k - 1], text_of(before)));
  }
  return std::nullopt;
}

std::optional<Violation> bytes_total(const CheckInput& input) {
  if (!input.bytes) return std::nullopt;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < input.local.size(); ++i) {
    if (!__builtin_add_overflow(total, input.local[i].bytes, &total)) continue;
    return violation(Rule::bytes_total, i, "the sum of the rows' bytes wraps 2^64");
  }
  if (total == *input.bytes) return std::nullopt;
  return violation(Rule::bytes_total, std::nullopt,
                   fmt::format("the rows carry {} B, the request has {} B", total, *input.bytes));
}

struct Place {
  std::size_t region = 0;
  std::uint64_t block = 0;
  std::uint64_t offset = 0;
};

// Regions sorted by base, for look-up.
class Regions {
 public:
  explicit Regions(std::span<const Region> regions) : regions_(regions), order_(regions.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::sort(order_, {}, [&](std::size_t i) { return regions_[i].base; });
  }

  // The block that holds the whole row.
  std::optional<Place> place_of(const Descriptor& row) const {
    const auto after =
        std::ranges::upper_bound(order_, row.address, {}, [&](std::size_t i) { return regions_[i].base; });
    if (after == order_.begin()) return std::nullopt;
    const std::size_t i = *std::prev(after);
    const Region& region = regions_[i];
    const std::uint64_t distance = row.address - region.base;
    const Place place{i, distance / region.block_stride, distance % region.block_stride};
    const bool inside = place.block < region.num_blocks && place.offset <= region.block_len &&
                        row.bytes <= region.block_len - place.offset;
    return inside ? std::optional(place) : std::nullopt;
  }

 private:
  std::span<const Region> regions_;
  std::vector<std::size_t> order_;
};

std::optional<Violation> halves(const CheckInput& input, const Halves& halves) {
  std::unordered_map<std::uint64_t, std::uint64_t> source_of;
  for (const BlockPair& pair : halves.blocks) {
    if (source_of.emplace(pair.local, pair.remote).second) continue;
    return violation(Rule::blocks_distinct, std::nullopt,
                     fmt::format("local block {} stands twice", pair.local));
  }
  const Regions planes(halves.local), pages(halves.remote);
  std::uint64_t carried = 0;
  for (std::size_t i = 0; i < input.local.size(); ++i) {
    const auto to = planes.place_of(input.local[i]);
    const auto from = pages.place_of(input.remote[i]);
    const auto wrong = [&](const std::string& why) {
      return violation(
          Rule::halves_in_order, i,
          fmt::format("local {}, remote {}: {}", text_of(input.local[i]), text_of(input.remote[i]), why));
    };
    if (!to || !from) return wrong("a row is not inside one block");
    const auto source = source_of.find(to->block);
    if (source == source_of.end())
      return wrong(fmt::format("local block {} is not the request's", to->block));
    if (to->region / 2 != from->region || source->second != from->block) {
      return wrong(fmt::format("local block {} of layer {} takes remote block {} of layer {}, not block {}",
                               to->block, to->region / 2, from->block, from->region, source->second));
    }
    const std::uint64_t half = to->region % 2 == 0 ? 0 : halves.local[to->region - 1].block_len;
    if (from->offset != to->offset + half) {
      return wrong(fmt::format("byte {} of the {} plane's block takes byte {} of the page, not byte {}",
                               to->offset, half == 0 ? "K" : "V", from->offset, to->offset + half));
    }
    carried += input.local[i].bytes;
  }
  // Destinations are disjoint and inside the request's blocks: as many bytes as those have are all of them.
  std::uint64_t wanted = 0;
  for (const Region& plane : halves.local) wanted += plane.block_len * halves.blocks.size();
  if (carried == wanted) return std::nullopt;
  return violation(Rule::nothing_missing, std::nullopt,
                   fmt::format("{} of the {} B of the request's blocks are written", carried, wanted));
}

}  // namespace

const char* to_string(Rule rule) {
  constexpr const char* names[kRules] = {
      "as_many_rows",       "lengths_equal", "ranges_disjoint", "local_inside",    "remote_inside",
      "destinations_apart", "bytes_total",   "blocks_distinct", "halves_in_order", "nothing_missing"};
  return names[static_cast<std::size_t>(rule)];
}

const char* claim(Rule rule) {
  constexpr const char* claims[kRules] = {
      "both lists have as many rows",
      "the rows of a pair have one positive length",
      "registered ranges do not overlap: NIXL's look-up of a row fails beside an overlapping one, so virtual "
      "halves are "
      "never registered",
      "every local row lies inside one registered range",
      "every remote row lies inside one registered range",
      "no local byte is written twice",
      "the rows carry as many bytes as the request has",
      "no local block stands twice",
      "byte o of a K-plane block takes byte o of its page, byte o of a V-plane block byte S + o",
      "every byte of the request's blocks is written"};
  return claims[static_cast<std::size_t>(rule)];
}

std::optional<Violation> check(const CheckInput& input) {
  if (auto found = rows_fit(input)) return found;
  if (auto found = rows_inside(input)) return found;
  if (auto found = destinations_apart(input.local)) return found;
  if (auto found = bytes_total(input)) return found;
  return input.halves ? halves(input, *input.halves) : std::nullopt;
}

}  // namespace pageproof::plan
