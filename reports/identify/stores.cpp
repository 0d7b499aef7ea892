#include "reports/identify/stores.hpp"

#include <algorithm>

namespace pageproof::reports {
namespace {

// Marks of a slot's bytes: unwritten, written but not explained (by the side of the first store), explained
// (by the side of the first store that explains it).
constexpr std::uint8_t kUnwritten = 0;
constexpr std::uint8_t kOpen = 1;
constexpr std::uint8_t kExplained = 3;

// Calls visit(mark, equal) for every byte that the list moves; fixed sizes let the compiler take units at
// once.
template <std::size_t kUnit, class Visit>
void each_unit(const MoveList& list, const std::byte* slot, const std::byte* block, std::uint8_t* marks,
               const Visit& visit) {
  for (const Move& move : list.moves) {
    for (std::size_t i = 0; i < kUnit; ++i) {
      visit(marks[move.file + i], slot[move.file + i] == block[move.reference + i]);
    }
  }
}

template <class Visit>
void each_byte(const MoveList& list, const std::byte* slot, const std::byte* block, std::uint8_t* marks,
               const Visit& visit) {
  switch (list.unit_bytes) {
    case 1:
      return each_unit<1>(list, slot, block, marks, visit);
    case 2:
      return each_unit<2>(list, slot, block, marks, visit);
    case 4:
      return each_unit<4>(list, slot, block, marks, visit);
    case 8:
      return each_unit<8>(list, slot, block, marks, visit);
    default:
      return each_unit<16>(list, slot, block, marks, visit);
  }
}

std::uint64_t count_of(const std::vector<std::uint8_t>& marks, int mark) {
  return static_cast<std::uint64_t>(std::ranges::count(marks, static_cast<std::uint8_t>(mark)));
}

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
    const std::uint8_t side = static_cast<std::uint8_t>(store.side);
    const std::uint8_t open = kOpen + side;
    const std::uint8_t explained = kExplained + side;
    std::uint64_t equals = 0;
    each_byte(*store.list, slot, reference.at(store.reference_block), marks.data(),
              [&](std::uint8_t& mark, bool equal) {
                equals += equal;
                const std::uint8_t otherwise = mark == kUnwritten ? open : mark;
                const std::uint8_t now = equal ? explained : otherwise;
                mark = mark >= kExplained ? mark : now;
              });
    outcome.explained[store.number] += equals;
    outcome.possible[store.number] += store.list->bytes();
  }
  for (const int side : {0, 1}) {
    const std::uint64_t explained = count_of(marks, kExplained + side);
    outcome.count[static_cast<std::size_t>(side)].tested += explained + count_of(marks, kOpen + side);
    outcome.count[static_cast<std::size_t>(side)].in_place += explained;
    outcome.telling += explained;
  }
  for (const Store& store : own) {
    std::uint64_t no_news = 0;
    each_byte(*store.list, slot, reference.at(store.reference_block), marks.data(),
              [&](const std::uint8_t& mark, bool equal) { no_news += equal && mark >= kExplained; });
    outcome.telling -= no_news;
  }
}

}  // namespace pageproof::reports
