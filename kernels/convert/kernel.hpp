// The kernel, as two phases with a barrier between them:
//
//   load    every work-item reads its tiles, transposes those of V, and puts them into the stage in the order
//   of
//           the shuffled planes (in_place_held: the tiles of the last heads stay in its registers)
//   store   the workgroup copies the stage to the planes, granule after granule, and stores the held tiles
//
// GPUs run the phases with one barrier (entry.hpp), the CPU as plain loops with a workgroup of one (cpu.cpp),
// the fibers as work-items in random order (fibers/). In place a workgroup owns a whole page, and nothing of
// it is written before the barrier.
#pragma once

#include "kernels/convert/arguments.hpp"
#include "kernels/convert/geometry.hpp"

namespace pageproof::convert {

// Bytes of a page that a work-item carries across the barrier in its registers, in_place_held.
inline constexpr uint32_t kHeldBytes = 256;

struct WorkItem {
  uint32_t index;  // in its workgroup
  uint32_t count;  // work-items of the workgroup
};

// The heads that one workgroup converts: `staged` heads from `first` on, then `held` heads.
struct Heads {
  uint32_t first;
  uint32_t staged;
  uint32_t held;
};

template <class G_, class Target_, Mode kMode_>
struct Kernel {
  using G = G_;
  using Target = Target_;
  using Granule = typename Target::Granule;
  static constexpr Mode kMode = kMode_;
  static constexpr bool kInPlace = kMode != Mode::out_of_place;
  static constexpr uint32_t kHeldTiles = kMode == Mode::in_place_held ? kHeldBytes / G::kTileBytes : 0;

  struct Held {
    Granule tile[kHeldTiles > 0 ? kHeldTiles : 1][G::kTileRows];
  };

  PAGEPROOF_INLINE static uint64_t side_bytes(uint32_t heads) {
    return static_cast<uint64_t>(heads) * G::kHeadGranules * 16;
  }

  PAGEPROOF_INLINE static Heads heads_of(const Arguments& job, uint32_t group) {
    if constexpr (kInPlace) {
      const uint32_t staged = job.staged_heads < job.heads ? job.staged_heads : job.heads;
      return {0, staged, kMode == Mode::in_place_held ? job.heads - staged : 0};
    }
    const uint32_t first = group * job.staged_heads;
    const uint32_t left = job.heads - first;
    return {first, left < job.staged_heads ? left : job.staged_heads, 0};
  }

  // Out of place without a stage, and so without a barrier: each tile goes straight to its plane. For targets
  // that gain nothing from storing consecutive granules side by side.
  PAGEPROOF_INLINE static void move(const Place& place, uint32_t heads, const Heads& mine, WorkItem item) {
    static_assert(!kInPlace);
    const uint32_t first = mine.first * G::kHeadTiles;
    for (uint32_t i = item.index; i < mine.staged * G::kHeadTiles; i += item.count) {
      const Tile<G> tile(first + i);
      Target::expect(source(place, heads, (first + i) * G::kTileRows), G::kTileBytes);
      Granule granules[G::kTileRows];
      read(place, heads, tile, granules);
      write(place, tile, granules);
    }
  }

  PAGEPROOF_INLINE static void load(const Place& place, uint32_t heads, const Heads& mine, WorkItem item,
                                    Granule* stage, Held& held) {
    const uint32_t first = mine.first * G::kHeadTiles;
    for (uint32_t i = item.index; i < mine.staged * G::kHeadTiles; i += item.count) {
      const Tile<G> tile(first + i);
      Target::expect(source(place, heads, (first + i) * G::kTileRows), G::kTileBytes);
      Granule granules[G::kTileRows];
      read(place, heads, tile, granules);
      const uint32_t side = tile.is_value ? mine.staged : 0;
      const uint32_t target = (side + tile.head - mine.first) * G::kHeadGranules + tile.target;
      PAGEPROOF_UNROLL
      for (uint32_t r = 0; r < G::kTileRows; ++r) stage[Target::slot(target + r)] = granules[r];
    }
    if constexpr (kHeldTiles > 0) {
      PAGEPROOF_UNROLL
      for (uint32_t q = 0; q < kHeldTiles; ++q) {
        const uint32_t i = item.index + q * item.count;
        if (i >= mine.held * G::kHeadTiles) continue;
        read(place, heads, Tile<G>(mine.staged * G::kHeadTiles + i), held.tile[q]);
      }
    }
  }

