#include "golden/formats/needs.hpp"

#include <fmt/format.h>

#include "oracle/offset/engines.hpp"

namespace pageproof::golden::formats {
namespace {

struct Needs {
  std::string_view format;
  std::uint64_t tokens_multiple;
  std::uint64_t head_dim_multiple;
  std::uint64_t element_bytes;  // 0: any
  bool one_head;
};

// Source: page_layouts.md §3 and §5.
constexpr Needs kNeeds[] = {
    {"aiter-page16", 16, 1, 0, false}, {"aiter-page16-lbhnc", 16, 1, 0, false},
    {"cpu-amx", 32, 16, 2, false},     {"cpu-neon", 32, 4, 2, false},
    {"mfma-16x16", 16, 16, 1, true},   {"aiter-mla-shuffled", 16, 1, 0, true},
};

}  // namespace

std::optional<Rule> broken_need(std::string_view format, const Shape& shape) {
  for (const Needs& needs : kNeeds) {
    if (needs.format != format) continue;
    if (needs.one_head && shape.heads != 1) {
      return Rule{"heads", std::to_string(shape.heads), "this format has one head"};
    }
    if (needs.element_bytes != 0 && shape.element_bytes != needs.element_bytes) {
      return Rule{"element_bytes", std::to_string(shape.element_bytes),
                  fmt::format("this format has elements of {} B", needs.element_bytes)};
    }
    if (shape.tokens % needs.tokens_multiple != 0) {
      return Rule{"tokens", std::to_string(shape.tokens),
                  fmt::format("not a multiple of {}", needs.tokens_multiple)};
    }
    if (shape.head_dim % needs.head_dim_multiple != 0) {
      return Rule{"head_dim", std::to_string(shape.head_dim),
                  fmt::format("not a multiple of {}", needs.head_dim_multiple)};
    }
  }
  return std::nullopt;
}

std::optional<Rule> broken_pair(std::string_view from, std::string_view to) {
  if (oracle::engine_format(from)->key_only == oracle::engine_format(to)->key_only) return std::nullopt;
  return Rule{"sides", fmt::format("{} and {}", from, to),
              "one of them holds no V, so they do not hold the same elements"};
}

}  // namespace pageproof::golden::formats
