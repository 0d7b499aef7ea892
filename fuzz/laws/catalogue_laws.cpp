#include "fuzz/laws/catalogue_laws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace pageproof::fuzz {
namespace {

using page::PageFormat;
using page::Place;
using page::Regions;

constexpr std::uint64_t kLargestPage = 16384;
constexpr std::uint64_t kFarBlock = std::uint64_t{1} << 33;
constexpr std::byte kSentinel{0xA5};

std::uint64_t sides_of(const PageFormat& format) {
  return format.key_only() ? 1 : 2;
}

// Bytes from one block to the next in a region of the format.
std::uint64_t block_bytes(const PageFormat& format, const Shape& shape) {
  return format.regions == Regions::page ? shape.page_bytes() : shape.side_bytes();
}

std::string described(const Place& place) {
  return fmt::format("byte {} of region {}", place.byte, place.region == Side::key ? 0 : 1);
}

// The first coordinate of the block, K before V, at which `wrong` finds something.
template <class Wrong>
Verdict first_wrong(const FormatCase& c, const Wrong& wrong) {
  Coordinate at{c.block, Side::key, 0, 0, 0};
  for (std::uint64_t side = 0; side < sides_of(*c.format); ++side) {
    at.side = side == 0 ? Side::key : Side::value;
    for (at.head = 0; at.head < c.shape.heads; ++at.head) {
      for (at.token = 0; at.token < c.shape.tokens; ++at.token) {
        for (at.dim = 0; at.dim < c.shape.head_dim; ++at.dim) {
          if (Verdict found = wrong(at)) return found;
        }
      }
    }
  }
  return {};
}

Refutation refuted(const Coordinate& at, std::string expected, std::string got) {
  return {to_string(at), std::move(expected), std::move(got)};
}

// Two blocks, the first of which is not moved; no two neighbouring bytes alike.
struct Store {
  Store(const PageFormat& format, const Shape& shape, bool filled)
      : first(2 * block_bytes(format, shape), kSentinel),
        second(format.regions == Regions::page || format.key_only() ? 0 : first.size(), kSentinel) {
    for (std::size_t i = 0; filled && i < first.size(); ++i)
      first[i] = static_cast<std::byte>(i * 167 + i / 256 * 59);
    for (std::size_t i = 0; filled && i < second.size(); ++i)
      second[i] = static_cast<std::byte>(i * 91 + i / 256 * 31 + 7);
  }
  const std::byte* at(const Place& place) const {
    return &(place.region == Side::key ? first : second)[place.byte];
  }

  std::vector<std::byte> first, second;
};

void move(const page::Rearrangement& map, const Store& from, Store& to) {
  constexpr std::uint64_t kBlock[] = {1};
  page::apply(map, kBlock, {from.first, from.second}, {to.first, to.second});
}

}  // namespace

FormatCase make_shape_of_format(Choices& choices, bool small, std::uint64_t small_most) {
  const std::span<const PageFormat> all = page::catalogue();
  FormatCase c;
  c.format = &all[choices.below(all.size())];
  const page::Needs& needs = c.format->needs;
  Shape& shape = c.shape;
  shape.element_bytes = needs.element_bytes != 0 ? needs.element_bytes : choices.between(1, 2);
  const std::uint64_t x = shape.granule_elements();
  shape.tokens = std::lcm(x, needs.tokens_multiple) * choices.between(1, small ? small_most : 6);
  shape.head_dim = std::lcm(x, needs.head_dim_multiple) * choices.between(1, small ? small_most : 10);
  const std::uint64_t head_bytes = 2 * shape.tokens * shape.head_dim * shape.element_bytes;
  const std::uint64_t most =
      small ? small_most : std::clamp(kLargestPage / head_bytes, std::uint64_t{1}, std::uint64_t{12});
  shape.heads = needs.one_head ? 1 : choices.between(1, most);
  return c;
}

FormatCase make_format_case(Choices& choices, bool small) {
  FormatCase c = make_shape_of_format(choices, small, 3);
  c.block = small ? kFarBlock * choices.below(2) : choices.below(2 * kFarBlock);
  return c;
}

Verdict one_place_each(const FormatCase& c, const Locate& locate) {
  const std::uint64_t size = block_bytes(*c.format, c.shape);
  const std::uint64_t e = c.shape.element_bytes;
  std::array<std::vector<bool>, 2> taken;
  taken.fill(std::vector<bool>(size / e));
  std::uint64_t elements = 0;
  Verdict broken = first_wrong(c, [&](const Coordinate& at) -> Verdict {
    const Place place = locate(*c.format, c.shape, at);
    const std::uint64_t begin = c.block * size;
    if (place.byte < begin || place.byte - begin >= size || (place.byte - begin) % e != 0) {
      return refuted(at, fmt::format("an element below byte {} of the block", size), described(place));
    }
    std::vector<bool>& region = taken[place.region == Side::key ? 0 : 1];
    if (region[(place.byte - begin) / e])
      return refuted(at, "a place of its own", described(place) + ", taken");
    region[(place.byte - begin) / e] = true;
    ++elements;
    return {};
  });
  if (broken) return broken;
  // A format of K only leaves the second region alone.
  const std::uint64_t regions = c.format->regions == Regions::page || c.format->key_only() ? 1 : 2;
  const std::uint64_t places = regions * size / e;
  if (elements == places) return {};
  return Refutation{"all coordinates", fmt::format("{} places taken", places), std::to_string(elements)};
}

Verdict unfold_undoes_fold(const FormatCase& c, const Find& find) {
  return first_wrong(c, [&](const Coordinate& at) -> Verdict {
    const Coordinate found = find(*c.format, c.shape, page::locate(*c.format, c.shape, at));
    if (found == at) return {};
    return refuted(at, to_string(at), to_string(found));
  });
}

