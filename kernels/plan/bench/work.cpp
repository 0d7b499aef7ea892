#include "kernels/plan/bench/work.hpp"

#include <fmt/format.h>

#include <cassert>
#include <cstring>
#include <numeric>

namespace pageproof::plan::bench {
namespace {

constexpr std::uint64_t kHalf = 32768;  // S: 8 heads · 16 tokens · 128 · 2 B

template <class T>
std::uint64_t heap_bytes(const std::vector<T>& list) {
  return list.capacity() * sizeof(T);
}

std::uint64_t held_bytes(const Prepared& pair) {
  std::uint64_t bytes = sizeof pair + pair.local.held_bytes() + pair.remote.held_bytes();
  for (const std::vector<Region>* regions : {&pair.local_regions, &pair.remote_regions}) {
    bytes += heap_bytes(*regions);
    for (const Region& region : *regions) bytes += region.name.capacity() + 1;
  }
  for (const IdOrder* order : {&pair.local_order, &pair.remote_order})
    bytes += heap_bytes(order->first_id) + heap_bytes(order->rows) + heap_bytes(order->group);
  return bytes;
}

std::uint64_t checksum(const std::vector<Descriptor>& rows) {
  std::uint64_t sum = 0, place = 0;
  for (const Descriptor& row : rows) {
    for (const std::uint64_t value : {row.address, row.bytes, row.device}) sum += ++place * value;
  }
  return sum;
}

std::string json_of(const std::vector<Region>& regions) {
  std::vector<std::string> list;
  for (const Region& one : regions)
    list.push_back(fmt::format("[{},{},{},{}]", one.base, one.block_len, one.block_stride, one.num_blocks));
  return fmt::format("[{}]", fmt::join(list, ","));
}

}  // namespace

Engines engines(std::uint32_t layers, std::uint64_t blocks) {
  Engines pair;
  const std::uint64_t remote_blocks = blocks + blocks / 100 + 1;
  for (std::uint64_t layer = 0; layer < layers; ++layer) {
    const std::string name = fmt::format("model.layers.{}.self_attn.attn", layer);
    for (const std::uint64_t side : {0, 1}) {
      pair.local.regions.push_back({.base = (std::uint64_t{1} << 40) + (2 * layer + side) * blocks * kHalf,
                                    .block_len = kHalf,
                                    .block_stride = kHalf,
                                    .num_blocks = blocks,
                                    .name = name});
    }
    pair.remote.regions.push_back({.base = (std::uint64_t{1} << 44) + layer * remote_blocks * 2 * kHalf,
                                   .block_len = 2 * kHalf,
                                   .block_stride = 2 * kHalf,
                                   .num_blocks = remote_blocks,
                                   .name = name});
  }
  return pair;
}

BlockIds scattered_blocks(std::uint64_t count, std::uint64_t num_blocks) {
  assert(count <= num_blocks);
  std::uint64_t step = num_blocks * 5 / 8 + 1;
  while (std::gcd(step, num_blocks) != 1) ++step;
  BlockIds ids(count);
  for (std::uint64_t i = 0; i < count; ++i) ids[i] = i * step % num_blocks;
  return ids;
}

Work::Work(std::uint32_t layers, std::uint64_t blocks, std::uint64_t pool_blocks, std::uint64_t pair_blocks)
    : pool_(engines(layers, pool_blocks)), pair_(engines(layers, pair_blocks)) {
  const auto ready = [](const Engines& both) {
    auto prepared = prepare(both.local, both.remote, Split::halves, {});
    assert(prepared);
    return *std::move(prepared);
  };
  prepared_ = ready(pool_);
  blocks_ = {scattered_blocks(blocks, pool_blocks)};
  ids_.assign(plan::id_count(prepared_.local_order, blocks_), 1);
  ids_for_nixl_.assign(ids_.size(), 1);
  bytes_.assign(ids_.size() * sizeof ids_[0], 1);
  rows_.assign(prepared_.local.rows(), {1, 1, 1});
  request_rows_.assign(ids_.size(), {1, 1, 1});

  const Prepared held = ready(pair_);
  pair_bytes_ = held_bytes(held);
  pair_count_ = held.local.rows() + held.remote.rows();
  ids();
}

bool Work::ids() {
  return fill_ids(prepared_.local_order, blocks_, "local", ids_).has_value();
}

bool Work::ids_for_nixl() {
  return fill_ids(prepared_.local_order, blocks_, "local", ids_for_nixl_).has_value();
}

bool Work::set_bytes() {
  std::memset(bytes_.data(), bytes_[0] + 1, ids_.size() * sizeof ids_[0]);
  return true;
}

bool Work::set_bytes_for_nixl() {
  std::memset(bytes_.data(), bytes_[0] + 1, ids_for_nixl_.size() * sizeof ids_for_nixl_[0]);
  return true;
}

bool Work::list_rows() {
  prepared_.local.fill(0, rows_);
  return true;
}

bool Work::request_rows() {
  prepared_.local.gather(ids_, request_rows_);
  return true;
}

bool Work::pair() {
  return prepare(pair_.local, pair_.remote, Split::halves, {}).has_value();
}

std::uint64_t Work::ids_checksum() {
  ids();
  std::uint64_t sum = 0, place = 0;
  for (const std::uint64_t id : ids_) sum += ++place * id;
  return sum;
}

std::uint64_t Work::list_rows_checksum() {
  list_rows();
  return checksum(rows_);
}

std::uint64_t Work::request_rows_checksum() {
  request_rows();
  return checksum(request_rows_);
}

std::string Work::json() const {
  const auto remote = [](const Engines& both) {
    return prepare(both.local, both.remote, Split::halves, {})->remote_regions;
  };
  return fmt::format(R"({{"blocks":[{}],"list":{},"pair":[{},{}]}})", fmt::join(blocks_.front(), ","),
                     json_of(pool_.local.regions), json_of(pair_.local.regions), json_of(remote(pair_)));
}

}  // namespace pageproof::plan::bench
