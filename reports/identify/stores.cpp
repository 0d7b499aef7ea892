#include "reports/identify/stores.hpp"

#include <algorithm>

namespace pageproof::reports {
namespace {

// Marks of a slot's bytes.
enum Mark : std::uint8_t { kUnwritten = 0, kOpenKey, kOpenValue, kExplainedKey, kExplainedValue };

}  // namespace

void Outcome::add(const Outcome& other) {
  for (std::size_t side = 0; side < 2; ++side) count[side].add(other.count[side]);
  telling += other.telling;
  const auto sum = [](std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& from) {
    to.resize(std::max(to.size(), from.size()));
    for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
  };
  sum(explained, other.explained);
  sum(possible, other.possible);
}

void judge_slot(const std::byte* slot, std::span<const Store> stores, std::span<const Store> own,
                ReferenceBlocks& reference, std::vector<std::uint8_t>& marks, Outcome& outcome) {
  std::ranges::fill(marks, kUnwritten);
  for (const Store& store : stores) {
    if (outcome.explained.size() <= store.number) outcome.explained.resize(store.number + 1);
    if (outcome.possible.size() <= store.number) outcome.possible.resize(store.number + 1);
    const std::byte* block = reference.at(store.reference_block);
    const std::uint8_t side = static_cast<std::uint8_t>(store.side);
    for (const Move& move : store.list->moves) {
      for (std::uint64_t i = 0; i < store.list->unit_bytes; ++i) {
        std::uint8_t& mark = marks[move.file + i];
        const bool equal = slot[move.file + i] == block[move.reference + i];
        outcome.explained[store.number] += equal;
        if (equal && mark < kExplainedKey) mark = static_cast<std::uint8_t>(kExplainedKey + side);
        if (!equal && mark == kUnwritten) mark = static_cast<std::uint8_t>(kOpenKey + side);
      }
    }
    outcome.possible[store.number] += store.list->bytes();
  }
  for (const std::uint8_t mark : marks) {
    if (mark == kUnwritten) continue;
    const bool explained = mark >= kExplainedKey;
    Count& count = outcome.count[mark == kOpenValue || mark == kExplainedValue];
    ++count.tested;
    count.in_place += explained;
    outcome.telling += explained;
  }
  for (const Store& store : own) {
    const std::byte* block = reference.at(store.reference_block);
    for (const Move& move : store.list->moves) {
      for (std::uint64_t i = 0; i < store.list->unit_bytes; ++i) {
        const bool equal = slot[move.file + i] == block[move.reference + i];
        outcome.telling -= equal && marks[move.file + i] >= kExplainedKey;
      }
    }
  }
}

}  // namespace pageproof::reports