Verdict is_its_formula(const FormatCase& c, const Locate& locate) {
  const Formula formula = formula_of(c.format->tag);
  if (formula == nullptr) return Refutation{c.format->tag, "a formula of its own", "none"};
  const std::uint64_t begin = c.block * block_bytes(*c.format, c.shape);
  const bool one_region = c.format->regions == Regions::page;
  return first_wrong(c, [&](const Coordinate& at) -> Verdict {
    const At numbers{c.shape.heads,
                     c.shape.tokens,
                     c.shape.head_dim,
                     c.shape.granule_elements(),
                     static_cast<std::uint64_t>(at.side),
                     at.head,
                     at.token,
                     at.dim};
    const Place expected{one_region ? Side::key : at.side, begin + formula(numbers) * c.shape.element_bytes};
    const Place got = locate(*c.format, c.shape, at);
    if (got == expected) return {};
    return refuted(at, described(expected), described(got));
  });
}

Verdict fits_what_it_needs(const FormatCase& c,
                           const std::function<Expected<void>(const PageFormat&, const Shape&)>& fits) {
  if (const Expected<void> fit = fits(*c.format, c.shape); !fit) {
    return Refutation{"this shape", "fits", to_string(fit.error())};
  }
  const auto refuses = [&](const char* what, auto change) -> Verdict {
    Shape shape = c.shape;
    change(shape);
    if (!fits(*c.format, shape)) return {};
    return Refutation{fmt::format("{}, so {}", what, to_string(shape)), "refused", "fits"};
  };
  const page::Needs& needs = c.format->needs;
  if (needs.one_head) {
    if (Verdict found = refuses("two heads", [](Shape& s) { s.heads = 2; })) return found;
  }
  if (needs.element_bytes != 0) {
    if (Verdict found =
            refuses("elements of another size", [](Shape& s) { s.element_bytes = 3 - s.element_bytes; })) {
      return found;
    }
  }
  if (needs.tokens_multiple > 1) {
    if (Verdict found =
            refuses("half a multiple of tokens", [&](Shape& s) { s.tokens += needs.tokens_multiple / 2; })) {
      return found;
    }
  }
  if (needs.head_dim_multiple > 1) {
    if (Verdict found = refuses("half a multiple of dims",
                                [&](Shape& s) { s.head_dim += needs.head_dim_multiple / 2; })) {
      return found;
    }
  }
  return {};
}

Verdict conversion_comes_back(const FormatCase& c, const PageFormat& to, const Rearranges& rearrange) {
  const PageFormat& from = *c.format;
  if (!page::fits(to, c.shape)) return {};
  const std::string pair = from.tag + " to " + to.tag;
  const auto there = rearrange(from, to, c.shape);
  if (there.has_value() != (from.key_only() == to.key_only())) {
    return Refutation{pair, "converts iff both hold the same sides",
                      there ? "converts" : to_string(there.error())};
  }
  if (!there) return {};
  const auto back = rearrange(to, from, c.shape);
  if (!back) return Refutation{pair, "converts back", to_string(back.error())};

  const Store before(from, c.shape, true);
  Store moved(to, c.shape, false);
  move(*there, before, moved);
  FormatCase second = c;
  second.block = 1;
  Verdict broken = first_wrong(second, [&](const Coordinate& at) -> Verdict {
    const Place target = page::locate(to, c.shape, at);
    const std::byte* const source = before.at(page::locate(from, c.shape, at));
    if (std::equal(source, source + c.shape.element_bytes, moved.at(target))) return {};
    return refuted(at, pair + ": its element at " + described(target), "other bytes");
  });
  if (broken) return broken;
  const auto untouched = [&](const std::vector<std::byte>& bytes) {
    return std::all_of(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 2),
                       [](std::byte byte) { return byte == kSentinel; });
  };
  if (!untouched(moved.first) || !untouched(moved.second)) {
    return Refutation{pair + " block=0", "untouched, it is not listed", "written"};
  }
  Store returned(from, c.shape, false);
  move(*back, moved, returned);
  const std::size_t half = before.first.size() / 2;
  if (std::equal(before.first.begin() + static_cast<std::ptrdiff_t>(half), before.first.end(),
                 returned.first.begin() + static_cast<std::ptrdiff_t>(half)) &&
      std::equal(before.second.begin() + static_cast<std::ptrdiff_t>(before.second.size() / 2),
                 before.second.end(),
                 returned.second.begin() + static_cast<std::ptrdiff_t>(before.second.size() / 2))) {
    return {};
  }
  return Refutation{pair + " and back", "the bytes as before", "other bytes"};
}

Verdict tiles_are_pages_of_16(const Shape& shape, const SameAsPages& claim) {
  const PageFormat& tile = **page::find_format("aiter-shuffled");
  const PageFormat& pages = **page::find_format("aiter-page16");
  if (!page::fits(tile, shape) || !page::fits(pages, shape)) return {};
  std::array<bool, 2> same{true, true};
  (void)first_wrong({&pages, shape, 0}, [&](const Coordinate& at) -> Verdict {
    bool& side = same[at.side == Side::key ? 0 : 1];
    side = side && page::locate(tile, shape, at) == page::locate(pages, shape, at);
    return {};
  });
  const auto [key, value] = claim(shape);
  const auto said = [](bool k, bool v) {
    return fmt::format("K {}, V {}", k ? "same" : "differs", v ? "same" : "differs");
  };
  if (same[0] == key && same[1] == value) return {};
  return Refutation{"aiter-shuffled and aiter-page16", said(key, value), said(same[0], same[1])};
}

}  // namespace pageproof::fuzz
