// Is text UTF-8? No overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <span>

namespace pageproof {

// The bytes of the code point that `text` begins with; 0 where it begins with none.
std::size_t utf8_length(std::span<const std::byte> text);

bool is_utf8(std::span<const std::byte> text);

}  // namespace pageproof
