#include "fuzz/laws/faulty.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "fuzz/laws/laws.hpp"

namespace pageproof::fuzz {
namespace {

enum class Way { out_of_place, in_place, inverse, inverse_in_place };

// Bytes of an element from the start of its page / of its plane's block: the contracts, and the faults
// against them.
std::uint64_t page_byte(const Shape& s, const Coordinate& c, bool tokens_first, Fault fault) {
  const std::uint64_t row = s.head_dim * s.element_bytes;
  const std::uint64_t side = c.side == Side::value ? 1 : 0;
  if (fault == Fault::halves_taken_as_sides) {
    return side * s.side_bytes() + (c.head * s.tokens + c.token) * row + c.dim * s.element_bytes;
  }
  const bool by_token = tokens_first && fault != Fault::tokens_first_ignored;
  const std::uint64_t rows = by_token ? c.token * s.heads + c.head : c.head * s.tokens + c.token;
  return (rows * 2 + side) * row + c.dim * s.element_bytes;
}

std::uint64_t plane_byte(const Shape& s, const Coordinate& c, Fault fault) {
  const std::uint64_t head = c.head * s.tokens * s.head_dim * s.element_bytes;
  const std::uint64_t x = fault == Fault::two_byte_granule_always ? 8 : s.granule_elements();
  std::uint64_t element = 0;
  if (c.side == Side::key) {
    const bool exchanged = fault == Fault::tokens_and_granules_exchanged;
    const std::uint64_t granule =
        exchanged ? c.token * (s.head_dim / x) + c.dim / x : c.dim / x * s.tokens + c.token;
    element = granule * x + c.dim % x;
  } else if (fault == Fault::value_as_heads_dims_tokens) {
    element = c.dim * s.tokens + c.token;
  } else {
    element = (c.token / x * s.head_dim + c.dim) * x + c.token % x;
  }
  return head + element * s.element_bytes;
}

void copy_element(std::byte* to, const std::byte* from, std::uint64_t bytes, Fault fault) {
  std::memcpy(to, from, bytes);
  if (fault != Fault::nan_made_quiet || bytes != 2) return;
  const unsigned bits = static_cast<unsigned>(to[0]) | static_cast<unsigned>(to[1]) << 8;
  if ((bits & 0x7F80u) == 0x7F80u && (bits & 0x7Fu) != 0) to[0] |= std::byte{0x40};
}

std::byte rewritten(std::byte byte, Fault fault) {
  const auto code = static_cast<unsigned>(byte);
  if (code == 0x80) return fault == Fault::negative_zero_kept ? byte : std::byte{0};
  const bool nan = fault == Fault::one_nan_kept ? code == 0x7F : (code & 0x7F) == 0x7F;
  if (!nan || fault == Fault::nan_kept) return byte;
  return fault == Fault::rewritten_twice ? std::byte{0} : std::byte{0x80};
}

struct Blocks {
  std::byte* page = nullptr;
  std::byte* key = nullptr;
  std::byte* value = nullptr;
};

// The element loop of all three ways. `staged` holds what is read where it is not read from its own place.
void convert_block(const ConvertJob& job, const Blocks& b, Way way, Fault fault) {
  const Shape& s = job.shape;
  const bool inverse = way == Way::inverse || way == Way::inverse_in_place;
  std::vector<std::byte> staged(s.page_bytes());
  std::vector<std::byte> page(way == Way::inverse_in_place ? s.page_bytes() : 0);
  std::byte* const written_page = way == Way::inverse_in_place ? page.data() : b.page;
  if (way == Way::in_place || way == Way::inverse_in_place) {
    std::memcpy(staged.data(), b.key, s.side_bytes());
    std::memcpy(staged.data() + s.side_bytes(), b.value, s.side_bytes());
  } else {
    std::memcpy(staged.data(), b.page, s.page_bytes());
  }
  // Reads one element of the page, from the live halves where nothing is staged.
  const auto read_from = [&](std::uint64_t byte) -> const std::byte* {
    if (way != Way::in_place || fault != Fault::reads_after_writing) return &staged[byte];
    return byte < s.side_bytes() ? b.key + byte : b.value + (byte - s.side_bytes());
  };
  for (const Side side : {Side::key, Side::value}) {
    for (std::uint64_t head = 0; head < s.heads; ++head) {
      if (inverse && fault == Fault::inverse_forgets_last_head && head + 1 == s.heads) continue;
      for (std::uint64_t token = 0; token < s.tokens; ++token) {
        if (!inverse && fault == Fault::last_token_forgotten && token + 1 == s.tokens) continue;
        for (std::uint64_t dim = 0; dim < s.head_dim; ++dim) {
          const Coordinate c{0, side, head, token, dim};
          const bool wrong_landing =
              (way == Way::in_place && fault == Fault::landing_taken_as_sides) ||
              (way == Way::inverse_in_place && fault == Fault::inverse_in_place_as_sides);
          const bool wrong_cut = way == Way::in_place && fault == Fault::heads_cut_as_in_heads_first;
          std::uint64_t in_page = page_byte(s, c, job.tokens_first && !wrong_cut,
                                            wrong_landing ? Fault::halves_taken_as_sides : fault);
          if (way == Way::in_place && fault == Fault::middle_head_cut_at_its_start && s.heads % 2 == 1 &&
              head == s.heads / 2 && token >= s.tokens / 2) {
            in_page -= s.tokens / 2 * 2 * s.head_dim * s.element_bytes;
          }
          const bool exchanged =
              inverse ? fault == Fault::inverse_exchanges_sides : fault == Fault::sides_exchanged;
          std::byte* const plane = (side == Side::key) != exchanged ? b.key : b.value;
          std::byte* const element = plane + plane_byte(s, c, fault);
          std::byte* const target = inverse ? written_page + in_page : element;
          copy_element(target, inverse ? element : read_from(in_page), s.element_bytes, fault);
          const bool forgotten = inverse && fault == Fault::inverse_not_rewritten;
          if (job.rewrite && !forgotten) *target = rewritten(*target, fault);
        }
      }
    }
  }
  if (way != Way::inverse_in_place) return;
  std::memcpy(b.key, page.data(), s.side_bytes());
  if (fault == Fault::inverse_in_place_forgets_a_half) return;
  std::memcpy(b.value, page.data() + s.side_bytes(), s.side_bytes());
}

std::byte* block_of(const Pool& pool, std::size_t layer, std::int64_t id, std::uint64_t block_bytes,
                    Fault fault) {
  const bool dense = fault == Fault::strides_taken_as_dense;
  std::uint64_t number = static_cast<std::uint64_t>(id);
  if (fault == Fault::ids_cut_to_8_bits) number &= 0xFF;
  std::uint64_t offset = number * (dense ? block_bytes : pool.block_stride);
  if (fault == Fault::offset_wraps_at_32_bits) offset &= 0xFFFF'FFFF;
  if (fault == Fault::offset_wraps_at_31_bits) offset &= 0x7FFF'FFFF;
  return pool.layers[layer] + offset;
}

using Ids = std::vector<std::int64_t>;

bool ids_fit(const Ids& ids, std::uint64_t num_blocks, bool distinct, Fault fault) {
  std::set<std::int64_t> seen;
  for (const std::int64_t id : ids) {
    if (id < 0 && fault != Fault::negative_not_checked) return false;
    if (id >= static_cast<std::int64_t>(num_blocks) && fault != Fault::range_not_checked) return false;
    if (distinct && !seen.insert(id).second && fault != Fault::duplicates_not_checked) return false;
  }
  return true;
}

// What the converter makes of the ids it was given.
void misread(Ids& from, Ids& to, const ConvertJob& job, Way way, Fault fault) {
  if (fault == Fault::from_used_for_to && way == Way::out_of_place) to = from;
  if (fault == Fault::only_to_sorted) std::ranges::sort(to);
  for (Ids* ids : {&from, &to}) {
    if (fault == Fault::ids_cut_to_32_bits) {
      for (std::int64_t& id : *ids) id &= 0xFFFF'FFFF;
    }
    if (fault == Fault::wide_ids_read_as_narrow && job.id_bytes == 8) {
      for (std::size_t i = ids->size(); i-- > 0;) (*ids)[i] = i % 2 == 0 ? (*ids)[i / 2] : 0;
    }
  }
}

Expected<void> refused(const char* why) {
  return std::unexpected(Error{"job", "", "", why});
}

Expected<void> convert(const ConvertJob& job, Way way, Fault fault) {
  const std::uint64_t side = job.shape.side_bytes();
  Ids from = job.from, to = job.to;
  misread(from, to, job, way, fault);
  std::uint64_t planes_blocks = job.key.num_blocks, pages_blocks = job.standard.num_blocks;
  if (fault == Fault::num_blocks_exchanged) std::swap(planes_blocks, pages_blocks);
  const bool distinct = fault != Fault::wide_ids_read_as_narrow && fault != Fault::from_used_for_to;
  const bool in_place = way == Way::in_place || way == Way::inverse_in_place;
  bool fits = ids_fit(to, planes_blocks, distinct && way != Way::inverse, fault);
  if (!in_place) fits = fits && ids_fit(from, pages_blocks, distinct && way == Way::inverse, fault);
  if (!fits && fault != Fault::refused_after_writing) return refused("a block id");
  const std::uint64_t bound = kInPlacePageBytes - (fault == Fault::page_bound_inclusive ? 1 : 0);
  if (in_place && 2 * side > bound && fault != Fault::page_bound_ignored) return refused("page");

  std::size_t layers = job.key.layers.size();
  if (fault == Fault::last_layer_forgotten && layers > 1) --layers;
  std::size_t count = to.size();
  if (fault == Fault::remainder_of_threads_forgotten) count -= count % job.threads;
  const auto within = [](std::int64_t id, const Pool& pool) {
    return id >= 0 && static_cast<std::uint64_t>(id) < pool.num_blocks;
  };
  for (std::size_t layer = 0; layer < layers; ++layer) {
    for (std::size_t i = 0; i < count; ++i) {
      const bool real = within(to[i], job.key) && (in_place || within(from[i], job.standard));
      if (!real) continue;
      Blocks blocks{nullptr, block_of(job.key, layer, to[i], side, fault),
                    block_of(job.value, layer, to[i], side, fault)};
      if (!in_place) blocks.page = block_of(job.standard, layer, from[i], 2 * side, fault);
      convert_block(job, blocks, way, fault);

      const bool another = static_cast<std::uint64_t>(to[i]) + 1 < job.key.num_blocks &&
                           way != Way::inverse && way != Way::inverse_in_place;
      const bool stray =
          fault == Fault::neighbour_written || (fault == Fault::one_block_too_many && i + 1 == count);
      if (stray && another) {
        blocks.key += job.key.block_stride;
        blocks.value += job.value.block_stride;
        convert_block(job, blocks, way, fault);
      }
      if (fault == Fault::gap_cleared && another) {
        std::memset(blocks.key + side, 0, job.key.block_stride - side);
      }
      if (fault == Fault::source_written && way == Way::out_of_place) *blocks.page ^= std::byte{1};
      if (fault == Fault::inverse_writes_planes && way == Way::inverse) std::memset(blocks.key, 0, side);
    }
  }
  return fits ? Expected<void>{} : refused("a block id");
}

}  // namespace

Converter faulty_converter(Fault fault) {
  return {"plain", [fault](const ConvertJob& job) { return convert(job, Way::out_of_place, fault); },
          [fault](const ConvertJob& job) { return convert(job, Way::in_place, fault); },
          [fault](const ConvertJob& job) { return convert(job, Way::inverse, fault); },
          [fault](const ConvertJob& job) { return convert(job, Way::inverse_in_place, fault); }};
}

}  // namespace pageproof::fuzz
