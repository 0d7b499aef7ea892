// SHA-256 of some bytes, as 64 lower-case hex digits. OpenSSL's.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace pageproof::golden {

std::string sha256_hex(std::span<const std::byte> bytes);

}  // namespace pageproof::golden
