#include "oracle/machine/decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <vector>

#include "oracle/machine/families.hpp"

namespace pageproof::machine {
namespace {

std::optional<std::int64_t> integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  std::string_view digits = text.substr(negative ? 1 : 0);
  const bool hex = digits.starts_with("0x");
  if (hex) digits.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - value : value);
}

// "v7", "v[2:5]", "s[0:1]"
std::optional<Operand> registers(std::string_view text, std::string_view prefix, OperandKind kind,
                                 std::uint16_t base, std::int64_t most) {
  if (!text.starts_with(prefix)) return std::nullopt;
  text.remove_prefix(prefix.size());
  std::optional<std::int64_t> first;
  std::optional<std::int64_t> last;
  const std::size_t colon = text.find(':');
  if (text.starts_with('[') && text.ends_with(']') && colon != std::string_view::npos) {
    first = integer(text.substr(1, colon - 1));
    last = integer(text.substr(colon + 1, text.size() - colon - 2));
  } else {
    first = last = integer(text);
  }
  if (!first || !last || *first < 0 || *last < *first || *last >= most || *last - *first >= 32)
    return std::nullopt;
  return Operand{kind, static_cast<std::uint8_t>(*last - *first + 1),
                 static_cast<std::uint16_t>(base + *first), 0};
}

std::optional<Operand> operand_of(std::string_view text) {
  struct Named {
    std::string_view name;
    std::uint16_t index;
    std::uint8_t width;
  };
  static constexpr Named kNamed[] = {{"vcc", kVcc, 2},         {"vcc_lo", kVcc, 1}, {"vcc_hi", kVcc + 1, 1},
                                     {"m0", kM0, 1},           {"exec", kExec, 2},  {"exec_lo", kExec, 1},
                                     {"exec_hi", kExec + 1, 1}};
  for (const Named& named : kNamed) {
    if (text == named.name) return Operand{OperandKind::scalar, named.width, named.index, 0};
  }
  if (text == "off") return Operand{};
  if (const auto found = registers(text, "v", OperandKind::vector, 0, 256)) return found;
  if (const auto found = registers(text, "a", OperandKind::vector, kAccumulators, 256)) return found;
  if (const auto found = registers(text, "s", OperandKind::scalar, 0, 102)) return found;
  if (const auto value = integer(text)) {
    return Operand{OperandKind::constant, 0, 0, static_cast<std::uint64_t>(*value)};
  }
  // An inline floating-point number, as the bits of its single precision.
  float number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || text.find('.') == std::string_view::npos)
    return std::nullopt;
  return Operand{OperandKind::constant, 1, 0, std::bit_cast<std::uint32_t>(number)};
}

// The comma-separated operands, and the blank-separated modifiers after the last.
struct Parts {
  std::string_view mnemonic;
  std::vector<std::string_view> operands;
  std::vector<std::string_view> modifiers;
};

Parts split(std::string_view text) {
  Parts parts;
  const auto word = [&text] {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    const std::string_view found = text.substr(0, text.find_first_of(" \t"));
    text.remove_prefix(found.size());
    return found;
  };
  parts.mnemonic = word();
  bool more = true;  // operands follow, after a comma
  while (true) {
    const std::string_view next = word();
    if (next.empty()) return parts;
    if (more) {
      more = next.ends_with(',');
      parts.operands.push_back(next.substr(0, next.size() - (more ? 1 : 0)));
    } else {
      parts.modifiers.push_back(next);
    }
  }
}

bool is_cache_hint(std::string_view modifier) {
  return modifier == "glc" || modifier == "slc" || modifier == "scc" || modifier == "sc0" ||
         modifier == "sc1" || modifier == "nt";
}

bool read_modifier(std::string_view modifier, Instruction& instruction) {
  if (is_cache_hint(modifier)) return true;
  const std::size_t colon = modifier.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view name = modifier.substr(0, colon);
  const std::string_view value = modifier.substr(colon + 1);
  if (name == "op_sel" && instruction.opcode->name == "v_pk_mov_b32" && value.size() == 5) {
    instruction.op_sel = {static_cast<std::uint8_t>(value[1] == '1'),
                          static_cast<std::uint8_t>(value[3] == '1')};
    return true;
  }
  const auto number = integer(value);
  if (!number) return false;
  if (name == "offset" || name == "offset0" ||
      (name == "bitop3" && instruction.opcode->name == "v_bitop3_b32")) {
    instruction.offset = static_cast<std::int32_t>(*number);
    return true;
  }
  if (name == "offset1") {
    instruction.offset1 = static_cast<std::int32_t>(*number);
    return true;
  }
  return false;
}

