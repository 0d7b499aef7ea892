#include "reports/identify/overlay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "reports/identify/stores.hpp"
#include "reports/identify/strides.hpp"

namespace pageproof::reports {
namespace {

constexpr std::size_t kProbes = 6;

class Overlays {
 public:
  Overlays(const Scene& scene, std::span<const Candidate> known) : scene_(scene) {
    reference_of_.assign(scene.file_blocks, kNoBlock);
    for (const BlockPair& pair : scene.pairs) reference_of_[pair.file] = pair.reference;
    for (const Candidate& candidate : known) {
      if (candidate.accident != Accident::none) continue;
      const bool again = std::ranges::any_of(formats_, [&](const Candidate* other) {
        return same_bytes(*other, candidate, Side::key, scene) &&
               same_bytes(*other, candidate, Side::value, scene);
      });
      if (!again) formats_.push_back(&candidate);
    }
  }

  std::vector<Candidate> all() {
    for (const Candidate* format : formats_) {
      for (const Side side : {Side::key, Side::value}) {
        SlotMoves& own = own_[static_cast<std::size_t>(side)];
        own = {};
        if (!format->placing.of(side).present) continue;
        own = moves_of(format->placing, scene_.reference_placing, format->grouping, side)[0];
      }
      for (const Side side : {Side::key, Side::value}) head_term_missing(*format, side);
      if (format->format->regions != page::Regions::planes || format->format->key_only()) continue;
      // The arrangement is what a stride gets wrong: one pass a format is enough.
      const bool first = format->arrangement != Arrangement::one_after_another;
      if (first) block_strides(*format);
      foreign_rows_read(*format);
      if (format->arrangement == Arrangement::side_by_side) foreign_rows_written(*format);
    }
    return std::move(out_);
  }

 private:
  static constexpr std::uint64_t kNoBlock = UINT64_MAX;

  std::pair<std::uint64_t, std::size_t> block_and_slot(Arrangement arrangement, std::uint64_t number) const {
    if (arrangement == Arrangement::side_by_side) return {number / 2, number % 2};
    return {number % scene_.file_blocks, number / scene_.file_blocks};
  }

  // What the format itself, without an accident, stores in the slot of that number.
  std::vector<Store> own_stores(Arrangement arrangement, std::uint64_t number) const {
    std::vector<Store> stores;
    const auto [block, slot] = block_and_slot(arrangement, number);
    for (const Side side : {Side::key, Side::value}) {
      const MoveList& list = own_[static_cast<std::size_t>(side)][slot];
      if (list.moves.empty() || reference_of_[block] == kNoBlock) continue;
      stores.push_back({&list, reference_of_[block], side});
    }
    return stores;
  }

  Outcome judge(const Candidate& format, const StoresOf& stores_of, std::span<const std::uint64_t> slots,
                std::uint32_t threads) {
    std::vector<Outcome> parts(threads);
    const std::uint64_t slot_bytes = scene_.shape().side_bytes();
    in_parallel(slots.size(), threads, [&](std::uint64_t begin, std::uint64_t end, std::uint32_t part) {
      ReferenceBlocks reference(scene_);
      std::vector<std::uint8_t> marks(slot_bytes);
      for (std::uint64_t i = begin; i < end; ++i) {
        const std::vector<Store> stores = stores_of(slots[i]);
        if (stores.empty()) continue;
        judge_slot(numbered_slot(*scene_.file, scene_.file_blocks, slot_bytes, slots[i]), stores,
                   own_stores(format.arrangement, slots[i]), reference, marks, parts[part]);
      }
    });
    Outcome outcome;
    for (const Outcome& part : parts) outcome.add(part);
    return outcome;
  }

  // Adds the accident if it holds: a few slots first, then all.
  void consider(const Candidate& format, Accident accident, const std::string& what,
                const StoresOf& stores_of, const std::function<std::string(const Outcome&)>& detail = {}) {
    std::vector<std::uint64_t> slots, telling;
    for (std::uint64_t n = 0; n < scene_.file_slots.size(); ++n) {
      if (stores_of(n).empty()) continue;
      slots.push_back(n);
      if (!scene_.file_slots[n].uniform) telling.push_back(n);
    }
    if (telling.empty()) return;
    std::vector<std::uint64_t> probes;
    for (std::size_t i = 0; i < std::min(kProbes, telling.size()); ++i) {
      probes.push_back(telling[i * telling.size() / std::min(kProbes, telling.size())]);
    }
    if (!judge(format, stores_of, probes, 1).holds()) return;
    const Outcome outcome = judge(format, stores_of, slots, scene_.threads);
    if (!outcome.holds()) return;
    Candidate candidate{.format = format.format,
                        .accident = accident,
                        .words = format.format->tag + ", " + what,
                        .arrangement = format.arrangement,
                        .grouping = format.grouping,
                        .placing = {},
                        .pairs = format.pairs};
    for (std::size_t side = 0; side < 2; ++side) {
      const Count& count = outcome.count[side];
      candidate.found[side] = {.judged = count.tested > 0, .all_bytes = true, .count = count};
    }
    candidate.upon_each_other = accident != Accident::head_term_missing;
    candidate.written = static_cast<double>(outcome.count[0].tested + outcome.count[1].tested) /
                        static_cast<double>(scene_.file->bytes());
    if (detail) candidate.detail = detail(outcome);
    out_.push_back(std::move(candidate));
  }

