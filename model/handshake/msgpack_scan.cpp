#include "model/handshake/msgpack_scan.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "model/page/plain/utf8.hpp"

namespace pageproof::handshake {
namespace {

enum class Kind : std::uint8_t { scalar, text, array, map, invalid };

// What stands at a byte: how long its head is, and what follows it.
struct Head {
  Kind kind = Kind::invalid;
  std::uint64_t payload = 0;       // bytes that follow the head (scalars, text)
  std::uint64_t count = 0;         // elements (arrays), pairs (maps)
  std::uint64_t length_bytes = 0;  // of the length that stands in the head
};

struct Open {
  bool is_map = false;
  std::uint64_t left = 0;  // elements or pairs to come
  std::uint64_t index = 0;
  bool awaits_key = false;
  std::string_view key;
  std::unordered_set<std::string_view> keys;
};

constexpr Head sized(Kind kind, std::uint64_t length_bytes) {
  return {kind, 0, 0, length_bytes};
}

// By the first byte alone (the MessagePack format table). For ext the payload is the type byte.
Head head_of(std::uint8_t b) {
  if (b <= 0x7f || b >= 0xe0) return {Kind::scalar, 0, 0, 0};
  if (b <= 0x8f) return {Kind::map, 0, b & 0x0fu, 0};
  if (b <= 0x9f) return {Kind::array, 0, b & 0x0fu, 0};
  if (b <= 0xbf) return {Kind::text, b & 0x1fu, 0, 0};
  switch (b) {
    case 0xc0:
    case 0xc2:
    case 0xc3:
      return {Kind::scalar, 0, 0, 0};
    case 0xc4:
    case 0xc5:
    case 0xc6:
      return sized(Kind::scalar, std::uint64_t{1} << (b - 0xc4));
    case 0xc7:
    case 0xc8:
    case 0xc9:
      return {Kind::scalar, 1, 0, std::uint64_t{1} << (b - 0xc7)};
    case 0xca:
    case 0xcb:
      return {Kind::scalar, b == 0xca ? 4u : 8u, 0, 0};
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf:
      return {Kind::scalar, std::uint64_t{1} << (b - 0xcc), 0, 0};
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
      return {Kind::scalar, std::uint64_t{1} << (b - 0xd0), 0, 0};
    case 0xd4:
    case 0xd5:
    case 0xd6:
    case 0xd7:
    case 0xd8:
      return {Kind::scalar, 1 + (std::uint64_t{1} << (b - 0xd4)), 0, 0};
    case 0xd9:
    case 0xda:
    case 0xdb:
      return sized(Kind::text, std::uint64_t{1} << (b - 0xd9));
    case 0xdc:
    case 0xdd:
      return sized(Kind::array, b == 0xdc ? 2 : 4);
    case 0xde:
    case 0xdf:
      return sized(Kind::map, b == 0xde ? 2 : 4);
    default:
      return {};
  }
}

class Scan {
 public:
  Scan(std::span<const std::byte> bytes, const std::string& subject) : bytes_(bytes), subject_(subject) {}

  Expected<void> run() {
    do {
      if (const Expected<void> ok = value(); !ok) return ok;
      while (!open_.empty() && open_.back().left == 0) {
        open_.pop_back();
        finish_value();
      }
    } while (!open_.empty());
    if (at_ != bytes_.size()) {
      return refuse(fmt::format("{} bytes", bytes_.size() - at_), "bytes after the value");
    }
    return {};
  }

 private:
  Expected<void> value() {
    if (at_ == bytes_.size()) return refuse("", "truncated");
    const std::size_t start = at_;
    const auto first = std::to_integer<std::uint8_t>(bytes_[at_++]);
    Head head = head_of(first);
    if (head.kind == Kind::invalid) {
      at_ = start;
      return refuse(fmt::format("{:#04x}", first), "no MessagePack value");
    }
    std::uint64_t length = 0;
    if (head.length_bytes > left()) return refuse("", "truncated");
    for (std::uint64_t i = 0; i < head.length_bytes; ++i) {
      length = length << 8 | std::to_integer<std::uint64_t>(bytes_[at_++]);
    }
    const bool container = head.kind == Kind::array || head.kind == Kind::map;
    const std::uint64_t announced = (container ? head.count : head.payload) + length;
    // Each element takes a byte at least, each pair two.
    const std::uint64_t least = head.kind == Kind::map ? 2 * announced : announced;
    if (least > left()) {
      at_ = start;
      return refuse(std::to_string(announced),
                    fmt::format("announced, but {} bytes follow", bytes_.size() - start - 1));
    }
    if (container) return enter(head.kind == Kind::map, announced);
    const std::span<const std::byte> payload = bytes_.subspan(at_, announced);
    if (head.kind == Kind::text && !is_utf8(payload)) return refuse("", "text that is not UTF-8");
    if (!open_.empty() && open_.back().awaits_key) {
      const Expected<void> ok = key(head.kind, payload, start);
      at_ += announced;
      return ok;
    }
    at_ += announced;
    finish_value();
    return {};
  }

  Expected<void> enter(bool is_map, std::uint64_t count) {
    if (!open_.empty() && open_.back().awaits_key)
      return refuse(is_map ? "map" : "array", "a key that is no string");
    if (open_.size() == kDeepestNesting) {
      return refuse(fmt::format("{} levels", kDeepestNesting + 1),
                    fmt::format("nested deeper than {} levels", kDeepestNesting));
    }
    open_.push_back(
        {.is_map = is_map, .left = count, .index = 0, .awaits_key = is_map, .key = {}, .keys = {}});
    return {};
  }

  Expected<void> key(Kind kind, std::span<const std::byte> payload, std::size_t start) {
    Open& map = open_.back();
    if (kind != Kind::text) {
      return refuse(fmt::format("{:#04x}", std::to_integer<std::uint8_t>(bytes_[start])),
                    "a key that is no string");
    }
    map.key = {reinterpret_cast<const char*>(payload.data()), payload.size()};
    map.awaits_key = false;
    if (!map.keys.insert(map.key).second)
      return refuse(std::string(map.key), "the key appears twice in one map");
    return {};
  }

  // A whole value has been read where the document stands.
  void finish_value() {
    if (open_.empty()) return;
    Open& parent = open_.back();
    --parent.left;
    ++parent.index;
    parent.awaits_key = parent.is_map;
  }

  std::uint64_t left() const { return bytes_.size() - at_; }

  std::string path() const {
    std::string path = "$";
    for (const Open& open : open_) {
      if (!open.is_map) {
        path += fmt::format("[{}]", open.index);
      } else if (!open.awaits_key) {
        path += "." + std::string(open.key.substr(0, 64));
      }
    }
    return path;
  }

  Expected<void> refuse(std::string found, std::string_view problem) const {
    return std::unexpected(
        Error{subject_, path(), std::move(found), fmt::format("{} (byte {})", problem, at_)});
  }

  std::span<const std::byte> bytes_;
  const std::string& subject_;
  std::size_t at_ = 0;
  std::vector<Open> open_;  // never more than kDeepestNesting
};

}  // namespace

Expected<void> scan_msgpack(std::span<const std::byte> bytes, const std::string& subject) {
  return Scan(bytes, subject).run();
}

}  // namespace pageproof::handshake
