// The kernel, as two phases with a barrier between them:
//
//   load    every work-item reads its tiles, transposes those of V, and puts them into the stage in the order
//           of the shuffled planes (in_place_held: the tiles of the last heads stay in its registers)
//   store   the stage is copied to the planes, granule after granule; held tiles go through the stage as well
//
// GPUs run the phases with a barrier (entry.hpp), the CPU as plain loops with one work-item (host.cpp), the
// fibers as work-items in random order (fibers/).
//
// A team is the work-items that convert one block together, or some of its heads. A workgroup is one team, or
// several where blocks are small. In place nothing of a page is written before the barrier: all of its teams
// meet there, those of one cluster of workgroups where a page is larger than a stage.
#pragma once

#include "kernels/convert/arguments.hpp"
#include "kernels/convert/geometry.hpp"

namespace pageproof::convert {

// Bytes of a page that a work-item carries across the barrier in its registers, in_place_held.
inline constexpr uint32_t kHeldBytes = 256;

struct WorkItem {
  uint32_t index;  // in its team
  uint32_t count;  // work-items of the team
};

// The heads that one team converts: `staged` heads from `first` on, then `held` heads.
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
    const uint32_t first = group * job.staged_heads;
    const uint32_t left = job.heads - first;
    const uint32_t staged = left < job.staged_heads ? left : job.staged_heads;
    return {first, staged, kMode == Mode::in_place_held ? left - staged : 0};
  }

  // What a team reads, as f(first byte, bytes): one run, or two where the page is cut within.
  template <class F>
  PAGEPROOF_INLINE static void for_each_run(const Place& place, uint32_t heads, const Heads& mine, F f) {
    const uint64_t begin = 2 * side_bytes(mine.first), end = begin + 2 * side_bytes(mine.staged);
    const uint64_t cut = kInPlace ? side_bytes(heads) : end;
    const uint64_t first_end = end < cut ? end : cut;
    const uint64_t second_begin = begin > cut ? begin : cut;
    if (begin < first_end) f(place.first_half + begin, first_end - begin);
    if (second_begin < end) f(place.second_half + (second_begin - cut), end - second_begin);
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
      put(mine, tile, granules, stage);
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
                                     const Granule* stage) {
    const uint32_t side_granules = mine.staged * G::kHeadGranules;
    unsigned char* k = place.k + side_bytes(mine.first);
    unsigned char* v = place.v + side_bytes(mine.first);
    for (uint32_t i = item.index; i < side_granules; i += item.count) {
      Target::store(k + static_cast<uint64_t>(i) * 16, stage[Target::slot(i)]);
    }
    for (uint32_t i = item.index; i < side_granules; i += item.count) {
      Target::store(v + static_cast<uint64_t>(i) * 16, stage[Target::slot(side_granules + i)]);
    }
  }

  // The held tiles of `mine`'s staged heads, into the stage. Tile q of a work-item is that of load.
  PAGEPROOF_INLINE static void put_held(uint32_t first_held, const Heads& mine, WorkItem item,
                                        const Held& held, Granule* stage) {
    PAGEPROOF_UNROLL
    for (uint32_t q = 0; q < kHeldTiles; ++q) {
      const Tile<G> tile(first_held * G::kHeadTiles + item.index + q * item.count);
      if (tile.head - mine.first < mine.staged) put(mine, tile, held.tile[q], stage);
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

  // One tile, to the stage: K of `mine`'s staged heads, then V of them.
  PAGEPROOF_INLINE static void put(const Heads& mine, const Tile<G>& tile,
                                   const Granule (&granules)[G::kTileRows], Granule* stage) {
    const uint32_t side = tile.is_value ? mine.staged : 0;
    const uint32_t target = (side + tile.head - mine.first) * G::kHeadGranules + tile.target;
    PAGEPROOF_UNROLL
    for (uint32_t r = 0; r < G::kTileRows; ++r) stage[Target::slot(target + r)] = granules[r];
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

// The held heads, after the staged ones: through the stage, as many at a time as it has room for.
template <class Kernel, class Item>
PAGEPROOF_INLINE void store_held(const Place& place, const Heads& mine, Item item,
                                 const typename Kernel::Held& held, typename Kernel::Granule* stage) {
  const uint32_t end = mine.staged + mine.held;
  for (uint32_t first = mine.staged; first < end; first += mine.staged) {
    const uint32_t left = end - first;
    const Heads next{first, left < mine.staged ? left : mine.staged, 0};
    item.stage_barrier();
    Kernel::put_held(mine.staged, next, item.work_item(), held, stage);
    item.stage_barrier();
    Kernel::store(place, next, item.work_item(), stage);
  }
}

// A work-item's whole life. `Item` knows its place in the launch and what a barrier is: barrier() is that of
// the page, whose loads are done before any store; stage_barrier() orders the workgroup's stage alone;
// fetch_ahead() may warm a cache for workgroups that start later. A team
// whose block is skipped still meets the others of its workgroup at the barrier.
template <class Kernel, class Item>
PAGEPROOF_INLINE void run_work_item(const Arguments& job, Item item) {
  item.template fetch_ahead<Kernel>(job);
  Place place{};
  const bool found =
      locate<Kernel::kInPlace>(job, item.block_index(), item.layer(), Kernel::side_bytes(job.heads), place);
  const Heads mine = Kernel::heads_of(job, item.head_group());
  auto* stage = static_cast<typename Kernel::Granule*>(item.stage()) +
                item.team() * (2 * job.staged_heads * Kernel::G::kHeadGranules);
  typename Kernel::Held held;
  if (found) Kernel::load(place, job.heads, mine, item.work_item(), stage, held);
  item.barrier();
  if (!found) return;
  Kernel::store(place, mine, item.work_item(), stage);
  if constexpr (Kernel::kMode == Mode::in_place_held) store_held<Kernel>(place, mine, item, held, stage);
}

}  // namespace pageproof::convert
