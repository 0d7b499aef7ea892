#include "kernels/plan/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace pageproof::plan {
namespace {

std::string text_of(const Descriptor& row) {
  return fmt::format("{:#x}, {} B, device {}", row.address, row.bytes, row.device);
}

Violation violation(Rule rule, std::optional<std::size_t> row, std::string text) {
  return {rule, row, std::move(text)};
}

// Ranges sorted by device and address, for look-up. One of no bytes holds nothing.
class Memory {
 public:
  explicit Memory(std::span<const MemoryRange> ranges) {
    for (const MemoryRange& range : ranges) {
      if (range.bytes != 0) ranges_.push_back(range);
    }
    std::ranges::sort(ranges_, {}, key);
  }

  // Ranges that overlap, or one that goes on at 0: holds() and the proof of it take ranges that end by 2^64.
  std::optional<std::string> overlap() const {
    for (const MemoryRange& range : ranges_) {
      if (range.bytes - 1 <= UINT64_MAX - range.base) continue;
      return fmt::format("{:#x}, {} B on device {} wraps 2^64", range.base, range.bytes, range.device);
    }
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

std::optional<Violation> blocks_distinct(const CheckInput& input) {
  if (input.local_blocks == nullptr) return std::nullopt;
  for (std::size_t g = 0; g < input.local_blocks->size(); ++g) {
    BlockIds sorted = (*input.local_blocks)[g];
    std::ranges::sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice == sorted.end()) continue;
    return violation(Rule::blocks_distinct, std::nullopt,
                     fmt::format("local block {} of group {} stands twice", *twice, g));
  }
  return std::nullopt;
}

// Rows in the order of their local bytes, taken from the front in pieces.
class Walk {
 public:
  Walk(std::span<const Descriptor> local, std::span<const Descriptor> remote)
      : local_(local), remote_(remote), order_(local.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::sort(order_, {},
                      [&](std::size_t i) { return std::pair(local_[i].device, local_[i].address); });
  }

  bool ended() const { return next_ == order_.size(); }
  std::size_t row() const { return order_[next_]; }
  // What is left of the row at the front.
  Descriptor local() const { return rest_of(local_[row()]); }
  Descriptor remote() const { return rest_of(remote_[row()]); }
  void take(std::uint64_t bytes) {
    taken_ += bytes;
    if (taken_ < local_[row()].bytes) return;
    taken_ = 0;
    ++next_;
  }

 private:
  Descriptor rest_of(const Descriptor& row) const {
    return {row.address + taken_, row.bytes - taken_, row.device};
  }
  std::span<const Descriptor> local_;
  std::span<const Descriptor> remote_;
  std::vector<std::size_t> order_;
  std::size_t next_ = 0;
  std::uint64_t taken_ = 0;
};

std::pair<std::uint64_t, std::uint64_t> place(const Descriptor& row) {
  return {row.device, row.address};
}

std::optional<Violation> moves(const CheckInput& input, const Wanted& wanted) {
  Walk have(input.local, input.remote), want(wanted.local, wanted.remote);
  std::uint64_t missing = 0;
  std::optional<Descriptor> first_missing;
  const auto miss = [&](std::uint64_t bytes) {
    if (!first_missing) first_missing = want.local();
    missing += bytes;
    want.take(bytes);
  };
  while (!have.ended()) {
    const Descriptor to = have.local();
    if (want.ended() || place(to) < place(want.local())) {
      return violation(
          Rule::request_only, have.row(),
          fmt::format("local {:#x} on device {} is none of the request's bytes", to.address, to.device));
    }
    const Descriptor should = want.local();
    if (place(should) < place(to)) {
      const std::uint64_t gap = should.device == to.device ? to.address - should.address : should.bytes;
      miss(std::min(gap, should.bytes));
      continue;
    }
    if (place(have.remote()) != place(want.remote())) {
      return violation(Rule::right_source, have.row(),
                       fmt::format("local {:#x} takes remote {:#x} on device {}, not {:#x} on device {}",
                                   to.address, have.remote().address, have.remote().device,
                                   want.remote().address, want.remote().device));
    }
    const std::uint64_t both = std::min(to.bytes, should.bytes);
    have.take(both);
    want.take(both);
  }
  while (!want.ended()) miss(want.local().bytes);
  if (missing == 0) return std::nullopt;
  return violation(Rule::nothing_missing, std::nullopt,
                   fmt::format("{} B of the request's blocks are never written, the first at {:#x}", missing,
                               first_missing->address));
}

}  // namespace

const char* to_string(Rule rule) {
  constexpr const char* names[kRules] = {"as_many_rows", "lengths_equal",   "ranges_disjoint",
                                         "local_inside", "remote_inside",   "destinations_apart",
                                         "bytes_total",  "blocks_distinct", "request_only",
                                         "right_source", "nothing_missing"};
  return names[static_cast<std::size_t>(rule)];
}

const char* claim(Rule rule) {
  constexpr const char* claims[kRules] = {
      "both lists have as many rows",
      "the rows of a pair have one positive length",
      "registered ranges do not overlap nor wrap 2^64: a virtual half is never registered",
      "every local row lies inside one registered range",
      "every remote row lies inside one registered range",
      "no local byte is written twice",
      "the rows carry as many bytes as the request has",
      "no local block stands twice",
      "no byte outside the request's blocks is written",
      "each local byte takes the remote byte that belongs there",
      "every byte of the request's blocks is written"};
  return claims[static_cast<std::size_t>(rule)];
}

std::optional<Violation> check(const CheckInput& input) {
  if (auto found = rows_fit(input)) return found;
  if (auto found = rows_inside(input)) return found;
  if (auto found = destinations_apart(input.local)) return found;
  if (auto found = bytes_total(input)) return found;
  if (auto found = blocks_distinct(input)) return found;
  return input.wanted ? moves(input, *input.wanted) : std::nullopt;
}

}  // namespace pageproof::plan
