#include "oracle/machine/byte_maps.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace pageproof::machine {
namespace {

constexpr std::size_t kMostMaps = 256;

constexpr ByteMap identity() {
  ByteMap map{};
  for (std::size_t x = 0; x < map.size(); ++x) map[x] = static_cast<std::uint8_t>(x);
  return map;
}

// Of this thread; numbers stay valid for its life.
struct Maps {
  bool allowed = false;
  std::vector<ByteMap> all{identity()};
  std::map<ByteMap, std::uint32_t> numbers{{identity(), 0}};
  std::unordered_map<std::uint64_t, Byte> combined;  // by operation, tables and constants; of input byte 0
};

Maps& maps() {
  thread_local Maps of_thread;
  return of_thread;
}

ByteMap values(Byte b) {
  ByteMap map{};
  if (is_known(b)) {
    map.fill(static_cast<std::uint8_t>(b));
    return map;
  }
  return maps().all[map_of(b)];
}

std::uint8_t apply(ByteOp op, std::uint32_t a, std::uint32_t b) {
  switch (op) {
    case ByteOp::and_:
      return static_cast<std::uint8_t>(a & b);
    case ByteOp::or_:
      return static_cast<std::uint8_t>(a | b);
    case ByteOp::xor_:
      return static_cast<std::uint8_t>(a ^ b);
    case ByteOp::shift_left:
      return static_cast<std::uint8_t>(a << b);
    case ByteOp::shift_right:
      break;
  }
  return static_cast<std::uint8_t>(a >> b);
}

void check_one_input(Byte a, Byte b) {
  const bool two = is_input(a) && is_input(b) && input_index(a) != input_index(b);
  if (!maps().allowed || two) {
    refute(Check::data_arithmetic, "an operation that does not move data is applied to {}",
           two ? "two bytes of data" : "data");
  }
}

// What stands for both bytes in a key: everything but which input byte it is.
std::uint64_t kind(Byte b) {
  return is_known(b) ? b : 0x100 + map_of(b);
}

// A byte of a sum or a difference, and its carry or borrow where that is the same for all data.
struct Digit {
  Byte byte;
  std::uint32_t carry;
};
template <class Function>
Digit digit(Byte a, Byte b, Function function) {
  check_one_input(a, b);
  const ByteMap of_a = values(a);
  const ByteMap of_b = values(b);
  ByteMap sum{};
  std::optional<std::uint32_t> carry;
  for (std::size_t x = 0; x < sum.size(); ++x) {
    const std::int32_t exact = function(of_a[x], of_b[x]);
    sum[x] = static_cast<std::uint8_t>(exact);
    const std::uint32_t carries = exact < 0 || exact > 0xff ? 1 : 0;
    if (carry && *carry != carries) refute(Check::data_arithmetic, "a carry depends on data");
    carry = carries;
  }
  return {mapped(input_index(is_input(a) ? a : b), sum), *carry};
}

template <class Function>
Word by_digits(const Word& a, const Word& b, Function function) {
  Word result;
  std::uint32_t carry = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    if (a[i] == kUndefined || b[i] == kUndefined) return kUndefinedWord;
    const auto with_carry = [&](std::int32_t x, std::int32_t y) {
      return function(x, y, static_cast<std::int32_t>(carry));
    };
    if (is_known(a[i]) && is_known(b[i])) {
      const std::int32_t exact = with_carry(static_cast<std::int32_t>(a[i]), static_cast<std::int32_t>(b[i]));
      result[i] = static_cast<std::uint8_t>(exact);
      carry = exact < 0 || exact > 0xff ? 1 : 0;
    } else {
      const Digit d = digit(a[i], b[i], with_carry);
      result[i] = d.byte;
      carry = d.carry;
    }
  }
  return result;
}

}  // namespace

AllowRewrites::AllowRewrites(bool allowed) : before(maps().allowed) {
  maps().allowed = allowed;
}
AllowRewrites::~AllowRewrites() {
  maps().allowed = before;
}

Byte mapped(std::uint32_t index, const ByteMap& map) {
  if (std::ranges::all_of(map, [&](std::uint8_t y) { return y == map[0]; })) return map[0];
  Maps& m = maps();
  const auto [entry, fresh] = m.numbers.try_emplace(map, static_cast<std::uint32_t>(m.all.size()));
  if (fresh) {
    if (m.all.size() == kMostMaps) {
      m.numbers.erase(entry);
      refute(Check::data_arithmetic, "a byte of data is rewritten in more than {} ways", kMostMaps);
    }
    m.all.push_back(map);
  }
  return kInput | entry->second << 23 | index;
}

Byte combine(ByteOp op, Byte a, Byte b) {
  if (!is_input(a) && !is_input(b)) return kUndefined;
  check_one_input(a, b);
  if (a == kUndefined || b == kUndefined) return kUndefined;
  const std::uint32_t index = input_index(is_input(a) ? a : b);
  Maps& m = maps();
  const std::uint64_t key = static_cast<std::uint64_t>(op) << 32 | kind(a) << 16 | kind(b);
  if (const auto known = m.combined.find(key); known != m.combined.end()) {
    return is_known(known->second) ? known->second : known->second | index;
  }
  const ByteMap of_a = values(a);
  const ByteMap of_b = values(b);
  ByteMap result{};
  for (std::size_t x = 0; x < result.size(); ++x) result[x] = apply(op, of_a[x], of_b[x]);
  const Byte made = mapped(0, result);
  m.combined.emplace(key, made);
  return is_known(made) ? made : made | index;
}

Word add_words(const Word& a, const Word& b) {
  if (is_known(a) && is_known(b)) return word_of(value_of(a) + value_of(b));
  return by_digits(a, b, [](std::int32_t x, std::int32_t y, std::int32_t carry) { return x + y + carry; });
}

Word subtract_words(const Word& a, const Word& b) {
  if (is_known(a) && is_known(b)) return word_of(value_of(a) - value_of(b));
  return by_digits(a, b, [](std::int32_t x, std::int32_t y, std::int32_t borrow) { return x - y - borrow; });
}

}  // namespace pageproof::machine