  // A format before this one that has the side at the same bytes has answered for it, whatever the answer.
  bool answered_before(const Candidate& format, Side side) {
    const auto self = std::ranges::find(formats_, &format);
    const auto other = std::find_if(formats_.begin(), self, [&](const Candidate* earlier) {
      return same_bytes(*earlier, format, side, scene_);
    });
    if (other == self) return false;
    const auto held = std::ranges::find_if(out_, [&](const Candidate& candidate) {
      return candidate.accident == Accident::head_term_missing && candidate.format == (*other)->format &&
             candidate.arrangement == format.arrangement && candidate.of(side).judged;
    });
    if (held == out_.end()) return true;
    Candidate same = *held;
    same.format = format.format;
    same.words.replace(0, (*other)->format->tag.size(), format.format->tag);
    out_.push_back(std::move(same));
    return true;
  }

  void head_term_missing(const Candidate& format, Side side) {
    const Shape& shape = scene_.shape();
    const Placing& at = format.placing;
    const Placing& from = scene_.reference_placing;
    if (shape.heads == 1 || !at.of(side).present || !from.of(side).present) return;
    if (answered_before(format, side)) return;
    std::vector<SlotMoves> of_head(shape.heads);
    const std::uint64_t atom = at.atom_bytes;
    for (std::uint64_t h = 0; h < shape.heads; ++h) {
      std::array<std::vector<std::uint32_t>, 2> source;
      source.fill(std::vector<std::uint32_t>(at.slot_bytes / atom, kNothing));
      for (std::uint64_t t = 0; t < shape.tokens; ++t) {
        for (std::uint64_t a = 0; a < at.row_atoms(); ++a) {
          const std::uint64_t to = at.position(side, 0, t, a);
          source[to / at.slot_bytes][to % at.slot_bytes / atom] =
              static_cast<std::uint32_t>(from.position(side, h, t, a));
        }
      }
      for (std::size_t slot = 0; slot < 2; ++slot) of_head[h][slot] = moves_from(source[slot], atom);
    }
    const StoresOf stores = [&](std::uint64_t number) {
      std::vector<Store> list;
      const auto [block, slot] = block_and_slot(format.arrangement, number);
      for (std::uint32_t h = 0; h < of_head.size() && reference_of_[block] != kNoBlock; ++h) {
        if (of_head[h][slot].moves.empty()) continue;
        list.push_back({&of_head[h][slot], reference_of_[block], side, h});
      }
      return list;
    };
    consider(format, Accident::head_term_missing,
             fmt::format("the head term missing in the store of {}: every head lies at head 0's place",
                         to_string(side)),
             stores, [](const Outcome& outcome) {
               for (std::size_t h = 0; h < outcome.explained.size(); ++h) {
                 if (outcome.explained[h] != outcome.possible[h]) continue;
                 return fmt::format("head {} is what lies there", h);
               }
               return std::string("different heads lie there in different places");
             });
  }

  void block_strides(const Candidate& format) {
    const std::uint64_t blocks = scene_.file_blocks;
    if (!scene_.numbered_from_zero() || scene_.reference_blocks != blocks || blocks < 2) return;
    for (const WrongStride& wrong : wrong_strides(scene_.file->two_tensors, blocks)) {
      consider(format, Accident::block_stride, wrong.what, [&](std::uint64_t number) {
        std::vector<Store> stores;
        for (const SlotContent& content : wrong.contents(number)) {
          const std::size_t side = static_cast<std::size_t>(content.side);
          stores.push_back(
              {&own_[side][side], content.block, content.side, static_cast<std::uint32_t>(side)});
        }
        return stores;
      });
    }
  }

