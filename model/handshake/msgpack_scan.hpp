// A first pass over MessagePack bytes that decides whether a decoder may see them at all. It keeps its own
// stack, of bounded height, so that no reply can overflow the thread's; it compares every announced length
// with the bytes that are left, so that no reply can make a decoder allocate more than it sent.
//
//   0x91 0x91 0x91 ... (200 kB)   refused at byte 32, not a crash
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "model/page/plain/error.hpp"

namespace pageproof::handshake {

inline constexpr std::size_t kDeepestNesting = 32;  // arrays and maps open at once

// Refuses, with the path of the value and the byte: truncation, the unused byte 0xc1, nesting beyond
// kDeepestNesting, a length beyond the bytes that are left, a map key that is no string or appears twice,
// text that is not UTF-8, bytes after the value. Values of any type pass, also under keys that no reader asks
// for.
Expected<void> scan_msgpack(std::span<const std::byte> bytes, const std::string& subject);

}  // namespace pageproof::handshake
