#include "model/page/plain/shape.hpp"

#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>

#include "model/page/plain/utf8.hpp"

namespace pageproof {
namespace {

constexpr std::size_t kLongestValue = 200;
constexpr std::uint64_t kLargestPage = std::uint64_t{1} << 48;

// C0, DEL, and the C1 controls, some of which a terminal takes for an escape sequence.
bool is_control(std::string_view character) {
  const auto c = static_cast<unsigned char>(character[0]);
  return c < 0x20 || c == 0x7f || (c == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0);
}

bool product_at_least(const std::array<std::uint64_t, 5>& factors, std::uint64_t limit) {
  std::uint64_t product = 1;
  for (const std::uint64_t factor : factors) {
    if (__builtin_mul_overflow(product, factor, &product)) return true;
  }
  return product >= limit;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (out.size() >= kLongestValue) return out + "...";
    const std::size_t length = utf8_length(std::as_bytes(std::span(text)).subspan(i));
    if (length == 0 || is_control(text.substr(i, length))) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
      ++i;
    } else {
      out.append(text, i, length);
      i += length;
    }
  }
  return out;
}

std::string to_string(const Error& error) {
  std::string line;
  for (const std::string* part : {&error.subject, &error.field, &error.value, &error.problem}) {
    if (part->empty()) continue;
    if (!line.empty()) line += ": ";
    line += printable(*part);
  }
  return line;
}

std::string to_string(Side side) {
  return side == Side::key ? "K" : "V";
}

std::string to_string(const Shape& shape) {
  return fmt::format("H={} N={} D={} e={}", shape.heads, shape.tokens, shape.head_dim, shape.element_bytes);
}

std::string to_string(const Coordinate& c) {
  return fmt::format("block={} side={} head={} token={} dim={}", c.block, to_string(c.side), c.head, c.token,
                     c.dim);
}

Expected<Shape> checked(const Shape& shape, const std::string& subject) {
  const auto refuse = [&](const char* field, std::uint64_t value, std::string problem) {
    return std::unexpected(Error{subject, field, std::to_string(value), std::move(problem)});
  };
  if (shape.heads == 0) return refuse("heads", 0, "a page has at least 1 KV head");
  if (shape.element_bytes != 1 && shape.element_bytes != 2) {
    return refuse("element_bytes", shape.element_bytes, "an element has 1 or 2 bytes");
  }
  const std::uint64_t x = shape.granule_elements();
  const auto whole_granules = [&](std::uint64_t value) { return value != 0 && value % x == 0; };
  if (!whole_granules(shape.tokens)) {
    return refuse("tokens", shape.tokens, fmt::format("not a positive multiple of x = {}", x));
  }
  if (!whole_granules(shape.head_dim)) {
    return refuse("head_dim", shape.head_dim, fmt::format("not a positive multiple of x = {}", x));
  }
  if (product_at_least({2, shape.heads, shape.tokens, shape.head_dim, shape.element_bytes}, kLargestPage)) {
    return refuse("heads", shape.heads, fmt::format("a page of {} has 2^48 bytes or more", to_string(shape)));
  }
  return shape;
}

}  // namespace pageproof