  PAGEPROOF_INLINE static void store(const Place& place, const Heads& mine, WorkItem item,
                                     const Granule* stage, const Held& held) {
    const uint32_t side_granules = mine.staged * G::kHeadGranules;
    unsigned char* k = place.k + side_bytes(mine.first);
    unsigned char* v = place.v + side_bytes(mine.first);
    for (uint32_t i = item.index; i < side_granules; i += item.count) {
      Target::store(k + static_cast<uint64_t>(i) * 16, stage[Target::slot(i)]);
    }
    for (uint32_t i = item.index; i < side_granules; i += item.count) {
      Target::store(v + static_cast<uint64_t>(i) * 16, stage[Target::slot(side_granules + i)]);
    }
    if constexpr (kHeldTiles > 0) {
      PAGEPROOF_UNROLL
      for (uint32_t q = 0; q < kHeldTiles; ++q) {
        const uint32_t i = item.index + q * item.count;
        if (i < mine.held * G::kHeadTiles)
          write(place, Tile<G>(mine.staged * G::kHeadTiles + i), held.tile[q]);
      }
    }
  }

 private:
  // In place the page is cut after its first half, which lies inside a tile only where x tokens are no
  // divisor of N/2 (and the head count is odd).
  static constexpr bool kCutInTile = kInPlace && G::kTokens / 2 % G::kTileRows != 0;

  PAGEPROOF_INLINE static unsigned char* source(const Place& place, uint32_t heads, uint32_t granule) {
    const uint32_t half = heads * G::kHeadGranules;
    const bool second = kInPlace && granule >= half;
    return (second ? place.second_half : place.first_half) + uint64_t{second ? granule - half : granule} * 16;
  }

  // One tile, transposed if it is of V.
  PAGEPROOF_INLINE static void read(const Place& place, uint32_t heads, const Tile<G>& tile,
                                    Granule (&granules)[G::kTileRows]) {
    unsigned char* first = source(place, heads, tile.source);
    PAGEPROOF_UNROLL
    for (uint32_t r = 0; r < G::kTileRows; ++r) {
      const uint32_t granule = r * G::kRowGranules;
      granules[r] =
          Target::load(kCutInTile ? source(place, heads, tile.source + granule) : first + granule * 16);
    }
    if (tile.is_value) Target::transpose(granules);
  }

  // One tile, to the planes.
  PAGEPROOF_INLINE static void write(const Place& place, const Tile<G>& tile,
                                     const Granule (&granules)[G::kTileRows]) {
    unsigned char* plane = tile.is_value ? place.v : place.k;
    unsigned char* target = plane + (side_bytes(tile.head) + static_cast<uint64_t>(tile.target) * 16);
    PAGEPROOF_UNROLL
    for (uint32_t r = 0; r < G::kTileRows; ++r) Target::store(target + r * 16, granules[r]);
  }
};

// A work-item's whole life. `Item` knows its place in the launch and what a barrier is.
template <class Kernel, class Item>
PAGEPROOF_INLINE void run_work_item(const Arguments& job, Item item) {
  Place place;
  if (!locate<Kernel::kInPlace>(job, item.block_index(), item.layer(), Kernel::side_bytes(job.heads), place))
    return;
  const Heads mine = Kernel::heads_of(job, item.head_group());
  auto* stage = static_cast<typename Kernel::Granule*>(item.stage());
  typename Kernel::Held held;
  Kernel::load(place, job.heads, mine, item.work_item(), stage, held);
  item.barrier();
  Kernel::store(place, mine, item.work_item(), stage, held);
}

}  // namespace pageproof::convert
