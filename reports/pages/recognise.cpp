#include "reports/pages/recognise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>

#include "reports/pages/arrangements.hpp"
#include "reports/pages/blocks_elsewhere.hpp"

namespace pageproof::reports {
namespace {

constexpr std::uint32_t kNowhere = UINT32_MAX;

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

std::vector<std::uint64_t> wrong_blocks(const Data& data) {
  std::vector<std::uint64_t> wrong;
  std::ranges::copy_if(data.blocks, std::back_inserter(wrong), [&](std::uint64_t block) {
    return !block_matches(data, block, data.truth.source_of);
  });
  return wrong;
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
  if (auto elsewhere = blocks_elsewhere(checked, truth, wrong_blocks(data))) return {*std::move(elsewhere)};
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

}  // namespace pageproof::reports
