#include "fuzz/plans/elements.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/region/descriptor.hpp"
#include "model/region/tp_mapping.hpp"
#include "oracle/offset/layouts.hpp"
#include "oracle/offset/writer.hpp"

namespace pageproof::fuzz {
namespace {

using plan::Strategy;
using region::Engine;

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 22;

// A kernel block of the decoder and what it takes: kernel blocks of the prefill, one or, where those are
// smaller, several.
struct Pairing {
  std::uint64_t local = 0;
  std::vector<std::uint64_t> remote;
};

std::vector<Pairing> pairings(const PlanCase& c, std::size_t list) {
  const auto local = region::kernel_block_ids(c.to[list], region::blocks_per_logical_block(c.local));
  auto remote = region::kernel_block_ids(c.from[list], region::blocks_per_logical_block(c.remote));
  const std::uint64_t ratio = c.local.kernel_block_size / c.remote.kernel_block_size;
  const std::size_t count = std::min(local.size() * ratio, remote.size());
  remote.erase(remote.begin(), remote.end() - static_cast<std::ptrdiff_t>(count));
  std::vector<Pairing> pairs;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % ratio == 0) pairs.push_back({local[i / ratio], {}});
    pairs.back().remote.push_back(remote[i]);
  }
  return pairs;
}

// visit(layer, pairing) for every stored layer and every pair of blocks that it serves.
template <class Visit>
void for_every_block(const PlanCase& c, const Visit& visit) {
  for (std::size_t list = 0; list < c.to.size(); ++list) {
    for (const Pairing& blocks : pairings(c, list)) {
      for (std::uint64_t layer = 0; layer < stored_layers(c); ++layer) {
        if (serves(c, layer, list)) visit(layer, blocks);
      }
    }
  }
}

// The first byte of a head slot of a block, by the layout's formula.
std::uint64_t slot_address(const Engine& engine, region::Layout layout, std::uint64_t layer,
                           std::uint64_t block, std::uint64_t slot, std::uint64_t token) {
  const Shape s = region::page_shape_of(engine);
  const bool two = engine.shuffle;
  const oracle::CacheSizes<std::uint64_t> sizes{engine.model.layers / engine.model.groups,
                                                region::kernel_blocks_of(engine), two ? 2 : s.heads, s.tokens,
                                                (two ? s.heads : 2) * s.head_dim * s.element_bytes};
  return engine.base_address + oracle::layout_byte(to_string(layout), sizes, {layer, block, slot, token, 0});
}

std::uint64_t element_address(const Engine& engine, region::Layout layout, std::uint64_t layer,
                              const Coordinate& at) {
  const Shape s = region::page_shape_of(engine);
  const std::uint64_t side = at.side == Side::key ? 0 : 1;
  if (!engine.shuffle) {
    return slot_address(engine, layout, layer, at.block, at.head, at.token) +
           (side * s.head_dim + at.dim) * s.element_bytes;
  }
  Coordinate inside = at;
  inside.block = 0;
  return slot_address(engine, layout, layer, at.block, side, 0) + oracle::shuffled_byte(s, inside);
}

template <class Visit>
void for_every_element(const Shape& s, const Visit& visit) {
  for (const Side side : {Side::key, Side::value}) {
    for (std::uint64_t h = 0; h < s.heads; ++h) {
      for (std::uint64_t t = 0; t < s.tokens; ++t) {
        for (std::uint64_t d = 0; d < s.head_dim; ++d) visit(Coordinate{0, side, h, t, d});
      }
    }
  }
}

// Of one format on both sides: the element of the same head, from the rank that has it.
void add_same_heads(const PlanCase& c, const CasePair& pair, Elements& elements) {
  const Shape here = region::page_shape_of(c.local), there = region::page_shape_of(c.remote);
  const std::uint64_t heads = c.local.model.kv_heads;
  for_every_block(c, [&](std::uint64_t layer, const Pairing& blocks) {
    for_every_element(here, [&](Coordinate at) {
      const std::uint64_t head = c.local.tp_rank * heads / c.local.tp_size + at.head;
      at.block = blocks.local;
      Coordinate from = at;
      from.block = blocks.remote.front();
      for (const plan::Source& source : pair.planned.request.sources) {
        const std::uint64_t first = source.rank * heads / c.remote.tp_size;
        if (head < first || head >= first + there.heads) continue;
        from.head = head - first;
        elements[element_address(c.local, pair.local.layout, layer, at)] = {
            source.rank, element_address(c.remote, pair.remote.layout, layer, from)};
      }
    });
  });
}

