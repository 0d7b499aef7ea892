#include "model/page/plain/utf8.hpp"

#include <cstdint>

namespace pageproof {

std::size_t utf8_length(std::span<const std::byte> text) {
  const auto at = [&](std::size_t k) { return std::to_integer<std::uint32_t>(text[k]); };
  if (text.empty()) return 0;
  const std::uint32_t lead = at(0);
  if (lead < 0x80) return 1;
  const std::size_t more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  if (lead < 0xc2 || lead > 0xf4 || text.size() <= more) return 0;
  std::uint32_t code = lead & (0x3fu >> more);
  for (std::size_t k = 1; k <= more; ++k) {
    if ((at(k) & 0xc0u) != 0x80u) return 0;
    code = code << 6 | (at(k) & 0x3fu);
  }
  const bool overlong = (more == 2 && code < 0x800) || (more == 3 && code < 0x10000);
  return overlong || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? 0 : more + 1;
}

bool is_utf8(std::span<const std::byte> text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text = text.subspan(length);
  }
  return true;
}

}  // namespace pageproof
