#include "model/page/digit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "model/page/fold.hpp"

namespace pageproof::page {
namespace {

constexpr std::string_view kAxisLetters = "htsd";

// Takes "%16", "/x" off the front of `word`; nothing when `word` begins otherwise or the number is unusable.
std::optional<Granularity> take_granularity(std::string_view& word) {
  word.remove_prefix(1);
  if (word.starts_with('x')) {
    word.remove_prefix(1);
    return Granularity::x();
  }
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || number == 0) return std::nullopt;
  word.remove_prefix(static_cast<std::size_t>(end - word.data()));
  return Granularity{Granularity::Kind::number, number};
}

std::optional<Digit> parse_digit(std::string_view word) {
  const std::size_t letter = kAxisLetters.find(word.front());
  if (letter == std::string_view::npos) return std::nullopt;
  Digit digit{static_cast<Axis>(letter)};
  word.remove_prefix(1);
  for (const auto& [sign, granularity] : {std::pair{'%', &digit.high}, std::pair{'/', &digit.low}}) {
    if (!word.starts_with(sign)) continue;
    const std::optional<Granularity> taken = take_granularity(word);
    if (!taken) return std::nullopt;
    *granularity = *taken;
  }
  if (!word.empty()) return std::nullopt;
  return digit;
}

std::string to_string(const Granularity& granularity) {
  return granularity.kind == Granularity::Kind::x ? "x" : std::to_string(granularity.number);
}

}  // namespace

Expected<DigitOrder> parse_order(std::string_view line) {
  const auto refuse = [&](std::string_view word, const char* problem) {
    return std::unexpected(Error{fmt::format("order \"{}\"", line), "digit", std::string(word), problem});
  };
  DigitOrder order;
  std::string_view rest = line;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (word.empty()) continue;
    const std::optional<Digit> digit = parse_digit(word);
    if (!digit) return refuse(word, "not a slice of an axis such as h, d/x, t%16/x");
    order.push_back(*digit);
  }
  if (order.empty()) return refuse("", "no digit stands in the line");
  return order;
}

std::string to_string(Axis axis) {
  return std::string(1, kAxisLetters[static_cast<std::size_t>(axis)]);
}

std::string to_string(const Digit& digit) {
  std::string text = to_string(digit.axis);
  if (digit.high != Granularity::whole()) text += "%" + to_string(digit.high);
  if (digit.low != Granularity::one()) text += "/" + to_string(digit.low);
  return text;
}

std::string to_string(const DigitOrder& order) {
  std::string text;
  for (const Digit& digit : order) text += (text.empty() ? "" : " ") + to_string(digit);
  return text;
}

DigitOrder normal_form(const DigitOrder& order) {
  DigitOrder normal;
  for (const Digit& digit : order) {
    if (!normal.empty() && normal.back().axis == digit.axis && normal.back().low == digit.high) {
      normal.back().low = digit.low;
    } else {
      normal.push_back(digit);
    }
  }
  return normal;
}

bool has_side(const DigitOrder& order) {
  return std::ranges::any_of(order, [](const Digit& digit) { return digit.axis == Axis::side; });
}

Expected<void> tiles(const DigitOrder& order, const Shape& shape, bool with_side,
                     const std::string& subject) {
  const Sizes<std::uint64_t> sizes = sizes_of(shape);
  for (std::size_t a = 0; a < kAxes; ++a) {
    const Axis axis = static_cast<Axis>(a);
    const bool wanted = axis != Axis::side || with_side;
    const std::uint64_t whole = sizes.axis[a];
    // Follow the slices from single elements upwards; each step must divide, and each slice must be used.
    std::uint64_t reached = 1;
    std::size_t used = 0;
    std::size_t present = 0;
    for (const Digit& digit : order) {
      present += digit.axis == axis && size_of(digit.low, axis, sizes) != size_of(digit.high, axis, sizes);
    }
    const auto next = [&] {
      return std::ranges::find_if(order, [&](const Digit& digit) {
        const std::uint64_t high = size_of(digit.high, axis, sizes);
        return digit.axis == axis && size_of(digit.low, axis, sizes) == reached && high > reached &&
               high % reached == 0;
      });
    };
    for (auto digit = next(); digit != order.end(); digit = next()) {
      reached = size_of(digit->high, axis, sizes);
      ++used;
    }
    if (used != present || reached != (wanted ? whole : 1)) {
      return std::unexpected(Error{subject, fmt::format("axis {}", to_string(axis)), std::to_string(whole),
                                   fmt::format("the slices of \"{}\" do not tile this axis at {}",
                                               to_string(order), to_string(shape))});
    }
  }
  return {};
}

}  // namespace pageproof::page
