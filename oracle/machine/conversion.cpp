#include "oracle/machine/conversion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "kernels/convert/check.hpp"
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

// The blocks of a case. An id that lies outside one of the pools is skipped by the kernel.
struct Blocks {
  std::uint32_t id_bytes = 4;
  std::uint32_t layers = 1;
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> standard_ids;
  std::array<std::uint64_t, 3> num_blocks{};  // by Pool
  std::uint64_t stride_factor = 1;            // of the planes, in S
  std::uint64_t unaligned = 0;                // added to every base
};

Blocks blocks_of(Pattern pattern) {
  constexpr std::int64_t k2To31 = std::int64_t{1} << 31;
  const auto count = [](std::int64_t standard, std::int64_t key, std::int64_t value) {
    return std::array<std::uint64_t, 3>{static_cast<std::uint64_t>(standard), static_cast<std::uint64_t>(key),
                                        static_cast<std::uint64_t>(value)};
  };
  switch (pattern) {
    case Pattern::near:  // 3 is no block of the K plane, 6 no standard block
      return {.ids = {2, 3, 0, 1}, .standard_ids = {5, 1, 0, 6}, .num_blocks = count(6, 3, 5)};
    case Pattern::far: {  // nor 2^31 - 2 of the V plane
      const std::vector<std::int64_t> ids{k2To31 - 3, -1, k2To31 - 2, 1};
      return {.layers = 2,
              .ids = ids,
              .standard_ids = ids,
              .num_blocks = count(k2To31, k2To31 - 1, k2To31 - 2),
              .stride_factor = 2,
              .unaligned = 16};
    }
    case Pattern::wide:  // the third is outside the K plane, the fourth outside the V plane, the fifth no
                         // standard block
      return {.id_bytes = 8,
              .ids = {2 * k2To31 + 3, 7, 6 * k2To31 + 2, 4 * k2To31 + 1, 8, -1},
              .standard_ids = {4, 8 * k2To31 + 1, 5, 6, 8 * k2To31 + 7, 9},
              .num_blocks = count(8 * k2To31 + 7, 6 * k2To31 + 2, 4 * k2To31 + 1)};
    case Pattern::duplicate:
      break;
  }
  return {.ids = {1, 1}, .standard_ids = {0, 2}, .num_blocks = count(3, 3, 3)};
}

