#include "reports/identify/candidate.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pageproof::reports {
namespace {

constexpr std::uint64_t kOtherTokens[] = {8, 16, 32, 64, 128, 256};

// Formats that a page of [.., 2D] rows has: K and V of one (head, token) side by side.
bool rows_of_both_sides(const page::PageFormat& format) {
  const page::Digit side{page::Axis::side};
  const page::Digit dim{page::Axis::dim};
  const std::size_t n = format.key.size();
  return format.key == format.value && n >= 2 && format.key[n - 2] == side && format.key[n - 1] == dim;
}

bool mentions_granule(const page::PageFormat& format) {
  const auto mentions = [](const page::DigitOrder& order) {
    return std::ranges::any_of(order, [](const page::Digit& digit) {
      return digit.low == page::Granularity::x() || digit.high == page::Granularity::x();
    });
  };
  return mentions(format.key) || mentions(format.value);
}

class Enumeration {
 public:
  Enumeration(const Scene& scene, std::span<const page::PageFormat> formats)
      : scene_(scene), formats_(formats) {
    pairs_ = std::make_shared<PairLists>(PairLists{scene.pairs, scene.pairs});
  }

  Candidates all() {
    // Planes formats first: where a page format is two planes side by side, accidents are told of the planes.
    std::vector<const page::PageFormat*> order;
    for (const page::Regions regions : {page::Regions::planes, page::Regions::page}) {
      for (const page::PageFormat& format : formats_) {
        if (format.regions == regions) order.push_back(&format);
      }
    }
    for (const page::PageFormat* each : order) {
      const page::PageFormat& format = *each;
      Expected<Placing> placing = placing_of(format, scene_.shape());
      if (!placing) {
        out_.not_applicable.push_back({format.tag, to_string(placing.error())});
        continue;
      }
      const bool known = std::ranges::any_of(placings_, [&](const auto& other) {
        return same_positions(other.second, *placing, Side::key) &&
               same_positions(other.second, *placing, Side::value);
      });
      for (const Arrangement arrangement : arrangements()) {
        arranged(format, *placing, arrangement, !known);
      }
      if (!known) placings_.emplace_back(&format, *std::move(placing));
    }
    converted();
    return std::move(out_);
  }

 private:
  std::vector<Arrangement> arrangements() const {
    if (scene_.file->two_tensors) return {Arrangement::two_tensors};
    return {Arrangement::side_by_side, Arrangement::one_after_another};
  }

  Candidate& add(const page::PageFormat& format, const Placing& placing, Arrangement arrangement,
                 Accident accident, const std::string& what) {
    const std::uint64_t tokens = scene_.shape().tokens;
    Candidate candidate{.format = &format,
                        .accident = accident,
                        .words = what.empty() ? format.tag : format.tag + ", " + what,
                        .arrangement = arrangement,
                        .grouping = {tokens, tokens},
                        .placing = placing,
                        .pairs = pairs_};
    return out_.list.emplace_back(std::move(candidate));
  }

  void arranged(const page::PageFormat& format, const Placing& placing, Arrangement arrangement,
                bool first_of_its_order) {
    const bool pure = slots_are_sides(placing);
    const bool page = format.regions == page::Regions::page;
    const bool one_page = arrangement == Arrangement::side_by_side;
    if (page && !pure && !one_page) return landed(format, placing, arrangement, first_of_its_order);
    if (page && arrangement == Arrangement::one_after_another)
      return;  // its halves are planes: listed as those
    add(format, placing, arrangement, Accident::none, "");
    if (!first_of_its_order) return;
    if (!format.key_only()) exchanged(format, placing, arrangement, pure);
    other_readings(format, placing, arrangement);
    other_tokens(format, arrangement);
  }

  void landed(const page::PageFormat& format, Placing placing, Arrangement arrangement,
              bool first_of_its_order) {
    if (!first_of_its_order || format.key_only()) return;
    add(format, placing, arrangement, Accident::landed, "landed and never converted");
    placing.slots_exchanged = true;
    add(format, placing, arrangement, Accident::halves_exchanged,
        "landed with its halves exchanged, never converted");
  }

  void exchanged(const page::PageFormat& format, const Placing& placing, Arrangement arrangement, bool pure) {
    Placing data = placing;
    std::swap(data.sides[0], data.sides[1]);
    add(format, data, arrangement, Accident::data_exchanged,
        "V's data where K belongs and K's where V belongs");
    Placing slots = placing;
    slots.slots_exchanged = true;
    if (!pure) {
      add(format, slots, arrangement, Accident::halves_exchanged, "the halves of each page exchanged");
      return;
    }
    add(format, slots, arrangement, Accident::planes_exchanged,
        "K and V planes exchanged (each side in the other's plane, in its own order)");
    data.slots_exchanged = true;
    add(format, data, arrangement, Accident::orders_exchanged, "K in V's order and V in K's order");
  }

  void other_readings(const page::PageFormat& format, const Placing& own, Arrangement arrangement) {
    const Shape& shape = scene_.shape();
    const std::uint64_t other_element = 3 - shape.element_bytes;
    const std::uint64_t other_x = kGranuleBytes / other_element;
    const auto differs = [&](const Expected<Placing>& placing) {
      return placing &&
             !(same_positions(own, *placing, Side::key) && same_positions(own, *placing, Side::value));
    };
    if (mentions_granule(format)) {
      if (const auto placing = placing_of(format, shape, {.granule_elements = other_x}); differs(placing)) {
        add(format, *placing, arrangement, Accident::other_granule,
            fmt::format("with x = {}, as for elements of {} B", other_x, other_element));
      }
    }
    if (const auto placing = placing_of(format, shape, {.element_bytes = other_element}); differs(placing)) {
      add(format, *placing, arrangement, Accident::other_elements,
          fmt::format("its rows taken as {} elements of {} B",
                      shape.head_dim * shape.element_bytes / other_element, other_element));
    }
  }

