// The kernel of the other orders, as two phases with a barrier between them. The stage is always in the order
// of the planes:
//
//   to planes   load: tiles of the page, transposed, into the stage    store: the stage, granule after
//   granule to pages    load: the planes, granule after granule                store: tiles of the stage,
//   transposed
//
// A tile is x rows (tokens) of one column of granules, as in geometry.hpp; a page only says how far apart two
// heads and two tokens lie. A page in place that no stage holds is kept as tiles instead (kHeld): each
// work-item reads its own, transposes them, and writes them after the barrier.
#pragma once

#include "kernels/convert/kernel.hpp"
#include "kernels/convert/orders/arguments.hpp"
#include "kernels/convert/orders/rewrite.hpp"

namespace pageproof::convert {

// kStageBytes: of a work-item's tiles, those bytes wait in the stage when the page is held, before the others
// do in registers.
template <class Target_, uint32_t kElementBytes_, bool kHeld_, uint32_t kStageBytes_ = 0>
struct OrderKernel {
  using Target = Target_;
  using Granule = typename Target::Granule;
  static constexpr bool kHeld = kHeld_;
  static constexpr uint32_t kRows = 16 / kElementBytes_;  // x: rows of a tile
  static constexpr uint32_t kLog2Rows = kElementBytes_ == 1 ? 4 : 3;
  static constexpr uint32_t kTileBytes = 16 * kRows;
  static constexpr uint32_t kStageTiles = kStageBytes_ / kTileBytes;
  static constexpr uint32_t kHeldTiles = kHeldTileBytes / kTileBytes;

  struct Block {
    Runs page;
    Runs planes;
    uint32_t first_head;
    uint32_t heads;  // that the workgroup converts
  };
  struct Held {
    Granule tile[kHeld ? kHeldTiles : 1][kRows];
  };
  // Where the first row of a tile lies, in granules.
  struct Tile {
    uint32_t page;   // of the page; a row further is token_step further
    uint32_t plane;  // of its head's side; the next row is the next granule
    uint32_t head;
    bool is_value;
  };

  PAGEPROOF_INLINE static uint32_t head_granules(const OrderArguments& job) {  // of one side of a head
    return 1u << (job.log2_tokens + job.log2_columns - 1);
  }
  PAGEPROOF_INLINE static uint32_t log2_head_tiles(const OrderArguments& job) {
    return job.log2_tokens + job.log2_columns - kLog2Rows;
  }
  PAGEPROOF_INLINE static uint64_t side_bytes(const OrderArguments& job) {
    return uint64_t{job.heads} * head_granules(job) * 16;
  }

  PAGEPROOF_INLINE static bool find(const OrderArguments& job, uint32_t index, uint32_t group, uint32_t layer,
                                    Block& block) {
    block.first_head = group * job.group_heads;
    const uint32_t left = job.heads - block.first_head;
    block.heads = left < job.group_heads ? left : job.group_heads;
    return locate(job, index, layer, side_bytes(job), block.page, block.planes);
  }

  PAGEPROOF_INLINE static void load(const OrderArguments& job, const Block& block, WorkItem item,
                                    Granule* stage, Held& held) {
    if constexpr (kHeld) {
      hold(job, block, item, stage, held);
    } else if (job.to_pages) {
      for_each_granule(job, block, item, [&](unsigned char* address, uint32_t slot) {
        stage[Target::slot(slot)] = Target::load(address);
      });
    } else {
      for_each_tile(job, block, item, [&](const Tile& tile) {
        Granule rows[kRows];
        read_page(job, block, tile, rows);
        turn(job, tile, rows);
        const uint32_t slot = stage_slot(job, block, tile);
        PAGEPROOF_UNROLL
        for (uint32_t r = 0; r < kRows; ++r) stage[Target::slot(slot + r)] = rows[r];
      });
    }
  }

