#include <algorithm>

#include "golden/pages/sha256.hpp"
#include "golden/plans/expect.hpp"
#include "model/region/descriptor.hpp"
#include "oracle/offset/layouts.hpp"
#include "oracle/offset/writer.hpp"

namespace pageproof::golden::plans {
namespace {

using region::Engine;
using region::Layout;

std::uint64_t slot_address(const Engine& engine, Layout layout, std::uint64_t layer, std::uint64_t block,
                           std::uint64_t slot, std::uint64_t token) {
  const Shape s = region::page_shape_of(engine);
  const std::uint64_t slots = engine.shuffle ? 2 : s.heads;
  const oracle::CacheSizes<std::uint64_t> sizes{engine.model.layers, region::kernel_blocks_of(engine), slots,
                                                s.tokens, s.page_bytes() / slots / s.tokens};
  return engine.base_address + oracle::layout_byte(to_string(layout), sizes, {layer, block, slot, token, 0});
}

std::uint64_t element_address(const Engine& engine, Layout layout, std::uint64_t layer, std::uint64_t block,
                              Coordinate at) {
  const Shape s = region::page_shape_of(engine);
  at.block = 0;
  if (engine.shuffle) {
    return slot_address(engine, layout, layer, block, at.side == Side::key ? 0 : 1, 0) +
           oracle::shuffled_byte(s, at);
  }
  const std::uint64_t row = (at.side == Side::key ? 0 : s.head_dim) + at.dim;
  return slot_address(engine, layout, layer, block, at.head, at.token) + row * s.element_bytes;
}

// Where byte `byte` of the page that block i of the request takes lands.
std::uint64_t landing_address(const Test& test, const Described& e, const Ids& to, const Ids& from,
                              std::size_t i, std::uint64_t layer, std::uint64_t byte) {
  const std::uint64_t page = region::page_shape_of(e.remote).page_bytes();
  if (test.strategy == "staged") return test.staging.base + (layer * to.size() + i) * page + byte;
  std::size_t first = i, end = i + 1;
  if (test.strategy == "run-halves") {
    while (first > 0 && to[first] == to[first - 1] + 1 && from[first] == from[first - 1] + 1) --first;
    while (end < to.size() && to[end] == to[end - 1] + 1 && from[end] == from[end - 1] + 1) ++end;
  }
  const std::uint64_t half = (end - first) * page / 2, at = (i - first) * page + byte;
  const std::uint64_t side = at < half ? 0 : 1;
  return slot_address(e.local, e.local_layout, layer, to[first], side, 0) + at - side * half;
}

}  // namespace

std::string digest_by_oracle(const Test& test, const Described& e) {
  const auto to = region::kernel_block_ids(test.local_blocks.front(), test.local_per_logical);
  auto from = region::kernel_block_ids(test.remote_blocks.front(), test.remote_per_logical);
  from.erase(from.begin(), from.end() - static_cast<std::ptrdiff_t>(to.size()));
  const bool converts = test.strategy != "whole" && test.strategy != "slots";
  const Shape here = region::page_shape_of(e.local), there = region::page_shape_of(e.remote);
  std::map<std::uint64_t, std::byte> written;
  const auto write = [&](std::uint64_t rank, std::uint64_t address, std::uint64_t source) {
    for (std::uint64_t byte = 0; byte < here.element_bytes; ++byte)
      written[address + byte] = std::byte{content_of(rank, source + byte)};
  };
  for (std::uint64_t layer = 0; layer < e.local.model.layers; ++layer) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      for (std::uint64_t n = 0; n < 2 * here.heads * here.tokens * here.head_dim; ++n) {
        const std::uint64_t dims = here.head_dim, rows = dims * here.tokens;
        Coordinate at{0, n < here.heads * rows ? Side::key : Side::value, n / rows % here.heads,
                      n / dims % here.tokens, n % dims};
        if (converts) {
          const std::uint64_t byte = oracle::standard_byte(there, at);
          write(test.sources.front().rank, landing_address(test, e, to, from, i, layer, byte),
                element_address(e.remote, e.remote_layout, layer, from[i], at));
          continue;
        }
        const std::uint64_t address = element_address(e.local, e.local_layout, layer, to[i], at);
        const std::uint64_t head = e.local.tp_rank * e.local.model.kv_heads / e.local.tp_size + at.head;
        for (const Source& source : test.sources) {
          const std::uint64_t first = source.rank * e.remote.model.kv_heads / e.remote.tp_size;
          if (head < first || head >= first + there.heads) continue;
          at.head = head - first;
          write(source.rank, address, element_address(e.remote, e.remote_layout, layer, from[i], at));
        }
      }
    }
  }
  std::vector<std::byte> bytes;
  for (const auto& [address, byte] : written) bytes.push_back(byte);
  return sha256_hex(bytes);
}

}  // namespace pageproof::golden::plans
