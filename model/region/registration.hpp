// What the connector registers: for each layer view its regions, each a run of blocks (base, block_len,
// block_stride). How many regions a layer has follows from its strides: a standard LBHNC layer has one of
// whole pages, a two-slot LHBNC layer a K plane and a V plane of half pages, a standard LHBNC layer one for
// each head. Source: spec §3.4.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/page/plain/error.hpp"
#include "model/region/engine.hpp"
#include "model/region/view.hpp"

namespace pageproof::region {

struct Region {
  std::uint64_t base = 0;
  std::uint64_t block_len = 0;     // bytes transferred for a block
  std::uint64_t block_stride = 0;  // bytes between blocks
  std::uint64_t num_blocks = 0;    // kernel blocks
  std::int64_t group = 0;          // transfer group; kShared: of several
  std::string name = {};           // of the first layer registered there
  bool latent = false;
  MemoryType memory = MemoryType::vram;
  std::string page_format = "";  // tag

  friend bool operator==(const Region&, const Region&) = default;
};
inline constexpr std::int64_t kShared = -1;

// One registration of memory with NIXL, which is not a region: a whole storage (S0: the blocks of each
// region).
struct MemoryRange {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  MemoryType memory = MemoryType::vram;

  friend bool operator==(const MemoryRange&, const MemoryRange&) = default;
};

struct Registration {
  std::vector<Region> regions = {};  // in region order
  std::vector<MemoryRange> memory = {};
};

// Visits the layers in natural order of their names (S0: as given), gives each its regions, and drops a
// region whose identity was seen: (base, block_len), in S0 the base alone. A duplicate of another group makes
// the first one shared. Refused: a view that cannot be cut into planes (vLLM: AssertionError).
Expected<Registration> register_views(std::span<const LayerView> views, Behaviour behaviour,
                                      const std::string& subject);

// Layout, views and regions of an engine in one step. @pre checked(engine)
Expected<Registration> register_engine(const Engine& engine, Layout layout);

// "layers.2" before "layers.10": digits compare as numbers (trap T16).
bool natural_less(std::string_view a, std::string_view b);

}  // namespace pageproof::region