// One letter and width of a shape.
bool fits(const Operand& operand, char letter, std::uint8_t width) {
  const bool vector = operand.kind == OperandKind::vector;
  const bool scalar = operand.kind == OperandKind::scalar;
  const bool constant = operand.kind == OperandKind::constant;
  if (letter == 'k') return constant;
  if (letter == 'o') return operand.kind == OperandKind::none || (scalar && operand.width == 2);
  // A floating-point number has other bits where it is 64 bits wide, and is not modelled there.
  if (constant) return (letter == 'a' || letter == 'c') && (operand.width == 0 || operand.width == width);
  if (letter == 'p') return vector && operand.width <= 2;
  if (operand.width != width) return false;
  if (letter == 'V' || letter == 'v') return vector;
  if (letter == 'S' || letter == 's' || letter == 'c') return scalar;
  return letter == 'a' && (vector || scalar);
}

// Tuples of vector registers begin at an even one (gfx90a and later), of scalar registers at a multiple of
// their width, of 4 at most.
bool aligned(const Operand& operand) {
  if (operand.width < 2) return true;
  if (operand.kind == OperandKind::vector) return operand.index % 2 == 0;
  if (operand.kind == OperandKind::scalar) return operand.index % (operand.width == 2 ? 2 : 4) == 0;
  return true;
}

std::string understand(const Parts& parts, Instruction& instruction) {
  std::string_view name = parts.mnemonic;
  for (const std::string_view suffix : {"_e32", "_e64"}) {
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  }
  const Opcode* opcode = find_opcode(name);
  if (opcode == nullptr) return fmt::format("{} is not modelled", parts.mnemonic);
  instruction.opcode = opcode;
  if (opcode->shape == "*") return {};  // its family reads the encoding
  for (const std::string_view modifier : parts.modifiers) {
    if (!read_modifier(modifier, instruction)) return fmt::format("{} is not modelled", modifier);
  }
  if (parts.operands.size() != opcode->shape.size() / 2) return "the operands are not modelled";
  for (std::size_t i = 0; i < parts.operands.size(); ++i) {
    const auto operand = operand_of(parts.operands[i]);
    const char letter = opcode->shape[2 * i];
    if (!operand || !fits(*operand, letter,
                          static_cast<std::uint8_t>(
                              opcode->shape[2 * i + 1] == 'g' ? 16 : opcode->shape[2 * i + 1] - '0'))) {
      return fmt::format("operand {} is not modelled", parts.operands[i]);
    }
    if (!aligned(*operand)) return fmt::format("{} is no aligned tuple of registers", parts.operands[i]);
    instruction.operand[i] = *operand;
  }
  return {};
}

std::string without_cache_hints(const Parts& parts) {
  std::string text(parts.mnemonic);
  for (const std::string_view operand : parts.operands) text.append(" ").append(operand);
  for (const std::string_view modifier : parts.modifiers) {
    if (!is_cache_hint(modifier)) text.append(" ").append(modifier);
  }
  return text;
}

}  // namespace

std::span<const std::span<const Opcode>> all_opcodes() {
  static const std::array<std::span<const Opcode>, 8> families{
      scalar_alu(), scalar_memory(), vector_integer(), vector_moves(),
      compares(),   lds(),           global_memory(),  control_flow()};
  return families;
}

const Opcode* find_opcode(std::string_view name) {
  static const auto index = [] {
    std::unordered_map<std::string_view, const Opcode*> opcodes;
    for (const std::span<const Opcode> family : all_opcodes()) {
      for (const Opcode& opcode : family) opcodes.emplace(opcode.name, &opcode);
    }
    return opcodes;
  }();
  const auto found = index.find(name);
  return found == index.end() ? nullptr : found->second;
}

Instruction decode_text(std::string text, std::uint32_t encoding) {
  Instruction instruction;
  instruction.encoding = encoding;
  // "s_branch 3 // 00F0: ..." and warnings of the disassembler end the text.
  if (const std::size_t comment = text.find("//"); comment != std::string::npos) text.resize(comment);
  while (text.ends_with(' ') || text.ends_with('\t')) text.pop_back();
  instruction.text = std::move(text);
  const Parts parts = split(instruction.text);
  instruction.plain = without_cache_hints(parts);
  instruction.refusal = understand(parts, instruction);
  if (!instruction.refusal.empty()) instruction.opcode = nullptr;
  return instruction;
}

Instruction decode(const Disassembler& disassembler, std::span<const std::byte> code) {
  std::uint32_t encoding = 0;
  std::memcpy(&encoding, code.data(), std::min<std::size_t>(4, code.size()));
  Disassembler::Line line = disassembler.at(code);
  if (line.bytes == 0) {
    Instruction none;
    none.encoding = encoding;
    none.text = fmt::format(".long {:#010x}", encoding);
    none.refusal = none.text + " is no instruction";
    return none;
  }
  Instruction instruction = decode_text(std::move(line.text), encoding);
  instruction.bytes = line.bytes;
  return instruction;
}

}  // namespace pageproof::machine
