#include "reports/identify/moved.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>

namespace pageproof::reports {
namespace {

template <class Element>
std::uint64_t sum_of(const std::byte* bytes, std::uint64_t size) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < size; i += sizeof(Element)) {
    Element element;
    std::memcpy(&element, bytes + i, sizeof(Element));
    std::uint64_t mixed = (element + std::uint64_t{1}) * 0x9e3779b97f4a7c15;
    mixed ^= mixed >> 32;
    sum += mixed * 0xd6e8feb86659fd93;
  }
  return sum;
}

std::uint64_t sum_of(const std::byte* bytes, std::uint64_t size, std::uint64_t element_bytes) {
  return element_bytes == 1 ? sum_of<std::uint8_t>(bytes, size) : sum_of<std::uint16_t>(bytes, size);
}

// By 2 · position + side, of the reference; by slot number, of the dump.
struct Sums {
  std::vector<std::uint64_t> reference;
  std::vector<std::uint64_t> file;
};

Sums sums(const Scene& scene) {
  Sums sums{std::vector<std::uint64_t>(2 * scene.reference_blocks),
            std::vector<std::uint64_t>(2 * scene.file_blocks)};
  const std::uint64_t e = scene.shape().element_bytes;
  const std::uint64_t slot_bytes = scene.shape().side_bytes();
  const Grouping same{scene.shape().tokens, scene.shape().tokens};
  std::array<SlotMoves, 2> own;
  for (const Side side : {Side::key, Side::value}) {
    if (!scene.reference_placing.of(side).present) continue;
    own[static_cast<std::size_t>(side)] =
        moves_of(scene.reference_placing, scene.reference_placing, same, side)[0];
  }
  in_parallel(scene.reference_blocks, scene.threads,
              [&](std::uint64_t begin, std::uint64_t end, std::uint32_t) {
                ReferenceBlocks reference(scene);
                for (std::uint64_t j = begin; j < end; ++j) {
                  const std::byte* block = reference.at(j);
                  for (std::size_t side = 0; side < 2; ++side) {
                    for (const MoveList& list : own[side]) {
                      for (const Move& move : list.moves) {
                        sums.reference[2 * j + side] += sum_of(block + move.reference, list.unit_bytes, e);
                      }
                    }
                  }
                }
              });
  in_parallel(sums.file.size(), scene.threads, [&](std::uint64_t begin, std::uint64_t end, std::uint32_t) {
    for (std::uint64_t n = begin; n < end; ++n) {
      sums.file[n] = sum_of(numbered_slot(*scene.file, scene.file_blocks, slot_bytes, n), slot_bytes, e);
    }
  });
  return sums;
}

struct Found {
  std::vector<BlockPair> pairs;
  std::uint64_t moved = 0;  // blocks found under another id than their own
  std::uint64_t twins = 0;  // blocks of the dump that fit several of the reference
};

// For each block of the dump the block of the reference with its sum: its own where that fits, else one that
// no other block has taken; its own too where none fits.
Found find_blocks(const Scene& scene, std::span<const std::uint64_t> file,
                  std::span<const std::uint64_t> reference) {
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> with_sum;
  for (std::uint64_t j = 0; j < reference.size(); ++j) with_sum[reference[j]].push_back(j);
  std::vector<std::uint64_t> own(file.size(), UINT64_MAX);
  for (const BlockPair& pair : scene.pairs) own[pair.file] = pair.reference;
  std::vector<bool> taken(reference.size());
  for (std::uint64_t i = 0; i < file.size(); ++i) {
    if (own[i] != UINT64_MAX && reference[own[i]] == file[i]) taken[own[i]] = true;
  }
  Found found;
  for (std::uint64_t i = 0; i < file.size(); ++i) {
    std::uint64_t chosen = own[i];
    const auto fitting = with_sum.find(file[i]);
    if (fitting != with_sum.end()) {
      found.twins += fitting->second.size() > 1;
      if (chosen == UINT64_MAX || reference[chosen] != file[i]) {
        const auto free = std::ranges::find_if(fitting->second, [&](std::uint64_t j) { return !taken[j]; });
        chosen = free != fitting->second.end() ? *free : fitting->second.front();
        taken[chosen] = true;
        ++found.moved;
      }
    }
    if (chosen != UINT64_MAX) found.pairs.push_back({i, chosen});
  }
  return found;
}

