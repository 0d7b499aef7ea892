#include "model/page/view.hpp"

#include <fmt/format.h>

#include "model/page/words.hpp"

namespace pageproof::page {
namespace {

constexpr std::uint64_t kLargestStride = std::uint64_t{1} << 48;

std::optional<Misplaced> first_misplaced(const Shape& s, const ViewStrides& strides) {
  for (std::uint64_t token = 0; token < s.tokens; ++token) {
    for (std::uint64_t head = 0; head < s.heads; ++head) {
      // Along a row both offsets grow evenly: its second element tells of all others.
      for (std::uint64_t dim = 0; dim < std::min<std::uint64_t>(2, s.head_dim); ++dim) {
        const std::uint64_t dense = (token * s.heads + head) * s.head_dim + dim;
        const std::uint64_t element = token * strides.token + head * strides.head + dim * strides.dim;
        if (element != dense) {
          return Misplaced{token, head, dim, dense * s.element_bytes, element * s.element_bytes};
        }
      }
    }
  }
  return {};
}

}  // namespace

Expected<ViewVerdict> judge_view(const Shape& shape, const ViewStrides& strides) {
  const auto checked_stride = [](const char* field, std::uint64_t value) -> Expected<void> {
    if (value >= 1 && value < kLargestStride) return {};
    return std::unexpected(
        Error{"strides", field, std::to_string(value), "not within 1 to 2^48 - 1 elements"});
  };
  for (const auto& [field, value] : {std::pair{"block", strides.block}, std::pair{"token", strides.token},
                                     std::pair{"head", strides.head}, std::pair{"dim", strides.dim}}) {
    if (const auto fine = checked_stride(field, value); !fine) return std::unexpected(fine.error());
  }
  const std::uint64_t dense = shape.heads * shape.tokens * shape.head_dim;
  ViewVerdict verdict;
  verdict.not_dense = first_misplaced(shape, strides);
  if (strides.block != dense) {
    verdict.stray =
        Stray{1, dense * shape.element_bytes, strides.block * shape.element_bytes, dense / strides.block};
  }
  verdict.first_signed_wrap = first_wrapping_block(strides.block, Word::signed_32);
  verdict.first_unsigned_wrap = first_wrapping_block(strides.block, Word::unsigned_32);
  return verdict;
}

std::string to_string(const ViewVerdict& verdict, const Shape& shape, const ViewStrides& strides) {
  std::string text;
  if (const auto& at = verdict.not_dense) {
    text += fmt::format(
        "Block     not dense: token {} head {} dim {} lies at byte {} of its block, a dense one has it at "
        "{}; the view "
        "is no plane, and no block stride makes it one\n",
        at->token, at->head, at->dim, at->byte, at->dense_byte);
  } else {
    text += fmt::format("Block     dense: {} bytes\n", shape.side_bytes());
  }
  if (const auto& at = verdict.stray) {
    text += fmt::format(
        "Stride    {} bytes from block to block, not {}: a writer with dense offsets stores block {} from "
        "byte {}, "
        "which is in block {}; it belongs at byte {}\n",
        strides.block * shape.element_bytes, shape.side_bytes(), at->block, at->byte, at->falls_in,
        at->right_byte);
  } else {
    text += fmt::format("Stride    {} bytes from block to block: dense\n", shape.side_bytes());
  }
  text += fmt::format(
      "Offsets   of 32 bits, in elements: wrap from block {} on (signed), from block {} on (unsigned)\n",
      verdict.first_signed_wrap, verdict.first_unsigned_wrap);
  text += fmt::format("Takes     {}\n",
                      verdict.is_dense_plane() ? "every writer and reader of shuffled planes"
                      : verdict.is_plane() && strides.block < shape.heads * shape.tokens * shape.head_dim
                          ? "no writer of shuffled planes: blocks overlap"
                      : verdict.is_plane() ? "writers and readers that are told the block stride"
                                           : "no writer of shuffled planes");
  return text;
}

}  // namespace pageproof::page