  // K and V stored as dense planes of that format, into pages: K from the page's first byte, V from its D-th
  // element.
  void foreign_rows_written(const Candidate& format) {
    const std::uint64_t row_bytes = scene_.shape().head_dim * scene_.shape().element_bytes;
    std::array<SlotMoves, 2> of_side;
    for (const Side side : {Side::key, Side::value}) {
      const Placing& at = format.placing;
      std::array<std::vector<std::uint32_t>, 2> source;
      source.fill(std::vector<std::uint32_t>(at.slot_bytes / at.atom_bytes, kNothing));
      const std::uint64_t shift = side == Side::key ? 0 : row_bytes;
      each_atom(at, side, [&](std::uint64_t h, std::uint64_t t, std::uint64_t a) {
        const std::uint64_t to = at.position(side, h, t, a) % at.slot_bytes + shift;
        source[to / at.slot_bytes][to % at.slot_bytes / at.atom_bytes] =
            static_cast<std::uint32_t>(scene_.reference_placing.position(side, h, t, a));
      });
      for (std::size_t slot = 0; slot < 2; ++slot) {
        of_side[static_cast<std::size_t>(side)][slot] = moves_from(source[slot], at.atom_bytes);
      }
    }
    consider(format, Accident::foreign_strides,
             fmt::format("written with its own strides into pages of K‖V rows: K {} from byte 0 of the "
                         "page, V from byte {}, upon each other",
                         bracketed(format.format->key), row_bytes),
             [&](std::uint64_t number) {
               std::vector<Store> stores;
               const std::uint64_t block = reference_of_[number / 2];
               for (const Side side : {Side::key, Side::value}) {
                 const std::uint32_t s = static_cast<std::uint32_t>(side);
                 const MoveList& list = of_side[s][number % 2];
                 if (block != kNoBlock && !list.moves.empty()) stores.push_back({&list, block, side, s});
               }
               return stores;
             });
  }

  // Pages of K‖V rows read as rows [N, H, D] of K from byte 0 and of V from the D-th element, then stored in
  // that format.
  void foreign_rows_read(const Candidate& format) {
    if (scene_.reference->format->regions != page::Regions::page) return;
    const Shape& shape = scene_.shape();
    const std::uint64_t row_bytes = shape.head_dim * shape.element_bytes;
    std::array<SlotMoves, 2> of_side;
    for (const Side side : {Side::key, Side::value}) {
      const Placing& at = format.placing;
      std::array<std::vector<std::uint32_t>, 2> source;
      source.fill(std::vector<std::uint32_t>(at.slot_bytes / at.atom_bytes, kNothing));
      each_atom(at, side, [&](std::uint64_t h, std::uint64_t t, std::uint64_t a) {
        const std::uint64_t to = at.position(side, h, t, a);
        source[to / at.slot_bytes][to % at.slot_bytes / at.atom_bytes] = static_cast<std::uint32_t>(
            (t * shape.heads + h + static_cast<std::uint64_t>(side)) * row_bytes + a * at.atom_bytes);
      });
      for (std::size_t slot = 0; slot < 2; ++slot) {
        of_side[static_cast<std::size_t>(side)][slot] = moves_from(source[slot], at.atom_bytes);
      }
    }
    consider(format, Accident::foreign_strides,
             fmt::format("from {} pages read with the strides of [N, H, D]: token stride H·D, head stride D",
                         scene_.reference->format->tag),
             [&](std::uint64_t number) {
               std::vector<Store> stores;
               const auto [block, slot] = block_and_slot(format.arrangement, number);
               for (const Side side : {Side::key, Side::value}) {
                 const std::uint32_t s = static_cast<std::uint32_t>(side);
                 const MoveList& list = of_side[s][slot];
                 if (reference_of_[block] == kNoBlock || list.moves.empty()) continue;
                 stores.push_back({&list, reference_of_[block], side, s});
               }
               return stores;
             });
  }

  template <class Visit>
  static void each_atom(const Placing& at, Side side, const Visit& visit) {
    for (std::uint64_t h = 0; h < at.of(side).head.size(); ++h) {
      for (std::uint64_t t = 0; t < at.of(side).token.size(); ++t) {
        for (std::uint64_t a = 0; a < at.row_atoms(); ++a) visit(h, t, a);
      }
    }
  }

  const Scene& scene_;
  std::vector<std::uint64_t> reference_of_;
  std::vector<const Candidate*> formats_;
  std::array<SlotMoves, 2> own_;  // of the format at hand, K's and V's
  std::vector<Candidate> out_;
};

}  // namespace

std::vector<Candidate> overlays_that_hold(const Scene& scene, std::span<const Candidate> known) {
  return Overlays(scene, known).all();
}

}  // namespace pageproof::reports