  void other_tokens(const page::PageFormat& format, Arrangement arrangement) {
    if (!scene_.numbered_from_zero()) return;
    const Shape& shape = scene_.shape();
    for (const std::uint64_t tokens : kOtherTokens) {
      const std::uint64_t larger = std::max(tokens, shape.tokens);
      const std::uint64_t smaller = std::min(tokens, shape.tokens);
      if (larger == smaller || larger % smaller != 0) continue;
      Shape other = shape;
      other.tokens = tokens;
      if (scene_.file->bytes() % other.page_bytes() != 0) continue;
      const auto placing = placing_of(format, other);
      const Grouping grouping{tokens, shape.tokens};
      const std::uint64_t groups =
          std::min(scene_.file_blocks * shape.tokens, scene_.reference_blocks * shape.tokens) / larger;
      if (!placing || groups == 0 || larger / shape.tokens * shape.page_bytes() > UINT32_MAX) continue;
      Candidate& candidate = add(format, *placing, arrangement, Accident::other_tokens,
                                 fmt::format("with N = {} (the reference has N = {})", tokens, shape.tokens));
      candidate.grouping = grouping;
      std::vector<BlockPair> pairs;
      for (std::uint64_t i = 0; i < groups * grouping.file_blocks(); ++i) {
        pairs.push_back({i, i / grouping.file_blocks() * grouping.reference_blocks()});
      }
      candidate.pairs = std::make_shared<PairLists>(PairLists{pairs, pairs});
    }
  }

  // What a converter of landed pages makes of bytes that are no page of its source format.
  void converted() {
    const auto usable = [](const auto& known) { return !known.first->key_only(); };
    for (const auto& source : placings_) {
      if (!usable(source) || !rows_of_both_sides(*source.first)) continue;
      for (const auto& target : placings_) {
        if (!usable(target) || target.first->regions != page::Regions::planes) continue;
        const auto then =
            std::make_shared<const std::vector<std::uint32_t>>(conversion(source.second, target.second));
        for (const Arrangement arrangement : arrangements()) {
          Placing twice = target.second;
          twice.then = then;
          add(*target.first, twice, arrangement, Accident::converted_twice,
              fmt::format("converted twice from {}", source.first->tag));
          if (scene_.reference->format->regions != page::Regions::page) continue;
          Placing misread = scene_.reference_placing;
          if (same_positions(misread, source.second, Side::key)) continue;
          misread.then = then;
          add(*target.first, misread, arrangement, Accident::misread,
              fmt::format("from {} pages read as {}", scene_.reference->format->tag, source.first->tag));
        }
      }
    }
  }

  const Scene& scene_;
  std::span<const page::PageFormat> formats_;
  std::shared_ptr<const PairLists> pairs_;
  std::vector<std::pair<const page::PageFormat*, Placing>> placings_;  // one of each order
  Candidates out_;
};

}  // namespace

std::string_view name(Accident accident) {
  constexpr std::string_view kNames[] = {
      "none",           "other_tokens",     "other_granule",    "other_elements",  "planes_exchanged",
      "data_exchanged", "orders_exchanged", "halves_exchanged", "landed",          "converted_twice",
      "misread",        "blocks_moved",     "block_stride",     "foreign_strides", "head_term_missing"};
  return kNames[static_cast<std::size_t>(accident)];
}

Candidates enumerate(const Scene& scene, std::span<const page::PageFormat> formats) {
  return Enumeration(scene, formats).all();
}

bool same_bytes(const Candidate& a, const Candidate& b, Side side, const Scene& scene) {
  if (a.placing.slot_bytes == 0 || b.placing.slot_bytes == 0) return false;
  const bool one_to_one = a.grouping.file_tokens == b.grouping.file_tokens;
  if (one_to_one && a.pairs != b.pairs) return false;
  if (one_to_one && (a.arrangement == b.arrangement || scene.file_blocks == 1)) {
    return same_positions(a.placing, b.placing, side);
  }
  if (one_to_one) return false;
  if (a.accident == Accident::blocks_moved || b.accident == Accident::blocks_moved) return false;
  if (!a.placing.of(side).present || !b.placing.of(side).present) return false;
  // Over a run of tokens that is whole blocks of both; every further run lies as far on in both.
  const std::uint64_t run = std::max(a.grouping.group_tokens(), b.grouping.group_tokens());
  const std::uint64_t row_bytes = a.placing.row_atoms() * a.placing.atom_bytes;
  const auto address = [&](const Candidate& c, std::uint64_t h, std::uint64_t token, std::uint64_t byte) {
    const Placing& at = c.placing;
    const std::uint64_t blocks = scene.file->bytes() / (2 * at.slot_bytes);
    const std::uint64_t position =
        at.position(side, h, token % c.grouping.file_tokens, byte / at.atom_bytes) + byte % at.atom_bytes;
    return slot_number(c.arrangement, blocks, token / c.grouping.file_tokens, position / at.slot_bytes) *
               at.slot_bytes +
           position % at.slot_bytes;
  };
  for (std::uint64_t h = 0; h < scene.shape().heads; ++h) {
    for (std::uint64_t token = 0; token < run; ++token) {
      for (std::uint64_t byte = 0; byte < row_bytes; ++byte) {
        if (address(a, h, token, byte) != address(b, h, token, byte)) return false;
      }
    }
  }
  return true;
}

}  // namespace pageproof::reports
