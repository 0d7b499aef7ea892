#include "reports/identify/measure.hpp"

#include <algorithm>
#include <random>

namespace pageproof::reports {
namespace {

std::uint64_t fingerprint(const std::vector<SlotMoves>& moves) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&](std::uint64_t word) { hash = (hash ^ word) * 0x100000001b3 + (hash >> 29); };
  for (const SlotMoves& block : moves) {
    for (const MoveList& list : block) {
      mix(list.unit_bytes);
      mix(list.moves.size());
      for (const Move& move : list.moves) mix(std::uint64_t{move.file} << 32 | move.reference);
    }
  }
  return hash;
}

}  // namespace

Measure::Measure(const Scene& scene) : scene_(scene) {
  std::mt19937_64 random(20240817);
  for (std::size_t i = 0; i < kSamples; ++i) samples_.push_back({random(), random(), random(), random()});
}

const std::vector<std::uint32_t>& Measure::telling(const std::shared_ptr<const PairLists>& pairs, Side side) {
  const auto [found, fresh] = telling_.try_emplace({pairs.get(), side});
  if (!fresh) return found->second;
  kept_.push_back(pairs);
  const std::vector<BlockPair>& list = (*pairs)[static_cast<std::size_t>(side)];
  const auto uniform = [&](std::uint64_t block) {
    return scene_.reference_slots[2 * block].uniform && scene_.reference_slots[2 * block + 1].uniform;
  };
  for (std::uint32_t i = 0; i < list.size(); ++i) {
    if (!uniform(list[i].reference)) found->second.push_back(i);
  }
  for (std::uint32_t i = 0; found->second.empty() && i < list.size(); ++i) found->second.push_back(i);
  return found->second;
}

void Measure::sample(Candidate& candidate) {
  const Placing& at = candidate.placing;
  const Placing& from = scene_.reference_placing;
  const Grouping& grouping = candidate.grouping;
  const std::uint64_t row_bytes = at.row_atoms() * at.atom_bytes;
  const std::uint64_t file_blocks = scene_.file->bytes() / (2 * at.slot_bytes);
  const auto byte_of = [](const DumpedPages& pool, Arrangement arrangement, std::uint64_t blocks,
                          std::uint64_t slot_bytes, std::uint64_t block, std::uint64_t position) {
    return slot_start(pool, arrangement, blocks, slot_bytes, block,
                      position / slot_bytes)[position % slot_bytes];
  };
  for (const Side side : {Side::key, Side::value}) {
    Finding& finding = candidate.of(side);
    const std::vector<BlockPair>& pairs = (*candidate.pairs)[static_cast<std::size_t>(side)];
    if (!at.of(side).present || !from.of(side).present || pairs.empty()) continue;
    finding.judged = true;
    const std::vector<std::uint32_t>& blocks = telling(candidate.pairs, side);
    for (const Sample& sample : samples_) {
      const std::uint64_t index = blocks[sample.block % blocks.size()];
      const BlockPair pair = pairs[index - index % grouping.file_blocks()];
      const std::uint64_t head = sample.head % at.of(side).head.size();
      const std::uint64_t token = sample.token % grouping.group_tokens();
      const std::uint64_t byte = sample.byte % row_bytes;
      const std::uint64_t position =
          at.position(side, head, token % grouping.file_tokens, byte / at.atom_bytes) + byte % at.atom_bytes;
      const std::uint64_t origin =
          from.position(side, head, token % grouping.reference_tokens, byte / from.atom_bytes) +
          byte % from.atom_bytes;
      const std::byte got = byte_of(*scene_.file, candidate.arrangement, file_blocks, at.slot_bytes,
                                    pair.file + token / grouping.file_tokens, position);
      const std::byte expected =
          byte_of(scene_.reference->pool, scene_.reference_arrangement, scene_.reference_blocks,
                  from.slot_bytes, pair.reference + token / grouping.reference_tokens, origin);
      ++finding.count.tested;
      finding.count.in_place += got == expected;
    }
  }
}

void Measure::count(Candidate& candidate, Side side) {
  Finding& finding = candidate.of(side);
  const Placing& at = candidate.placing;
  const Grouping& grouping = candidate.grouping;
  const std::vector<SlotMoves> moves = moves_of(at, scene_.reference_placing, grouping, side);
  const std::vector<std::uint64_t> key{
      reinterpret_cast<std::uintptr_t>(candidate.pairs.get()), static_cast<std::uint64_t>(side),
      static_cast<std::uint64_t>(candidate.arrangement), at.slot_bytes, fingerprint(moves)};
  if (const auto known = counted_.find(key); known != counted_.end()) {
    finding = known->second;
    return;
  }
  kept_.push_back(candidate.pairs);

  const std::vector<BlockPair>& pairs = (*candidate.pairs)[static_cast<std::size_t>(side)];
  const std::uint64_t file_blocks = scene_.file->bytes() / (2 * at.slot_bytes);
  // One value throughout both: wherever bytes move, they are in place.
  const std::uint64_t run = scene_.shape().side_bytes();
  const auto nothing_to_compare = [&](const BlockPair& pair, std::size_t slot, const MoveList& list) {
    const std::uint64_t begin =
        slot_number(candidate.arrangement, file_blocks, pair.file, slot) * at.slot_bytes;
    const Uniform& value = scene_.file_slots[begin / run];
    const bool whole_elements =
        list.unit_bytes >= scene_.shape().element_bytes || (value.value >> 8) == (value.value & 0xff);
    if (!value.uniform || !whole_elements) return false;
    for (std::uint64_t n = begin / run; n * run < begin + at.slot_bytes; ++n) {
      if (scene_.file_slots[n] != value) return false;
    }
    for (std::uint64_t n = 0; n < 2 * grouping.reference_blocks(); ++n) {
      if (scene_.reference_slots[2 * pair.reference + n] != value) return false;
    }
    return true;
  };
  std::vector<Count> parts(scene_.threads);
  in_parallel(pairs.size(), scene_.threads, [&](std::uint64_t begin, std::uint64_t end, std::uint32_t part) {
    ReferenceBlocks reference(scene_);
    for (std::uint64_t i = begin; i < end; ++i) {
      const BlockPair& pair = pairs[i];
      for (std::size_t slot = 0; slot < 2; ++slot) {
        const MoveList& list = moves[pair.file % moves.size()][slot];
        if (list.moves.empty()) continue;
        if (nothing_to_compare(pair, slot, list)) {
          parts[part].tested += list.bytes();
          parts[part].in_place += list.bytes();
          continue;
        }
        const std::byte* file_slot =
            slot_start(*scene_.file, candidate.arrangement, file_blocks, at.slot_bytes, pair.file, slot);
        Mismatch where;
        where.file_block = pair.file;
        where.slot = slot;
        where.reference_block = pair.reference;
        compare(list, file_slot, reference.at(pair.reference, grouping.reference_blocks()), where,
                parts[part]);
      }
    }
  });
  finding.all_bytes = true;
  finding.count = {};
  for (const Count& part : parts) finding.count.add(part);
  counted_.emplace(key, finding);
}

}  // namespace pageproof::reports
