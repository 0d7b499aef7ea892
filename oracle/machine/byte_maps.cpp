#include "oracle/machine/byte_maps.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace pageproof::machine {
namespace {

constexpr std::size_t kMostMaps = 256;

constexpr ByteMap identity() {
  ByteMap map{};
  for (std::size_t x = 0; x < map.size(); ++x) map[x] = static_cast<std::uint8_t>(x);
  return map;
}

// A byte of a sum or a difference, and its carry or borrow where that is the same for all data.
struct Digit {
  Byte byte;
  std::uint32_t carry;
};
// Of this thread; numbers stay valid for its life.
struct Maps {
  bool allowed = false;
  std::vector<ByteMap> all{identity()};
  std::map<ByteMap, std::uint32_t> numbers{{identity(), 0}};
  // By operation and kinds of both bytes, see key_of; of input byte 0. Made with the first table.
  std::vector<std::optional<Byte>> combined;
  std::size_t last = SIZE_MAX;  // key; neighbouring bytes mostly are of one kind
  Byte of_last = 0;
  std::vector<std::optional<Digit>> digits;
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

// Everything but which input byte it is: a number below 512.
std::size_t kind(Byte b) {
  return is_known(b) ? b : 0x100 + map_of(b);
}
std::size_t key_of(std::size_t operation, Byte a, Byte b) {
  return operation << 18 | kind(a) << 9 | kind(b);
}
constexpr std::size_t kPairs = std::size_t{1} << 18;
constexpr std::size_t kOperations = 5;

enum class Sum : std::uint8_t { add, subtract };

std::int32_t exact(Sum sum, std::int32_t a, std::int32_t b, std::int32_t carry) {
  return sum == Sum::add ? a + b + carry : a - b - carry;
}
std::uint32_t carries(std::int32_t value) {
  return value < 0 || value > 0xff ? 1 : 0;
}

// Of input byte 0.
Digit make_digit(Sum sum, Byte a, Byte b, std::uint32_t carry_in) {
  const ByteMap of_a = values(a);
  const ByteMap of_b = values(b);
  ByteMap result{};
  std::optional<std::uint32_t> carry;
  for (std::size_t x = 0; x < result.size(); ++x) {
    const std::int32_t value = exact(sum, of_a[x], of_b[x], static_cast<std::int32_t>(carry_in));
    result[x] = static_cast<std::uint8_t>(value);
    if (carry && *carry != carries(value)) refute(Check::data_arithmetic, "a carry depends on data");
    carry = carries(value);
  }
  return {mapped(0, result), *carry};
}

Digit digit(Sum sum, Byte a, Byte b, std::uint32_t carry_in) {
  if (is_known(a) && is_known(b)) {
    const std::int32_t value = exact(sum, static_cast<std::int32_t>(a), static_cast<std::int32_t>(b),
                                     static_cast<std::int32_t>(carry_in));
    return {static_cast<std::uint8_t>(value), carries(value)};
  }
  check_one_input(a, b);
  std::vector<std::optional<Digit>>& digits = maps().digits;
  if (digits.empty()) digits.resize(4 * kPairs);
  std::optional<Digit>& known = digits[key_of(2 * static_cast<std::size_t>(sum) + carry_in, a, b)];
  if (!known) known = make_digit(sum, a, b, carry_in);
  const Digit of_zero = *known;
  return {is_known(of_zero.byte) ? of_zero.byte : of_zero.byte | input_index(is_input(a) ? a : b),
          of_zero.carry};
}

Word by_digits(Sum sum, const Word& a, const Word& b) {
  if (std::ranges::find(a, kUndefined) != a.end() || std::ranges::find(b, kUndefined) != b.end())
    return arithmetic(a, b);
  Word result;
  std::uint32_t carry = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const Digit d = digit(sum, a[i], b[i], carry);
    result[i] = d.byte;
    carry = d.carry;
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
  if (m.combined.empty()) m.combined.resize(kOperations * kPairs);
  const std::size_t key = key_of(static_cast<std::size_t>(op), a, b);
  if (key == m.last) return is_known(m.of_last) ? m.of_last : m.of_last | index;
  std::optional<Byte>& known = m.combined[key];
  if (known) {
    m.last = key;
    m.of_last = *known;
    return is_known(*known) ? *known : *known | index;
  }
  const ByteMap of_a = values(a);
  const ByteMap of_b = values(b);
  ByteMap result{};
  for (std::size_t x = 0; x < result.size(); ++x) result[x] = apply(op, of_a[x], of_b[x]);
  const Byte made = mapped(0, result);
  known = made;
  return is_known(made) ? made : made | index;
}

Word add_words(const Word& a, const Word& b) {
  return by_digits(Sum::add, a, b);
}

Word subtract_words(const Word& a, const Word& b) {
  return by_digits(Sum::subtract, a, b);
}

}  // namespace pageproof::machine