// Blocks of unequal size: the remote pages one behind the other; what regroups them afterwards is no read.
void add_parts(const PlanCase& c, const CasePair& pair, Elements& elements) {
  const Shape there = region::page_shape_of(c.remote);
  for_every_block(c, [&](std::uint64_t layer, const Pairing& blocks) {
    const std::uint64_t to = slot_address(c.local, pair.local.layout, layer, blocks.local, 0, 0);
    for (std::size_t part = 0; part < blocks.remote.size(); ++part) {
      const std::uint64_t from = slot_address(c.remote, pair.remote.layout, layer, blocks.remote[part], 0, 0);
      for (std::uint64_t byte = 0; byte < there.page_bytes(); byte += there.element_bytes)
        elements[to + part * there.page_bytes() + byte] = {c.remote.tp_rank, from + byte};
    }
  });
}

// Where byte p of page `page` of a run lands, by the strategy's contract.
struct RunPlace {
  std::uint64_t key = 0;    // the K-plane blocks of the run, or the pages' staging
  std::uint64_t value = 0;  // the V-plane blocks
  std::uint64_t half = 0;   // bytes that go to `key`
};

void add_landing(const PlanCase& c, const CasePair& pair, Elements& elements) {
  const Shape s = region::page_shape_of(c.remote);
  const std::vector<Pairing> blocks = pairings(c, 0);  // conversions have one group
  const auto plane = [&](std::uint64_t layer, std::uint64_t block, std::uint64_t side) {
    return slot_address(c.local, pair.local.layout, layer, block, side, 0);
  };
  for (std::uint64_t layer = 0; layer < c.local.model.layers; ++layer) {
    for (std::size_t first = 0; first < blocks.size();) {
      std::size_t end = first + 1;
      while (c.strategy == Strategy::run_halves && end < blocks.size() &&
             blocks[end].local == blocks[end - 1].local + 1 &&
             blocks[end].remote.front() == blocks[end - 1].remote.front() + 1) {
        ++end;
      }
      RunPlace run{plane(layer, blocks[first].local, 0), plane(layer, blocks[first].local, 1),
                   (end - first) * s.side_bytes()};
      if (c.strategy == Strategy::staged) {
        run.key = c.staging.base + (layer * blocks.size() + first) * s.page_bytes();
        run.half = s.page_bytes();
      }
      for (std::size_t i = first; i < end; ++i) {
        for_every_element(s, [&](Coordinate at) {
          const std::uint64_t byte = (i - first) * s.page_bytes() + oracle::standard_byte(s, at);
          at.block = blocks[i].remote.front();
          elements[byte < run.half ? run.key + byte : run.value + (byte - run.half)] = {
              c.remote.tp_rank, element_address(c.remote, pair.remote.layout, layer, at)};
        });
      }
      first = end;
    }
  }
}

std::string text_of(const RemoteElement& element) {
  return fmt::format("rank {} {:#x}", element.rank, element.address);
}

}  // namespace

Elements wanted_elements(const PlanCase& c, const CasePair& pair) {
  Elements elements;
  if (plan::converts(c.strategy)) {
    add_landing(c, pair, elements);
  } else if (c.local.kernel_block_size != c.remote.kernel_block_size) {
    add_parts(c, pair, elements);
  } else {
    add_same_heads(c, pair, elements);
  }
  return elements;
}

Verdict moves_the_right_elements(const PlanCase& c, const CasePair& pair, const plan::Plan& plan) {
  const Elements wanted = wanted_elements(c, pair);
  const std::uint64_t step = region::element_bytes_of(c.local);
  Elements got;
  std::uint64_t moved = 0;
  for (std::size_t s = 0; s < plan.reads.size(); ++s) {
    const plan::Read& read = plan.reads[s];
    if (read.local_ids.size() != read.remote_ids.size()) {
      return Refutation{"lists of descriptor ids", fmt::format("{} remote ids", read.local_ids.size()),
                        std::to_string(read.remote_ids.size())};
    }
    const plan::Rows rows = rows_of(read);
    for (std::size_t i = 0; i < rows.local.size(); ++i) {
      const plan::Descriptor &to = rows.local[i], &from = rows.remote[i];
      if (to.bytes != from.bytes || to.bytes == 0 || (moved += to.bytes) > kMostElements * step) {
        return Refutation{fmt::format("row {}", i), fmt::format("{} B on both sides", to.bytes),
                          fmt::format("{} B remote", from.bytes)};
      }
      for (std::uint64_t byte = 0; byte < to.bytes; byte += step) {
        const RemoteElement element{pair.planned.request.sources[s].rank, from.address + byte};
        if (got.emplace(to.address + byte, element).second) continue;
        return Refutation{fmt::format("row {}   local {:#x}", i, to.address + byte), "written once", "twice"};
      }
    }
  }
  const auto [here, there] = std::ranges::mismatch(wanted, got);
  if (here == wanted.end() && there == got.end()) return {};
  const bool missing = there == got.end() || (here != wanted.end() && here->first < there->first);
  const bool stray = here == wanted.end() || (there != got.end() && there->first < here->first);
  const std::uint64_t address = missing ? here->first : there->first;
  return Refutation{fmt::format("local {:#x}", address), stray ? "not written" : text_of(here->second),
                    missing ? "not written" : text_of(there->second)};
}

}  // namespace pageproof::fuzz
