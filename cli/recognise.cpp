#include "cli/recognise.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "cli/arrangements.hpp"

namespace pageproof::cli {
namespace {

constexpr std::uint32_t kNowhere = UINT32_MAX;
constexpr std::size_t kListedBlocks = 4;

std::string in_blocks(std::size_t blocks) {
  return blocks == 1 ? "every byte of the 1 fully written block matches"
                     : fmt::format("every byte of the {} fully written blocks matches", blocks);
}

// The bytes of a pool as elements of one block.
class Elements {
 public:
  Elements(const CheckedPages& checked, std::uint64_t block)
      : page_(checked.page(block).data()),
        halves_{checked.half(Side::key, block).data(), checked.half(Side::value, block).data()},
        bytes_(checked.pool.shape.element_bytes),
        side_elements_(checked.pool.shape.side_bytes() / bytes_) {}

  bool same(std::uint64_t to, std::uint64_t from) const {
    const std::byte* const half = to < side_elements_ ? halves_[0] : halves_[1];
    return std::memcmp(half + to % side_elements_ * bytes_, page_ + from * bytes_, bytes_) == 0;
  }

 private:
  const std::byte* page_;
  const std::byte* halves_[2];
  std::uint64_t bytes_;
  std::uint64_t side_elements_;
};

struct Data {
  const CheckedPages& checked;
  const BlockMap& truth;
  std::vector<std::uint64_t> blocks;  // those with all slots written
};

Data data_of(const CheckedPages& checked, const Slots& slots, const BlockMap& truth) {
  Data data{checked, truth, {}};
  for (std::uint64_t block = 0; block < checked.pool.blocks; ++block) {
    if (slots.all_of_block(block, checked.pool.shape.tokens)) data.blocks.push_back(block);
  }
  return data;
}

// The arrangement as a map, made while the first block is read: most arrangements end after a few elements.
// Nothing where the first block does not match, or the arrangement is the right one.
std::optional<std::vector<std::uint32_t>> matching_map(const Data& data, const Arrangement& arrangement) {
  const Shape& shape = data.checked.pool.shape;
  const Elements first(data.checked, data.blocks.front());
  std::vector<std::uint32_t> source_of(data.truth.source_of.size(), kNowhere);
  bool is_truth = true;
  for (const Side side : arrangement.sides) {
    for (std::uint64_t head = 0; head < shape.heads; ++head) {
      for (std::uint64_t token = 0; token < shape.tokens; ++token) {
        for (std::uint64_t dim = 0; dim < shape.head_dim; ++dim) {
          const Move move = arrangement.move({0, side, head, token, dim});
          if (!first.same(move.to, move.from)) return std::nullopt;
          source_of[move.to] = static_cast<std::uint32_t>(move.from);
          is_truth = is_truth && data.truth.source_of[move.to] == move.from;
        }
      }
    }
  }
  if (is_truth) return std::nullopt;
  return source_of;
}

bool block_matches(const Data& data, std::uint64_t block, std::span<const std::uint32_t> source_of) {
  const Elements elements(data.checked, block);
  for (std::size_t to = 0; to < source_of.size(); ++to) {
    if (source_of[to] != kNowhere && !elements.same(to, source_of[to])) return false;
  }
  return true;
}

bool matches(const Data& data, const Arrangement& arrangement) {
  const auto source_of = matching_map(data, arrangement);
  return source_of && std::ranges::all_of(data.blocks, [&](std::uint64_t block) {
           return block_matches(data, block, *source_of);
         });
}

std::optional<std::string> first_match(const Data& data, const std::vector<Arrangement>& arrangements) {
  const auto found = std::ranges::find_if(
      arrangements, [&](const Arrangement& arrangement) { return matches(data, arrangement); });
  if (found == arrangements.end()) return std::nullopt;
  return fmt::format("{} ({})", found->text, in_blocks(data.blocks.size()));
}

// A side of one and the same byte: never written, or cleared.
std::optional<std::string> constant_side(const Data& data, Side side) {
  const std::byte value = data.checked.half(side, data.blocks.front()).front();
  for (const std::uint64_t block : data.blocks) {
    const auto half = data.checked.half(side, block);
    if (std::ranges::any_of(half, [&](std::byte byte) { return byte != value; })) return std::nullopt;
  }
  const char* const meaning = value == kUnwritten ? ", the unwritten byte: the plane was never written" : "";
  return fmt::format("{} holds 0x{:02X} everywhere{} ({} blocks read)", to_string(side),
                     static_cast<unsigned>(value), meaning, data.blocks.size());
}

// Both halves of a block as one run of bytes, the planes' own or those a page would give.
class BlockBytes {
 public:
  explicit BlockBytes(const Data& data) : data_(data), bytes_(data.checked.pool.shape.page_bytes(), '\0') {}

