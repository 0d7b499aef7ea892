#include "oracle/machine/conversion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <tuple>

#include "kernels/convert/check.hpp"
#include "oracle/machine/byte_maps.hpp"
#include "oracle/offset/fp8.hpp"
#include "oracle/offset/writer.hpp"

namespace pageproof::machine {
namespace {

using convert::Direction;

// Where things lie. The pools are 2^58 bytes apart and may be as large; the tables straddle multiples of
// 4 GiB.
constexpr std::uint64_t kBetweenPools = std::uint64_t{1} << 58, kBetweenLayers = std::uint64_t{1} << 56;
constexpr std::uint64_t kTables = 0x0001'0000'ffff'fff8, kBetweenTables = std::uint64_t{1} << 40;
constexpr std::uint64_t kIds32 = 0x0000'7000'ffff'fffc, kIds64 = 0x0000'7000'ffff'fff8;

enum Pool : std::uint32_t { kStandard, kKeyPlane, kValuePlane };
constexpr const char* kPoolNames[] = {"standard pool", "K plane", "V plane"};

// Layers in a table, or at equal distances.
enum class Layers : std::uint8_t { table, strided };

// All pools at equal distances, all in tables, and both kinds in one job, each pool as either: the kernels
// have a way of their own where all are tables.
Layers layers_of(const Case& c, Pool pool) {
  const bool odd = c.shape.heads % 2 == 1;
  const bool strided = c.pattern == Pattern::near || c.pattern == Pattern::sparse ||
                       (c.pattern == Pattern::wide && (pool == kKeyPlane) == odd);
  return strided ? Layers::strided : Layers::table;
}

// The blocks of a case. An id that lies outside one of the pools is skipped by the kernel.
struct Blocks {
  std::uint32_t id_bytes = 4;
  std::uint32_t layers = 1;
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> standard_ids;
  std::array<std::uint64_t, 3> num_blocks{};  // by Pool
  // By Pool: a block stride is so many times its block's bytes, and so many bytes more.
  std::array<std::uint64_t, 3> stride_factor{1, 1, 1};
  std::array<std::uint64_t, 3> stride_more{};
  std::uint64_t unaligned = 0;  // added to every base
};

Blocks blocks_of(const Case& c) {
  constexpr std::int64_t k2To31 = std::int64_t{1} << 31;
  constexpr std::uint64_t k2To32 = std::uint64_t{1} << 32;
  const auto count = [](std::int64_t standard, std::int64_t key, std::int64_t value) {
    return std::array<std::uint64_t, 3>{static_cast<std::uint64_t>(standard), static_cast<std::uint64_t>(key),
                                        static_cast<std::uint64_t>(value)};
  };
  switch (c.pattern) {
    case Pattern::near:  // the last two are blocks of all pools; 3 and 4 lie outside the K plane, and 6 is no
                         // standard block
      return {.layers = 2,
              .ids = {3, -1, 5, 4, 9, -7, 8, 1, 2, 0},
              .standard_ids = {4, 1, 2, 3, 1, 3, 2, 6, 5, 0},
              .num_blocks = count(6, 3, 5)};
    case Pattern::far: {  // nor is 2^31 - 2 a block of the V plane
      const std::vector<std::int64_t> ids{k2To31 - 3, -1, k2To31 - 2, 1};
      return {.layers = 3,
              .ids = ids,
              .standard_ids = ids,
              .num_blocks = count(k2To31, k2To31 - 1, k2To31 - 2),
              .stride_factor = {1, 1, 2},
              .stride_more = {64, 0, 48},
              .unaligned = 16};
    }
    case Pattern::wide:  // the first and the last are blocks of all pools; the third is outside the K plane,
                         // the fourth outside the V plane, the fifth no standard block
      return {.id_bytes = 8,
              .layers = 3,
              .ids = {2 * k2To31 + 3, -1, 6 * k2To31 + 2, 4 * k2To31 + 1, 8, -k2To31, 9 * k2To31, 6 * k2To31,
                      -1, 7},
              .standard_ids = {4, 9, 5, 6, 8 * k2To31 + 7, 9, 0, 1, 2, 8 * k2To31 + 1},
              .num_blocks = count(8 * k2To31 + 7, 6 * k2To31 + 2, 4 * k2To31 + 1),
              .stride_more = {16, 48, 112}};
    case Pattern::sparse:
      return {.layers = 2,
              .ids = {5, 2},
              .standard_ids = {1, 3},
              .num_blocks = count(4, 6, 7),
              .stride_more = {2 * k2To32 + 16, k2To32 + 32, 3 * k2To32 + 64}};
    case Pattern::duplicate:
      break;
  }
  const std::vector<std::int64_t> twice{1, 1};
  const std::vector<std::int64_t> once{0, 2};
  const bool pages =
      c.order.direction == PAGEPROOF_TO_PAGES && c.direction == Direction::out_of_place;  // are written
  return {.ids = pages ? once : twice, .standard_ids = pages ? twice : once, .num_blocks = count(3, 3, 3)};
}

// No two pools have their layers equally far apart.
std::uint64_t layer_stride(Pool pool) {
  return kBetweenLayers + 0xf000'0000 + 0x1'0000 * pool;
}

std::uint64_t pool_base(const Blocks& blocks, Pool pool, std::uint32_t layer, Layers layers) {
  const std::uint64_t base = (pool + 1) * kBetweenPools + 0xffff'f000 + 0x1'2300 * pool + blocks.unaligned;
  // The layers of a table lie in no order.
  constexpr std::uint64_t kPlace[] = {1, 0, 2};
  if (layers == Layers::table) return base + kPlace[layer] * kBetweenLayers + 0x10'0000 * layer;
  return base + layer * layer_stride(pool);
}

std::vector<Byte> as_bytes(std::span<const std::uint64_t> values, std::uint32_t width) {
  std::vector<Byte> bytes;
  for (const std::uint64_t value : values) {
    for (std::uint32_t i = 0; i < width; ++i) bytes.push_back(value >> 8 * i & 0xff);
  }
  return bytes;
}

// Addresses of the launch stand in the job as pointers; nobody here follows them.
template <class Pointer>
Pointer pointer(std::uint64_t address) {
  return reinterpret_cast<Pointer>(address);  // NOLINT
}

pageproof_pool pool_of(const Blocks& blocks, Memory& memory, Pool pool, std::uint64_t stride, Layers layers) {
  pageproof_pool made{};
  made.block_stride = stride;
  made.num_blocks = blocks.num_blocks[pool];
  if (layers == Layers::strided) {
    made.base = pointer<void*>(pool_base(blocks, pool, 0, layers));
    made.layer_stride = layer_stride(pool);
    return made;
  }
  std::vector<std::uint64_t> bases;
  for (std::uint32_t layer = 0; layer < blocks.layers; ++layer)
    bases.push_back(pool_base(blocks, pool, layer, layers));
  const std::uint64_t table = kTables + pool * kBetweenTables;
  memory.add(fmt::format("the layer bases of the {}", kPoolNames[pool]), table, as_bytes(bases, 8),
             Use::read_only);
  made.layer_bases = pointer<void* const*>(table);
  return made;
}

const void* ids_of(const Blocks& blocks, Memory& memory, const std::vector<std::int64_t>& ids,
                   std::uint32_t which) {
  std::vector<std::uint64_t> values(ids.begin(), ids.end());
  const std::uint64_t table = (blocks.id_bytes == 4 ? kIds32 : kIds64) + which * kBetweenTables;
  memory.add("the block ids", table, as_bytes(values, blocks.id_bytes), Use::read_only);
  return pointer<const void*>(table);
}

// What was set up for one listed block of one layer. A page and its landing are one run of bytes in two
// regions as well, the second of which is empty out of place.
struct Listed {
  std::uint32_t first_input = 0;
  std::array<Region*, 2> written{};
};

struct Setup {
  pageproof_job job{};
  std::vector<Listed> listed;
};

pageproof_job job_of(const Case& c, const Blocks& blocks, Memory& memory,
                     const std::array<std::uint64_t, 3>& stride) {
  const bool in_place = c.direction == Direction::in_place;
  pageproof_job job{};
  job.struct_bytes = sizeof job;
  job.memory = PAGEPROOF_HIP;
  job.shape = c.shape;
  job.layers = blocks.layers;
  job.id_bytes = blocks.id_bytes;
  job.id_count = blocks.ids.size();
  job.order = c.order.pages;
  job.direction = c.order.direction;
  job.rewrite = c.order.rewrite;
  const auto pool = [&](Pool p) { return pool_of(blocks, memory, p, stride[p], layers_of(c, p)); };
  job.k_plane = pool(kKeyPlane);
  job.v_plane = pool(kValuePlane);
  job.block_ids = ids_of(blocks, memory, blocks.ids, 0);
  if (in_place) return job;
  job.standard = pool(kStandard);
  if (blocks.standard_ids != blocks.ids)
    job.standard_block_ids = ids_of(blocks, memory, blocks.standard_ids, 1);
  return job;
}

Setup set_up(const Case& c, Memory& memory) {
  const Blocks blocks = blocks_of(c);
  const std::uint32_t page = 2 * c.shape.heads * c.shape.tokens * c.shape.head_dim * c.shape.element_bytes;
  const std::uint32_t side = page / 2;
  const bool in_place = c.direction == Direction::in_place;
  const bool to_pages = c.order.direction == PAGEPROOF_TO_PAGES && !in_place;
  std::array<std::uint64_t, 3> stride{page, side, side};  // by Pool
  for (const Pool pool : {kStandard, kKeyPlane, kValuePlane})
    stride[pool] = stride[pool] * blocks.stride_factor[pool] + blocks.stride_more[pool];
  Setup setup;
  setup.job = job_of(c, blocks, memory, stride);

  std::map<std::tuple<Pool, std::uint32_t, std::int64_t>, Region*>
      known;  // a block listed twice is there once
  const auto region = [&](Pool pool, std::uint32_t layer, std::int64_t block, std::uint32_t first_input) {
    const auto [entry, fresh] = known.try_emplace({pool, layer, block});
    if (!fresh) return entry->second;
    const bool written = in_place || to_pages == (pool == kStandard);
    const bool read = in_place || !written;
    std::vector<Byte> held(pool == kStandard ? page : side, kUndefined);
    for (std::uint32_t b = 0; read && b < held.size(); ++b) held[b] = input_byte(first_input + b);
    entry->second = &memory.add(
        fmt::format("block {} of the {}, layer {}", block, kPoolNames[pool], layer),
        pool_base(blocks, pool, layer, layers_of(c, pool)) + static_cast<std::uint64_t>(block) * stride[pool],
        std::move(held), written ? Use::read_write : Use::read_only);
    return entry->second;
  };
  std::uint32_t inputs = 0;
  for (std::uint32_t layer = 0; layer < blocks.layers; ++layer) {
    for (std::size_t i = 0; i < blocks.ids.size(); ++i) {
      const std::int64_t id = blocks.ids[i];
      const std::int64_t page_id = blocks.standard_ids[i];
      const auto in_pool = [&](Pool pool, std::int64_t b) {
        return b >= 0 && static_cast<std::uint64_t>(b) < blocks.num_blocks[pool];
      };
      if (!in_pool(kKeyPlane, id) || !in_pool(kValuePlane, id)) continue;
      if (!in_place && !in_pool(kStandard, page_id)) continue;
      Region* key = region(kKeyPlane, layer, id, inputs);
      Region* value = region(kValuePlane, layer, id, inputs + side);
      Region* standard = in_place ? nullptr : region(kStandard, layer, page_id, inputs);
      setup.listed.push_back({inputs, to_pages ? std::array<Region*, 2>{standard, nullptr}
                                               : std::array<Region*, 2>{key, value}});
      inputs += page;
    }
  }
  return setup;
}

// Byte of an element in its page.
std::uint64_t page_byte(const Shape& s, const Coordinate& at, pageproof_order order) {
  if (order == PAGEPROOF_HEADS_FIRST) return oracle::standard_byte(s, at);
  // [N, H, 2·D]
  return ((at.token * s.heads + at.head) * 2 * s.head_dim + (at.side == Side::value ? s.head_dim : 0) +
          at.dim) *
         s.element_bytes;
}

ByteMap table_of(pageproof_rewrite rewrite) {
  ByteMap table{};
  for (std::uint32_t code = 0; code < table.size(); ++code) {
    const auto kept = static_cast<std::uint8_t>(code);
    table[code] = rewrite == PAGEPROOF_E4M3_TO_E4M3FNUZ ? oracle::e4m3_to_e4m3fnuz(kept) : kept;
  }
  return table;
}

std::string holds(Byte b, std::uint32_t first_input) {
  if (is_known(b)) return fmt::format("the constant {:#04x}", b);
  if (!is_input(b)) return "nothing that was written";
  return fmt::format("{}input byte {}", map_of(b) == 0 ? "" : "a rewritten ",
                     static_cast<std::int64_t>(input_index(b)) - first_input);
}

std::expected<void, Refuted> check_bytes(const Case& c, const Setup& setup) {
  const std::vector<std::uint32_t> permutation = permutation_of(c.shape, c.order);
  const ByteMap table = table_of(c.order.rewrite);
  const Byte rewritten = mapped(0, table);  // of input byte 0; the others differ in their number alone
  for (const Listed& listed : setup.listed) {
    for (std::size_t j = 0; j < permutation.size(); ++j) {
      const std::size_t first = listed.written[0]->bytes.size();
      const Region& region = j < first ? *listed.written[0] : *listed.written[1];
      const std::size_t at = j < first ? j : j - first;
      const Byte got = region.bytes[at];
      if (got == (rewritten | (listed.first_input + permutation[j]))) continue;
      return std::unexpected(
          Refuted{Check::bytes,
                  fmt::format("byte {} of {} holds {}, and should hold {}input byte {} of its block", at,
                              region.name, holds(got, listed.first_input),
                              map_of(rewritten) == 0 ? "" : "the rewritten ", permutation[j]),
                  "after the last wave"});
    }
  }
  return {};
}

}  // namespace

std::vector<std::uint32_t> permutation_of(const pageproof_shape& s, const Order& order) {
  const Shape shape{s.heads, s.tokens, s.head_dim, s.element_bytes};
  const std::uint64_t side_bytes = shape.side_bytes();
  std::vector<std::uint32_t> from(shape.page_bytes());
  for (const Side side : {Side::key, Side::value}) {
    for (std::uint64_t h = 0; h < shape.heads; ++h) {
      for (std::uint64_t n = 0; n < shape.tokens; ++n) {
        for (std::uint64_t d = 0; d < shape.head_dim; ++d) {
          const Coordinate at{0, side, h, n, d};
          const std::uint64_t in_planes =
              (side == Side::value ? side_bytes : 0) + oracle::shuffled_byte(shape, at);
          const std::uint64_t in_page = page_byte(shape, at, order.pages);
          for (std::uint64_t q = 0; q < shape.element_bytes; ++q) {
            if (order.direction == PAGEPROOF_TO_PLANES) {
              from[in_planes + q] = static_cast<std::uint32_t>(in_page + q);
            } else {
              from[in_page + q] = static_cast<std::uint32_t>(in_planes + q);
            }
          }
        }
      }
    }
  }
  return from;
}

std::expected<Statistics, Refuted> run_case(Machine& machine, const Program& program, const Case& c,
                                            const Limits& limits, const Hooks& hooks) {
  const AllowRewrites allow(c.order.rewrite != PAGEPROOF_KEEP_BYTES);
  Memory memory(program.narrowest_access);
  const Setup setup = set_up(c, memory);
  if (const pageproof_status status = convert::check_arguments(&setup.job, c.direction);
      status != PAGEPROOF_OK) {
    return std::unexpected(
        Refuted{Check::memory, fmt::format("the library refuses the job: {}", pageproof_status_text(status)),
                "the job"});
  }
  const Planned planned = plan_on_amd(setup.job, c.direction);
  const LaunchSize size{planned.grid, planned.work_items, planned.lds_bytes};
  const auto run = machine.run(program, size, planned.arguments, memory, limits.most_instructions, hooks);
  if (!run) return run;
  if (const auto bytes = check_bytes(c, setup); !bytes) return std::unexpected(bytes.error());
  return run;
}

}  // namespace pageproof::machine