  PAGEPROOF_INLINE static void store(const OrderArguments& job, const Block& block, WorkItem item,
                                     const Granule* stage, const Held& held) {
    if constexpr (kHeld) {
      release(job, block, item, stage, held);
    } else if (job.to_pages) {
      for_each_tile(job, block, item, [&](const Tile& tile) {
        Granule rows[kRows];
        const uint32_t slot = stage_slot(job, block, tile);
        PAGEPROOF_UNROLL
        for (uint32_t r = 0; r < kRows; ++r) rows[r] = stage[Target::slot(slot + r)];
        turn(job, tile, rows);
        write_page(job, block, tile, rows);
      });
    } else {
      for_each_granule(job, block, item, [&](unsigned char* address, uint32_t slot) {
        Target::store(address, stage[Target::slot(slot)]);
      });
    }
  }

 private:
  PAGEPROOF_INLINE static Tile tile_of(const OrderArguments& job, const Block& block, uint32_t number) {
    const uint32_t columns = 1u << job.log2_columns;
    const uint32_t column = number & (columns - 1);
    const uint32_t in_head = number & ((1u << log2_head_tiles(job)) - 1);
    const uint32_t row = (in_head >> job.log2_columns) << kLog2Rows;
    Tile tile;
    tile.head = number >> log2_head_tiles(job);
    tile.is_value = column >= columns / 2;
    tile.page = (block.first_head + tile.head) * job.head_step + row * job.token_step + column;
    tile.plane = tile.is_value ? ((row * (columns / 2)) + ((column - columns / 2) << kLog2Rows))
                               : (column << job.log2_tokens) + row;
    return tile;
  }

  template <class Visit>
  PAGEPROOF_INLINE static void for_each_tile(const OrderArguments& job, const Block& block, WorkItem item,
                                             const Visit& visit) {
    const uint32_t tiles = block.heads << log2_head_tiles(job);
    for (uint32_t i = item.index; i < tiles; i += item.count) visit(tile_of(job, block, i));
  }

  // The workgroup's heads of the K block, then those of the V block: visit(address, granule of the stage).
  template <class Visit>
  PAGEPROOF_INLINE static void for_each_granule(const OrderArguments& job, const Block& block, WorkItem item,
                                                const Visit& visit) {
    const uint32_t granules = block.heads * head_granules(job);
    const uint64_t first = uint64_t{block.first_head} * head_granules(job) * 16;
    for (uint32_t i = item.index; i < granules; i += item.count)
      visit(block.planes.first + first + uint64_t{i} * 16, i);
    for (uint32_t i = item.index; i < granules; i += item.count)
      visit(block.planes.second + first + uint64_t{i} * 16, granules + i);
  }

  PAGEPROOF_INLINE static uint32_t stage_slot(const OrderArguments& job, const Block& block,
                                              const Tile& tile) {
    return ((tile.is_value ? block.heads : 0) + tile.head) * head_granules(job) + tile.plane;
  }

  // Rows into columns, or back: a transpose undoes itself.
  PAGEPROOF_INLINE static void turn(const OrderArguments& job, const Tile& tile, Granule (&rows)[kRows]) {
    if (tile.is_value) Target::transpose(rows);
    if constexpr (kElementBytes_ == 1) {
      if (!job.rewrite) return;
      PAGEPROOF_UNROLL
      for (uint32_t r = 0; r < kRows; ++r) rewrite(rows[r]);
    }
  }

  // In place a page is cut after its first half, and between any two rows.
  PAGEPROOF_INLINE static void read_page(const OrderArguments& job, const Block& block, const Tile& tile,
                                         Granule (&rows)[kRows]) {
    const uint32_t half = job.heads * head_granules(job);
    PAGEPROOF_UNROLL
    for (uint32_t r = 0; r < kRows; ++r)
      rows[r] = Target::load(block.page.at(tile.page + r * job.token_step, half));
  }
  PAGEPROOF_INLINE static void write_page(const OrderArguments& job, const Block& block, const Tile& tile,
                                          const Granule (&rows)[kRows]) {
    const uint32_t half = job.heads * head_granules(job);
    PAGEPROOF_UNROLL
    for (uint32_t r = 0; r < kRows; ++r)
      Target::store(block.page.at(tile.page + r * job.token_step, half), rows[r]);
  }