  std::string_view of_page(std::uint64_t block) {
    const std::byte* const page = data_.checked.page(block).data();
    const std::uint64_t e = data_.truth.element_bytes;
    for (std::size_t i = 0; i < data_.truth.source_of.size(); ++i) {
      std::memcpy(&bytes_[i * e], page + data_.truth.source_of[i] * e, e);
    }
    return bytes_;
  }
  std::string_view of_planes(std::uint64_t block) {
    const auto key = data_.checked.half(Side::key, block);
    const auto value = data_.checked.half(Side::value, block);
    std::memcpy(bytes_.data(), key.data(), key.size());
    std::memcpy(bytes_.data() + key.size(), value.data(), value.size());
    return bytes_;
  }

 private:
  const Data& data_;
  std::string bytes_;
};

struct Moved {
  std::uint64_t block;
  std::uint64_t page;
};

// The block holds the page of another block, rightly shuffled, wherever such a page exists.
std::vector<Moved> moved_blocks(const Data& data, std::span<const std::uint64_t> wrong) {
  BlockBytes expected(data), got(data);
  const std::hash<std::string_view> hash;
  std::unordered_multimap<std::size_t, std::uint64_t> pages;
  for (std::uint64_t page = 0; page < data.checked.pool.blocks; ++page) {
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

std::optional<std::string> blocks_elsewhere(const Data& data) {
  std::vector<std::uint64_t> wrong;
  std::ranges::copy_if(data.blocks, std::back_inserter(wrong), [&](std::uint64_t block) {
    return !block_matches(data, block, data.truth.source_of);
  });
  const std::vector<Moved> moved = moved_blocks(data, wrong);
  if (moved.empty()) return std::nullopt;
  const std::uint64_t blocks = data.checked.pool.blocks;
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

bool all_slots_match(const CheckedPages& checked, const Slots& slots, const BlockMap& truth) {
  if (slots.written_count == slots.written.size()) return false;
  Slots all = slots;
  all.written.assign(slots.written.size(), true);
  return !compare(checked, all, truth).first;
}

}  // namespace

std::vector<std::string> recognise(const CheckedPages& checked, const Slots& slots, const BlockMap& truth,
                                   const Comparison& comparison) {
  if (all_slots_match(checked, slots, truth)) {
    return {"every slot holds its page's elements, also those that slot_mapping skips"};
  }
  const Data data = data_of(checked, slots, truth);
  if (data.blocks.empty()) return {};
  const Shape& shape = checked.pool.shape;
  if (auto whole = first_match(data, whole_arrangements(shape))) return {*std::move(whole)};
  if (auto elsewhere = blocks_elsewhere(data)) return {*std::move(elsewhere)};
  std::vector<std::string> lines;
  for (const Side side : {Side::key, Side::value}) {
    if (comparison.of(side).bytes == 0) {
      lines.push_back(fmt::format("{} is right everywhere", to_string(side)));
    } else if (auto constant = constant_side(data, side)) {
      lines.push_back(*std::move(constant));
    } else if (auto order = first_match(data, side_arrangements(shape, side))) {
      lines.push_back(*std::move(order));
    }
  }
  return lines;
}

std::vector<std::string> indistinct(const CheckedPages& checked, const Slots& slots, const BlockMap& truth) {
  const Data data = data_of(checked, slots, truth);
  std::vector<std::string> lines;
  if (data.blocks.empty()) return lines;
  const Shape& shape = checked.pool.shape;
  for (const auto& arrangements : {whole_arrangements(shape), side_arrangements(shape, Side::key),
                                   side_arrangements(shape, Side::value)}) {
    if (const auto match = first_match(data, arrangements)) lines.push_back(*match);
  }
  return lines;
}

}  // namespace pageproof::cli
