#include "reports/pages/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "model/page/format.hpp"
#include "reports/identify/identify.hpp"

namespace pageproof::reports {
namespace {

// The fully written blocks of both sides of the comparison, and the copies that hold them where others lie
// between.
struct WrittenBlocks {
  DumpedPages planes;
  DumpedPages pages;
  std::vector<std::byte> copies[3];
};

std::vector<std::uint64_t> fully_written(const CheckedPages& checked, const Slots& slots) {
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t block = 0; block < checked.pool.blocks; ++block) {
    if (slots.all_of_block(block, checked.pool.shape.tokens)) blocks.push_back(block);
  }
  return blocks;
}

WrittenBlocks written_blocks(const CheckedPages& checked, const std::vector<std::uint64_t>& blocks) {
  WrittenBlocks written{{true, checked.keys, checked.values, {}}, {false, checked.pages, {}, {}}, {}};
  if (blocks.size() == checked.pool.blocks) return written;
  const auto append = [](std::vector<std::byte>& copy, std::span<const std::byte> bytes) {
    copy.insert(copy.end(), bytes.begin(), bytes.end());
  };
  for (const std::uint64_t block : blocks) {
    append(written.copies[0], checked.half(Side::key, block));
    append(written.copies[1], checked.half(Side::value, block));
    append(written.copies[2], checked.page(block));
  }
  written.planes = {true, written.copies[0], written.copies[1], blocks};
  written.pages = {false, written.copies[2], {}, blocks};
  return written;
}

// What the right planes cannot be told from because of what these pages hold. Orders that put every element
// at the same byte for this shape are no news.
std::optional<std::string> hidden_by_data(const Identification& found) {
  std::vector<std::string> others;
  for (const Answer& answer : found.answers) {
    if (answer.likeness == Likeness::same_data) others.push_back(found.candidates[answer.candidate].words);
  }
  if (others.empty()) return std::nullopt;
  const std::string more = others.size() > 1 ? fmt::format(" and {} more", others.size() - 1) : "";
  return fmt::format("this data would also pass for {}{}", others.front(), more);
}

bool every_slot_was_written(const CheckedPages& checked, const Slots& slots, const BlockMap& truth) {
  if (slots.written_count == slots.written.size()) return false;
  Slots all = slots;
  all.written.assign(slots.written.size(), true);
  return !compare(checked, all, truth).first;
}

}  // namespace

std::optional<std::string> explain(const CheckedPages& checked, const Slots& slots, const BlockMap& truth,
                                   const Comparison& comparison) {
  if (comparison.first && every_slot_was_written(checked, slots, truth)) {
    return "Every slot holds its page's elements, also those that slot_mapping skips.";
  }
  const std::vector<std::uint64_t> blocks = fully_written(checked, slots);
  if (blocks.empty()) return std::nullopt;
  const WrittenBlocks written = written_blocks(checked, blocks);
  const KnownPages reference{written.pages, *page::find_format("standard"), checked.pool.shape};
  const auto found = identify(written.planes, reference, {.expected = *page::find_format("aiter-shuffled")});
  // A page too large for identify is too large for the map that `truth` is.
  if (!found) return std::nullopt;
  return comparison.first ? to_sentence(*found) : hidden_by_data(*found);
}

}  // namespace pageproof::reports
