#include "tests/golden/converters.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "oracle/offset/writer.hpp"

namespace pageproof::golden {
namespace {

using Ids = std::vector<std::uint64_t>;

std::unexpected<Error> refuse(const char* problem) {
  return std::unexpected(Error{"block_ids", "", "", problem});
}

Expected<void> ids_are_sound(const ConvertRequest& r) {
  const auto within = [](std::span<const std::int64_t> ids, std::uint64_t count) {
    return std::ranges::all_of(
        ids, [&](std::int64_t id) { return id >= 0 && static_cast<std::uint64_t>(id) < count; });
  };
  if (!within(r.block_ids, r.num_blocks)) return refuse("beyond the planes");
  if (!within(r.standard_block_ids, r.standard_num_blocks)) return refuse("beyond the pages");
  if (std::set(r.block_ids.begin(), r.block_ids.end()).size() != r.block_ids.size()) return refuse("twice");
  return {};
}

Ids ids_of(std::span<const std::int64_t> ids) {
  return {ids.begin(), ids.end()};
}

Ids counted(std::size_t count) {
  Ids ids(count);
  for (std::size_t i = 0; i < count; ++i) ids[i] = i;
  return ids;
}

// The standard pages of the listed blocks, one after another.
std::vector<std::byte> pages_of(const ConvertRequest& r) {
  const std::uint64_t half = r.shape.side_bytes();
  std::vector<std::byte> pages(r.block_ids.size() * 2 * half);
  for (std::size_t i = 0; i < r.block_ids.size(); ++i) {
    std::byte* const page = pages.data() + i * 2 * half;
    const auto to = static_cast<std::uint64_t>(r.block_ids[i]);
    if (r.in_place) {
      std::memcpy(page, &r.k_plane[to * half], half);
      std::memcpy(page + half, &r.v_plane[to * half], half);
    } else {
      const auto from = static_cast<std::uint64_t>(r.standard_block_ids[i]);
      std::memcpy(page, &r.standard[from * 2 * half], 2 * half);
    }
  }
  return pages;
}

void convert_into(const ConvertRequest& r, std::span<const std::byte> pages, const Ids& to) {
  oracle::gather_and_rewrite(r.shape, pages, counted(r.block_ids.size()), to, {r.k_plane, r.v_plane});
}

// A sound converter whose result is then spoilt.
template <class Spoil>
Convert spoilt(Spoil spoil) {
  return [spoil](const ConvertRequest& r) -> Expected<void> {
    if (auto sound = sound_converter(r); !sound) return sound;
    spoil(r);
    return {};
  };
}

void swap_sides(const ConvertRequest& r) {
  const std::uint64_t half = r.shape.side_bytes();
  for (const std::uint64_t id : ids_of(r.block_ids)) {
    std::swap_ranges(&r.k_plane[id * half], &r.k_plane[id * half] + half, &r.v_plane[id * half]);
  }
}

void classic_value(const ConvertRequest& r) {
  const Shape& s = r.shape;
  for (const std::uint64_t id : ids_of(r.block_ids)) {
    std::byte* const block = &r.v_plane[id * s.side_bytes()];
    const std::vector<std::byte> shuffled(block, block + s.side_bytes());
    for (std::uint64_t head = 0; head < s.heads; ++head) {
      for (std::uint64_t token = 0; token < s.tokens; ++token) {
        for (std::uint64_t dim = 0; dim < s.head_dim; ++dim) {
          const std::uint64_t element = (head * s.head_dim + dim) * s.tokens + token;
          std::memcpy(block + element * s.element_bytes,
                      &shuffled[oracle::shuffled_byte(s, {0, Side::value, head, token, dim})],
                      s.element_bytes);
        }
      }
    }
  }
}

// Head h's bytes at head h+1: the plane's block, rotated by one head.
void shift_heads(const ConvertRequest& r) {
  const std::uint64_t half = r.shape.side_bytes();
  const std::uint64_t head = half / r.shape.heads;
  for (const std::uint64_t id : ids_of(r.block_ids)) {
    for (const auto plane : {r.k_plane, r.v_plane}) {
      const auto block = plane.subspan(id * half, half);
      std::rotate(block.begin(), block.end() - static_cast<std::ptrdiff_t>(head), block.end());
    }
  }
}

void forget_last_token(const ConvertRequest& r) {
  const Shape& s = r.shape;
  for (const std::uint64_t id : ids_of(r.block_ids)) {
    for (std::uint64_t head = 0; head < s.heads; ++head) {
      for (std::uint64_t dim = 0; dim < s.head_dim; ++dim) {
        r.k_plane[oracle::shuffled_byte(s, {id, Side::key, head, s.tokens - 1, dim})] = std::byte{0xA5};
      }
    }
  }
}

void write_outside(const ConvertRequest& r) {
  std::uint64_t free_block = 0;
  while (std::ranges::find(r.block_ids, static_cast<std::int64_t>(free_block)) != r.block_ids.end())
    ++free_block;
  if (free_block < r.num_blocks) r.v_plane[free_block * r.shape.side_bytes() + 5] = std::byte{0};
}

Expected<void> convert_twice(const ConvertRequest& r) {
  if (auto done = sound_converter(r); !done || !r.in_place) return done;
  return sound_converter(r);
}

Expected<void> write_neighbour(const ConvertRequest& r) {
  if (auto sound = ids_are_sound(r); !sound) return sound;
  Ids to = ids_of(r.block_ids);
  for (std::uint64_t& id : to) id = (id + 1) % r.num_blocks;
  convert_into(r, pages_of(r), to);
  return {};
}

Expected<void> narrow_ids(const ConvertRequest& r) {
  if (auto sound = ids_are_sound(r); !sound) return sound;
  Ids to = ids_of(r.block_ids);
  for (std::uint64_t& id : to) id &= 0xFF;
  convert_into(r, pages_of(r), to);
  return {};
}

// In place, writes the K plane before the page is read for V.
Expected<void> write_before_read(const ConvertRequest& r) {
  if (auto sound = ids_are_sound(r); !sound) return sound;
  std::vector<std::byte> unused(r.k_plane.size());
  std::vector<std::byte> pages = pages_of(r);
  const auto convert = [&](const oracle::Planes& planes) {
    oracle::gather_and_rewrite(r.shape, pages, counted(r.block_ids.size()), ids_of(r.block_ids), planes);
  };
  convert({r.k_plane, unused});
  if (r.in_place) pages = pages_of(r);
  convert({unused, r.v_plane});
  return {};
}

// Takes what is sound, leaves out what is not.
Expected<void> skip_bad_ids(const ConvertRequest& r) {
  std::vector<std::int64_t> from;
  std::vector<std::int64_t> to;
  for (std::size_t i = 0; i < r.block_ids.size(); ++i) {
    ConvertRequest one = r;
    one.block_ids = r.block_ids.subspan(i, 1);
    if (!r.in_place) one.standard_block_ids = r.standard_block_ids.subspan(i, 1);
    (void)sound_converter(one);
  }
  return {};
}

Expected<void> refuse_too_late(const ConvertRequest& r) {
  (void)skip_bad_ids(r);
  return ids_are_sound(r);
}

Expected<void> refuse_one_head(const ConvertRequest& r) {
  if (r.shape.heads == 1) return refuse("one head");
  return sound_converter(r);
}

}  // namespace

Expected<void> sound_converter(const ConvertRequest& r) {
  if (auto sound = ids_are_sound(r); !sound) return sound;
  convert_into(r, pages_of(r), ids_of(r.block_ids));
  return {};
}

std::vector<Mutant> mutants() {
  return {
      {"sides_swapped", "fixtures.convert", "block=1 side=K head=0 token=0 dim=0", spoilt(swap_sides)},
      {"classic_value", "fixtures.convert", "side=V head=0 token=0 dim=1", spoilt(classic_value)},
      {"heads_shifted", "fixtures.convert", "side=K head=0 token=0 dim=0", spoilt(shift_heads)},
      {"last_token_forgotten", "fixtures.convert", "side=K head=0 token=15 dim=0", spoilt(forget_last_token)},
      {"sentinel_overwritten", "fixtures.convert", "block=0 side=V byte 5 of the block",
       spoilt(write_outside)},
      {"converted_twice", "fixtures.convert_in_place", "side=K", convert_twice},
      {"neighbour_written", "fixtures.convert", "block=1 side=K head=0 token=0 dim=0", write_neighbour},
      {"narrow_ids", "fixtures.convert", "block=299 side=K head=0 token=0 dim=0", narrow_ids},
      {"write_before_read", "fixtures.convert_in_place", "side=V", write_before_read},
      {"bad_ids_skipped", "fixtures.refuses", "in place, the first block once more", skip_bad_ids},
      {"refused_too_late", "fixtures.refuses", "block=2 side=K byte ", refuse_too_late},
      {"one_head_refused", "fixtures.convert", "H=1", refuse_one_head},
  };
}

}  // namespace pageproof::golden
