// The element types of the safetensors format, by the names that its headers use.
//
//   dtype_from_name("BF16")      Dtype::bf16
//   bits(Dtype::bf16)            16
//
// Some types are narrower than a byte (F4, F6_*): sizes are kept in bits.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pageproof::golden {

enum class Dtype : std::uint8_t {
  boolean,
  f4,
  f6_e2m3,
  f6_e3m2,
  u8,
  i8,
  f8_e5m2,
  f8_e4m3,
  f8_e8m0,
  f8_e4m3fnuz,
  f8_e5m2fnuz,
  i16,
  u16,
  f16,
  bf16,
  i32,
  u32,
  f32,
  c64,
  f64,
  i64,
  u64,
};

std::string_view name(Dtype dtype);
std::uint64_t bits(Dtype dtype);
// The type of that name, exactly as written; nothing where the format has none.
std::optional<Dtype> dtype_from_name(std::string_view name);

}  // namespace pageproof::golden