  PAGEPROOF_INLINE static unsigned char* plane_address(const OrderArguments& job, const Block& block,
                                                       const Tile& tile) {
    unsigned char* plane = tile.is_value ? block.planes.second : block.planes.first;
    return plane + (uint64_t{block.first_head + tile.head} * head_granules(job) + tile.plane) * 16;
  }

  PAGEPROOF_INLINE static void read(const OrderArguments& job, const Block& block, const Tile& tile,
                                    Granule (&rows)[kRows]) {
    if (job.to_pages) {
      const unsigned char* from = plane_address(job, block, tile);
      PAGEPROOF_UNROLL
      for (uint32_t r = 0; r < kRows; ++r) rows[r] = Target::load(from + r * 16);
    } else {
      read_page(job, block, tile, rows);
    }
    turn(job, tile, rows);
  }

  PAGEPROOF_INLINE static void write(const OrderArguments& job, const Block& block, const Tile& tile,
                                     const Granule (&rows)[kRows]) {
    if (job.to_pages) return write_page(job, block, tile, rows);
    unsigned char* to = plane_address(job, block, tile);
    PAGEPROOF_UNROLL
    for (uint32_t r = 0; r < kRows; ++r) Target::store(to + r * 16, rows[r]);
  }

  // A work-item's q-th tile, and its granules in the stage: neighbours lie side by side.
  PAGEPROOF_INLINE static uint32_t own(WorkItem item, uint32_t q) { return item.index + q * item.count; }
  PAGEPROOF_INLINE static uint32_t own_slot(WorkItem item, uint32_t q, uint32_t r) {
    return (q * kRows + r) * item.count + item.index;
  }

  PAGEPROOF_INLINE static void hold(const OrderArguments& job, const Block& block, WorkItem item,
                                    Granule* stage, Held& held) {
    const uint32_t tiles = block.heads << log2_head_tiles(job);
    for (uint32_t q = 0; q < kStageTiles; ++q) {
      if (own(item, q) >= tiles) return;
      Granule rows[kRows];
      read(job, block, tile_of(job, block, own(item, q)), rows);
      PAGEPROOF_UNROLL
      for (uint32_t r = 0; r < kRows; ++r) stage[own_slot(item, q, r)] = rows[r];
    }
    PAGEPROOF_UNROLL
    for (uint32_t q = 0; q < kHeldTiles; ++q) {
      const uint32_t number = own(item, kStageTiles + q);
      if (number < tiles) read(job, block, tile_of(job, block, number), held.tile[q]);
    }
  }

  PAGEPROOF_INLINE static void release(const OrderArguments& job, const Block& block, WorkItem item,
                                       const Granule* stage, const Held& held) {
    const uint32_t tiles = block.heads << log2_head_tiles(job);
    for (uint32_t q = 0; q < kStageTiles; ++q) {
      if (own(item, q) >= tiles) return;
      Granule rows[kRows];
      PAGEPROOF_UNROLL
      for (uint32_t r = 0; r < kRows; ++r) rows[r] = stage[own_slot(item, q, r)];
      write(job, block, tile_of(job, block, own(item, q)), rows);
    }
    PAGEPROOF_UNROLL
    for (uint32_t q = 0; q < kHeldTiles; ++q) {
      const uint32_t number = own(item, kStageTiles + q);
      if (number < tiles) write(job, block, tile_of(job, block, number), held.tile[q]);
    }
  }
};

// A work-item's whole life. `Item` knows its place in the launch and what a barrier is.
template <class Kernel, class Item>
PAGEPROOF_INLINE void run_order_item(const OrderArguments& job, Item item) {
  typename Kernel::Block block;
  if (!Kernel::find(job, item.block_index(), item.head_group(), item.layer(), block)) return;
  auto* stage = static_cast<typename Kernel::Granule*>(item.stage());
  typename Kernel::Held held;
  Kernel::load(job, block, item.work_item(), stage, held);
  item.barrier();
  Kernel::store(job, block, item.work_item(), stage, held);
}

}  // namespace pageproof::convert
