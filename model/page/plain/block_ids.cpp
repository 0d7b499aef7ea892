#include "model/page/plain/block_ids.hpp"

#include <fmt/format.h>

#include <charconv>
#include <numeric>
#include <optional>

namespace pageproof {
namespace {

struct Range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

std::optional<std::uint64_t> parse_id(std::string_view text) {
  std::uint64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return id;
}

std::optional<Range> parse_range(std::string_view part) {
  const std::size_t dash = part.find('-');
  const auto first = parse_id(part.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_id(part.substr(dash + 1));
  if (!first || !last) return std::nullopt;
  return Range{*first, *last};
}

}  // namespace

std::vector<std::uint64_t> all_block_ids(std::uint64_t blocks) {
  std::vector<std::uint64_t> ids(blocks);
  std::iota(ids.begin(), ids.end(), std::uint64_t{0});
  return ids;
}

Expected<std::vector<std::uint64_t>> parse_block_ids(std::string_view text, std::uint64_t blocks) {
  const auto refuse = [&](std::string_view part, std::string problem) {
    return std::unexpected(Error{"--blocks", std::string(text), fmt::format("\"{}\"", part), problem});
  };
  std::vector<std::uint64_t> ids;
  std::vector<bool> listed(blocks);
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::string_view part = text.substr(begin, text.find(',', begin) - begin);
    begin += part.size() + 1;
    const std::optional<Range> range = parse_range(part);
    if (!range) return refuse(part, "not a block id such as 3, nor a range such as 5-9");
    if (range->first > range->last) return refuse(part, "the range runs backwards");
    if (range->last >= blocks) {
      return refuse(part, fmt::format("block {} is beyond the pool of {} blocks", range->last, blocks));
    }
    for (std::uint64_t id = range->first; id <= range->last; ++id) {
      if (listed[id]) return refuse(part, fmt::format("block {} is listed twice", id));
      listed[id] = true;
      ids.push_back(id);
    }
  }
  return ids;
}

}  // namespace pageproof
