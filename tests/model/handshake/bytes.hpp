// MessagePack bytes written by hand.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pageproof::handshake {

inline std::vector<std::byte> bytes_of(std::string_view text) {
  std::vector<std::byte> out;
  for (const char c : text) out.push_back(static_cast<std::byte>(c));
  return out;
}

// "82 a1 61 01": hexadecimal with blanks.
inline std::vector<std::byte> hex(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c != ' ') digits += c;
  }
  std::vector<std::byte> out;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    out.push_back(static_cast<std::byte>(std::stoul(digits.substr(i, 2), nullptr, 16)));
  }
  return out;
}

}  // namespace pageproof::handshake
