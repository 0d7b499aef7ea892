// A number that remembers how it came about: the fold run with it explains itself.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "model/page/fold.hpp"

namespace pageproof::page {

struct Spoken {
  std::uint64_t value = 0;
  std::string text;  // "(2 · 16 + 5) · 2 + 1"; the plain number for a leaf

  explicit Spoken(std::uint64_t number) : value(number), text(std::to_string(number)) {}
  Spoken(std::uint64_t number, std::string how) : value(number), text(std::move(how)) {}
};

inline Spoken operator+(const Spoken& a, const Spoken& b) {
  return {a.value + b.value, fmt::format("{} + {}", a.text, b.text)};
}
inline Spoken operator*(const Spoken& a, const Spoken& b) {
  const bool sum = a.text.find(' ') != std::string::npos;
  const std::string left = sum ? "(" + a.text + ")" : a.text;
  return {a.value * b.value, fmt::format("{} · {}", left, b.text)};
}
// Quotients and remainders are leaves: a digit is read as its value.
inline Split<Spoken> split(const Spoken& value, const Spoken& radix) {
  return {Spoken(value.value / radix.value), Spoken(value.value % radix.value)};
}

}  // namespace pageproof::page
