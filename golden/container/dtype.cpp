#include "golden/container/dtype.hpp"

#include <array>

namespace pageproof::golden {
namespace {

struct Row {
  Dtype dtype;
  std::string_view name;
  std::uint64_t bits;
};

constexpr std::array kRows{
    Row{Dtype::boolean, "BOOL", 8},
    Row{Dtype::f4, "F4", 4},
    Row{Dtype::f6_e2m3, "F6_E2M3", 6},
    Row{Dtype::f6_e3m2, "F6_E3M2", 6},
    Row{Dtype::u8, "U8", 8},
    Row{Dtype::i8, "I8", 8},
    Row{Dtype::f8_e5m2, "F8_E5M2", 8},
    Row{Dtype::f8_e4m3, "F8_E4M3", 8},
    Row{Dtype::f8_e8m0, "F8_E8M0", 8},
    Row{Dtype::f8_e4m3fnuz, "F8_E4M3FNUZ", 8},
    Row{Dtype::f8_e5m2fnuz, "F8_E5M2FNUZ", 8},
    Row{Dtype::i16, "I16", 16},
    Row{Dtype::u16, "U16", 16},
    Row{Dtype::f16, "F16", 16},
    Row{Dtype::bf16, "BF16", 16},
    Row{Dtype::i32, "I32", 32},
    Row{Dtype::u32, "U32", 32},
    Row{Dtype::f32, "F32", 32},
    Row{Dtype::c64, "C64", 64},
    Row{Dtype::f64, "F64", 64},
    Row{Dtype::i64, "I64", 64},
    Row{Dtype::u64, "U64", 64},
};

// The table is indexed by the enumerator.
constexpr bool in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<std::size_t>(kRows[i].dtype) != i) return false;
  }
  return true;
}
static_assert(in_order());

}  // namespace

std::string_view name(Dtype dtype) {
  return kRows[static_cast<std::size_t>(dtype)].name;
}

std::uint64_t bits(Dtype dtype) {
  return kRows[static_cast<std::size_t>(dtype)].bits;
}

std::optional<Dtype> dtype_from_name(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

}  // namespace pageproof::golden
