// A truth that says how it came about: the rules run with Term and Told explain themselves, with the values
// of both sides as they were met.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace pageproof::handshake {

struct Term {
  std::string name;  // "remote.layout"; empty for a constant
  std::uint64_t value = 0;
  std::string shown;  // "LBHNC", "16", "not known"

  std::string text() const { return name.empty() ? shown : fmt::format("{} ({})", name, shown); }
};

struct Told {
  bool value = false;
  std::string text;
  std::string local;  // the local value that the condition looked at; empty where it looked at none
  std::string remote;
};

namespace told_detail {

inline Told relation(const Term& a, const char* sign, const Term& b, bool value) {
  Told told{value, fmt::format("{} {} {}", a.text(), sign, b.text()), "", ""};
  for (const Term* term : {&a, &b}) {
    if (term->name.starts_with("local.")) told.local = term->shown;
    if (term->name.starts_with("remote.")) told.remote = term->shown;
  }
  return told;
}

inline Term constant(std::uint64_t value) {
  return {"", value, std::to_string(value)};
}

// The values of one condition, never one of each: of the later where it compares the sides ("MLA or equal
// blocks" fails over the blocks), else of the earlier.
inline Told joined(const Told& a, const char* word, const Told& b, bool value) {
  const bool compares = !b.local.empty() && !b.remote.empty();
  const Told& shown = compares || (a.local.empty() && a.remote.empty()) ? b : a;
  return {value, fmt::format("{} {} {}", a.text, word, b.text), shown.local, shown.remote};
}

}  // namespace told_detail

inline Told operator==(const Term& a, const Term& b) {
  return told_detail::relation(a, "=", b, a.value == b.value);
}
inline Told operator==(const Term& a, int b) {
  return a == told_detail::constant(static_cast<std::uint64_t>(b));
}
inline Told operator!=(const Term& a, int b) {
  const auto value = static_cast<std::uint64_t>(b);
  return told_detail::relation(a, "≠", told_detail::constant(value), a.value != value);
}
inline Term operator*(int factor, const Term& a) {
  const std::uint64_t value = static_cast<std::uint64_t>(factor) * a.value;
  return {a.name.empty() ? "" : fmt::format("{}·{}", factor, a.name), value, std::to_string(value)};
}
inline Term operator%(const Term& a, int modulus) {
  const std::uint64_t value = a.value % static_cast<std::uint64_t>(modulus);
  return {fmt::format("{} mod {}", a.name, modulus), value, std::to_string(value)};
}
inline Told operator!(const Told& a) {
  return {!a.value, "not " + a.text, a.local, a.remote};
}
// Both sides are always read: a text has no short cut.
inline Told operator||(const Told& a, const Told& b) {
  return told_detail::joined(a, "or", b, a.value || b.value);
}

}  // namespace pageproof::handshake