std::string described(const Scene& scene, const Found& found) {
  const auto ids = [&](const BlockPair& pair) {
    return std::pair(scene.file->block_id(pair.file), scene.reference->pool.block_id(pair.reference));
  };
  std::map<std::int64_t, std::uint64_t> shifts;
  std::string first;
  for (const BlockPair& pair : found.pairs) {
    const auto [file, reference] = ids(pair);
    ++shifts[static_cast<std::int64_t>(reference - file)];
    if (first.empty() && file != reference) {
      first = fmt::format("block {} of the file holds block {} of the reference", file, reference);
    }
  }
  std::string text = fmt::format("block ids permuted: {} of {} blocks are elsewhere, {}", found.moved,
                                 found.pairs.size(), first);
  const auto most = std::ranges::max_element(shifts, {}, [](const auto& entry) { return entry.second; });
  // A shift leaves over only what falls off the pool's end or comes round at its beginning.
  const std::uint64_t rest = found.pairs.size() - most->second;
  if (most->first != 0 && rest < most->second && rest <= static_cast<std::uint64_t>(std::abs(most->first))) {
    text = fmt::format("block ids shifted: block b of the file holds block b {} {} of the reference",
                       most->first < 0 ? "-" : "+", std::abs(most->first));
  }
  if (found.twins != 0) {
    text +=
        fmt::format(" ({} blocks fit several of the reference, which hold the same elements)", found.twins);
  }
  return text;
}

}  // namespace

std::vector<Candidate> moved_candidates(const Scene& scene, std::span<const Candidate> known) {
  const Sums all = sums(scene);
  std::vector<Candidate> out;
  std::map<std::pair<Arrangement, bool>, std::pair<std::shared_ptr<const PairLists>, std::string>> lists;
  const auto list_for = [&](Arrangement arrangement, bool sides_apart) {
    const auto [entry, fresh] = lists.try_emplace({arrangement, sides_apart});
    if (!fresh) return entry->second;
    std::array<std::vector<std::uint64_t>, 2> file, reference;
    for (std::uint64_t i = 0; i < scene.file_blocks; ++i) {
      for (std::size_t slot = 0; slot < 2; ++slot) {
        file[slot].push_back(all.file[slot_number(arrangement, scene.file_blocks, i, slot)]);
      }
    }
    for (std::uint64_t j = 0; j < scene.reference_blocks; ++j) {
      for (std::size_t side = 0; side < 2; ++side) reference[side].push_back(all.reference[2 * j + side]);
    }
    if (!sides_apart) {
      for (std::size_t i = 0; i < file[0].size(); ++i) file[0][i] = file[1][i] = file[0][i] + file[1][i];
      for (std::size_t j = 0; j < reference[0].size(); ++j) {
        reference[0][j] = reference[1][j] = reference[0][j] + reference[1][j];
      }
    }
    const Found keys = find_blocks(scene, file[0], reference[0]);
    const Found values = find_blocks(scene, file[1], reference[1]);
    if (keys.moved + values.moved == 0) return entry->second;
    const auto equal = [](const BlockPair& a, const BlockPair& b) {
      return a.file == b.file && a.reference == b.reference;
    };
    std::string text;
    if (std::ranges::equal(keys.pairs, values.pairs, equal)) {
      text = described(scene, keys);
    } else {
      if (keys.moved != 0) text = "K: " + described(scene, keys);
      if (values.moved != 0) text += (text.empty() ? "V: " : "; V: ") + described(scene, values);
    }
    entry->second = {std::make_shared<PairLists>(PairLists{keys.pairs, values.pairs}), text};
    return entry->second;
  };
  std::vector<const Candidate*> tried;
  for (const Candidate& candidate : known) {
    if (candidate.accident != Accident::none) continue;
    const bool again = std::ranges::any_of(tried, [&](const Candidate* other) {
      return same_bytes(*other, candidate, Side::key, scene) &&
             same_bytes(*other, candidate, Side::value, scene);
    });
    if (again) continue;
    tried.push_back(&candidate);
    const auto [pairs, text] = list_for(candidate.arrangement, slots_are_sides(candidate.placing));
    if (pairs == nullptr) continue;
    Candidate moved = candidate;
    moved.accident = Accident::blocks_moved;
    moved.words = candidate.format->tag + ", " + text;
    moved.pairs = pairs;
    moved.found = {};
    out.push_back(std::move(moved));
  }
  return out;
}

}  // namespace pageproof::reports
