#include "fuzz/plans/converted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "oracle/offset/writer.hpp"

namespace pageproof::fuzz {
namespace {

// Bytes at addresses from `base` on.
struct Memory {
  std::uint64_t base = 0;
  std::vector<std::byte> bytes;

  std::byte* at(std::uint64_t address, std::uint64_t count) {
    const bool inside =
        address >= base && address - base <= bytes.size() && count <= bytes.size() - (address - base);
    return inside ? bytes.data() + (address - base) : nullptr;
  }
};

// No two elements near each other are alike, and K and V differ.
std::vector<std::byte> content(std::uint64_t bytes, std::uint64_t salt) {
  std::vector<std::byte> out(bytes);
  for (std::uint64_t i = 0; i < bytes; i += 8) {
    const std::uint64_t word = mixed(salt, i);
    std::memcpy(&out[i], &word, std::min<std::uint64_t>(8, bytes - i));
  }
  return out;
}

std::optional<Refutation> carry_out(const plan::Plan& plan, const PlanCase& c, Memory& remote, Memory& local,
                                    Memory& staging) {
  const plan::Rows rows = rows_of(plan.reads.front());
  for (std::size_t i = 0; i < rows.local.size(); ++i) {
    Memory& to_memory = c.strategy == plan::Strategy::staged ? staging : local;
    std::byte* const to = to_memory.at(rows.local[i].address, rows.local[i].bytes);
    const std::byte* const from = remote.at(rows.remote[i].address, rows.remote[i].bytes);
    if (to == nullptr || from == nullptr)
      return Refutation{fmt::format("row {}", i), "inside the pools", "outside"};
    std::memcpy(to, from, rows.local[i].bytes);
  }
  return {};
}

}  // namespace

Verdict converts_to_the_oracles_planes(const PlanCase& c, const CasePair& pair, const plan::Plan& plan,
                                       const Converter& converter) {
  const Shape shape = region::page_shape_of(c.remote);
  const std::uint64_t layers = c.local.model.layers, side = shape.side_bytes();
  const std::uint64_t here = region::kernel_blocks_of(c.local), there = region::kernel_blocks_of(c.remote);
  Memory remote{c.remote.base_address, content(layers * there * 2 * side, 1)};
  Memory local{c.local.base_address, content(layers * here * 2 * side, 2)};
  Memory staging{c.staging.base,
                 std::vector<std::byte>(c.strategy == plan::Strategy::staged ? plan.cost.bytes : 0)};

  // The oracle's planes, from the pages themselves.
  std::vector<std::byte> wanted = local.bytes;
  const plan::BlockIds& to = pair.planned.request.blocks.local.front();
  const plan::BlockIds& from = pair.planned.request.blocks.remote.front();
  for (std::uint64_t layer = 0; layer < layers; ++layer) {
    const std::span<std::byte> planes = std::span(wanted).subspan(layer * here * 2 * side, here * 2 * side);
    oracle::gather_and_rewrite(shape,
                               std::span(remote.bytes).subspan(layer * there * 2 * side, there * 2 * side),
                               from, to, {planes.first(here * side), planes.last(here * side)});
  }

  if (auto refuted = carry_out(plan, c, remote, local, staging)) return refuted;
  ConvertJob job{.shape = shape,
                 .standard = {{}, 2 * side, to.size()},
                 .key = {{}, side, here},
                 .value = {{}, side, here},
                 .from = {},
                 .to = {}};
  for (std::uint64_t layer = 0; layer < layers; ++layer) {
    job.standard.layers.push_back(staging.bytes.data() + layer * to.size() * 2 * side);
    job.key.layers.push_back(local.bytes.data() + layer * here * 2 * side);
    job.value.layers.push_back(job.key.layers.back() + here * side);
  }
  for (std::size_t i = 0; i < to.size(); ++i) {
    job.from.push_back(static_cast<std::int64_t>(i));
    job.to.push_back(static_cast<std::int64_t>(to[i]));
  }
  const bool staged = c.strategy == plan::Strategy::staged;
  if (!to.empty()) {
    const auto done = staged ? converter.out_of_place(job) : converter.in_place(job);
    if (!done) return Refutation{"conversion", "taken", to_string(done.error())};
  }
  const auto [want, got] = std::ranges::mismatch(wanted, local.bytes);
  if (want == wanted.end()) return {};
  const auto offset = static_cast<std::uint64_t>(want - wanted.begin());
  return Refutation{
      fmt::format("layer={} side={} block={} byte={}", offset / (here * 2 * side),
                  offset / (here * side) % 2 == 0 ? "K" : "V", offset / side % here, offset % side),
      fmt::format("{:#04x}", static_cast<unsigned>(*want)),
      fmt::format("{:#04x}", static_cast<unsigned>(*got))};
}

}  // namespace pageproof::fuzz
