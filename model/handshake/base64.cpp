#include <cstdint>

#include "model/handshake/wire.hpp"

namespace pageproof::handshake {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(std::span<const std::byte> bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t taken = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < taken ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0);
    }
    for (std::size_t k = 0; k < 4; ++k) out += k <= taken ? kAlphabet[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

Expected<std::vector<std::byte>> from_base64(std::string_view text, const std::string& subject,
                                             const std::string& field) {
  const auto refuse = [&] {
    return std::unexpected(Error{subject, field, std::string(text.substr(0, 64)), "not base64"});
  };
  if (text.size() % 4 != 0) return refuse();
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::vector<std::byte> out;
  out.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const std::size_t digits = i + 4 == text.size() ? 4 - padding : 4;
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t digit = k < digits ? kAlphabet.find(text[i + k]) : 0;
      if (digit == std::string_view::npos) return refuse();
      group = group << 6 | static_cast<std::uint32_t>(digit);
    }
    for (std::size_t k = 0; k + 1 < digits; ++k)
      out.push_back(static_cast<std::byte>(group >> (16 - 8 * k) & 0xff));
  }
  if (base64(out) != text) return refuse();
  return out;
}

}  // namespace pageproof::handshake