std::uint64_t pool_base(const Blocks& blocks, Pool pool, std::uint32_t layer) {
  return (pool + 1) * kBetweenPools + layer * kBetweenLayers + 0xffff'f000 + 0x1'2300 * pool +
         blocks.unaligned;
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

pageproof_pool pool_of(const Blocks& blocks, Memory& memory, Pool pool, std::uint64_t stride) {
  std::vector<std::uint64_t> bases;
  for (std::uint32_t layer = 0; layer < blocks.layers; ++layer)
    bases.push_back(pool_base(blocks, pool, layer));
  const std::uint64_t table = kTables + pool * kBetweenTables;
  memory.add(fmt::format("the layer bases of the {}", kPoolNames[pool]), table, as_bytes(bases, 8),
             Use::read_only);
  pageproof_pool made{};
  made.layer_bases = pointer<void* const*>(table);
  made.block_stride = stride;
  made.num_blocks = blocks.num_blocks[pool];
  return made;
}

const void* ids_of(const Blocks& blocks, Memory& memory, const std::vector<std::int64_t>& ids,
                   std::uint32_t which) {
  std::vector<std::uint64_t> values(ids.begin(), ids.end());
  const std::uint64_t table = (blocks.id_bytes == 4 ? kIds32 : kIds64) + which * kBetweenTables;
  memory.add("the block ids", table, as_bytes(values, blocks.id_bytes), Use::read_only);
  return pointer<const void*>(table);
}

// What was set up for one listed block of one layer.
struct Listed {
  std::uint32_t first_input;  // of its page
  Region* key;
  Region* value;
};

struct Setup {
  pageproof_job job{};
  std::vector<Listed> listed;
};

Setup set_up(const Case& c, Memory& memory) {
  const Blocks blocks = blocks_of(c.pattern);
  const auto page =
      std::uint32_t{2} * c.shape.heads * c.shape.tokens * c.shape.head_dim * c.shape.element_bytes;
  const std::uint32_t side = page / 2;
  const bool in_place = c.direction == Direction::in_place;
  const std::uint64_t standard_stride = page + (blocks.stride_factor > 1 ? 64 : 0);
  const std::uint64_t plane_stride = blocks.stride_factor * side;
  Setup setup;
  setup.job.struct_bytes = sizeof setup.job;
  setup.job.memory = PAGEPROOF_HIP;
  setup.job.shape = c.shape;
  setup.job.layers = blocks.layers;
  setup.job.id_bytes = blocks.id_bytes;
  setup.job.id_count = blocks.ids.size();
  setup.job.k_plane = pool_of(blocks, memory, kKeyPlane, plane_stride);
  setup.job.v_plane = pool_of(blocks, memory, kValuePlane, plane_stride);
  setup.job.block_ids = ids_of(blocks, memory, blocks.ids, 0);
  if (!in_place) {
    setup.job.standard = pool_of(blocks, memory, kStandard, standard_stride);
    if (blocks.standard_ids != blocks.ids)
      setup.job.standard_block_ids = ids_of(blocks, memory, blocks.standard_ids, 1);
  }

  std::uint32_t inputs = 0;
  std::map<std::pair<std::uint32_t, std::int64_t>, Listed> known;  // a block listed twice is there once
  for (std::uint32_t layer = 0; layer < blocks.layers; ++layer) {
    for (std::size_t i = 0; i < blocks.ids.size(); ++i) {
      const std::int64_t id = blocks.ids[i];
      const auto in_pool = [&](Pool pool, std::int64_t b) {
        return b >= 0 && static_cast<std::uint64_t>(b) < blocks.num_blocks[pool];
      };
      if (!in_pool(kKeyPlane, id) || !in_pool(kValuePlane, id)) continue;
      if (!in_place && !in_pool(kStandard, blocks.standard_ids[i])) continue;
      const auto region = [&](Pool pool, std::int64_t block, std::uint64_t stride, std::uint32_t bytes,
                              std::uint32_t first, Use use) {
        std::vector<Byte> held(bytes, kUndefined);
        if (pool == kStandard || in_place) {
          for (std::uint32_t b = 0; b < bytes; ++b) held[b] = input_byte(first + b);
        }
        return &memory.add(fmt::format("block {} of the {}, layer {}", block, kPoolNames[pool], layer),
                           pool_base(blocks, pool, layer) + static_cast<std::uint64_t>(block) * stride,
                           std::move(held), use);
      };
      if (!in_place) region(kStandard, blocks.standard_ids[i], standard_stride, page, inputs, Use::read_only);
      const auto [entry, fresh] = known.try_emplace({layer, id});
      if (fresh) {
        // In place the blocks hold the landing: the page's first half, then its second.
        entry->second = {inputs, region(kKeyPlane, id, plane_stride, side, inputs, Use::read_write),
                         region(kValuePlane, id, plane_stride, side, inputs + side, Use::read_write)};
      }
      setup.listed.push_back(entry->second);
      inputs += page;
    }
  }
  return setup;
}

std::string holds(Byte b, std::uint32_t first_input) {
  if (is_known(b)) return fmt::format("the constant {:#04x}", b);
  if (!is_input(b)) return "nothing that was written";
  return fmt::format("input byte {}", static_cast<std::int64_t>(input_index(b)) - first_input);
}

std::expected<void, Refuted> check_bytes(const Case& c, const Setup& setup) {
  const std::vector<std::uint32_t> permutation = permutation_of(c.shape);
  const std::size_t side = permutation.size() / 2;
  for (const Listed& listed : setup.listed) {
    for (std::size_t j = 0; j < permutation.size(); ++j) {
      const Region& region = j < side ? *listed.key : *listed.value;
      const Byte got = region.bytes[j % side];
      if (got == input_byte(listed.first_input + permutation[j])) continue;
      return std::unexpected(
          Refuted{Check::bytes,
                  fmt::format("byte {} of {} holds {}, and should hold input byte {} of its page", j % side,
                              region.name, holds(got, listed.first_input), permutation[j]),
                  "after the last wave"});
    }
  }
  return {};
}

}  // namespace

std::vector<std::uint32_t> permutation_of(const pageproof_shape& s) {
  const Shape shape{s.heads, s.tokens, s.head_dim, s.element_bytes};
  const std::uint64_t side_bytes = shape.side_bytes();
  std::vector<std::uint32_t> from(shape.page_bytes());
  for (const Side side : {Side::key, Side::value}) {
    for (std::uint64_t h = 0; h < shape.heads; ++h) {
      for (std::uint64_t n = 0; n < shape.tokens; ++n) {
        for (std::uint64_t d = 0; d < shape.head_dim; ++d) {
          const Coordinate at{0, side, h, n, d};
          const std::uint64_t to = (side == Side::value ? side_bytes : 0) + oracle::shuffled_byte(shape, at);
          const std::uint64_t source = oracle::standard_byte(shape, at);
          for (std::uint64_t q = 0; q < shape.element_bytes; ++q)
            from[to + q] = static_cast<std::uint32_t>(source + q);
        }
      }
    }
  }
  return from;
}

std::expected<Statistics, Refuted> run_case(Machine& machine, const Program& program, const Case& c,
                                            const Limits& limits, const Hooks& hooks) {
  Memory memory(program.narrowest_access);
  const Setup setup = set_up(c, memory);
  if (const pageproof_status status = convert::check_arguments(&setup.job, c.direction);
      status != PAGEPROOF_OK) {
    return std::unexpected(
        Refuted{Check::memory, fmt::format("the library refuses the job: {}", pageproof_status_text(status)),
                "the job"});
  }
  const convert::Launch launch = plan_launch(setup.job, c.direction, convert::kAmdLimits);
  const LaunchSize size{
      {launch.blocks, launch.head_groups, launch.layers}, launch.work_items, launch.stage_bytes};
  const auto run = machine.run(program, size, std::as_bytes(std::span(&launch.arguments, 1)), memory,
                               limits.most_instructions, hooks);
  if (!run) return run;
  if (const auto bytes = check_bytes(c, setup); !bytes) return std::unexpected(bytes.error());
  return run;
}

}  // namespace pageproof::machine
