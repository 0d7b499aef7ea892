#include "reports/silent/bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace pageproof::silent {
namespace {

using handshake::Copy;

struct Arrival {
  std::uint64_t source = 0;  // prefill rank
  std::uint64_t address = 0;
};

// Copies by where they land, for look-ups that mostly hit where the last one did.
class Landed {
 public:
  explicit Landed(std::span<const Copy> copies) : copies_(copies.begin(), copies.end()) {
    std::ranges::sort(copies_, {}, &Copy::local);
  }
  bool torn() const {
    return std::ranges::adjacent_find(copies_, [](const Copy& a, const Copy& b) {
             return b.local < a.local + a.bytes;
           }) != copies_.end();
  }
  std::optional<Arrival> at(std::uint64_t address) {
    if (!holds(last_, address)) {
      const auto after = std::ranges::upper_bound(copies_, address, {}, &Copy::local);
      if (after == copies_.begin()) return std::nullopt;
      last_ = static_cast<std::size_t>(after - copies_.begin()) - 1;
      if (!holds(last_, address)) return std::nullopt;
    }
    const Copy& copy = copies_[last_];
    return Arrival{copy.source, copy.remote + (address - copy.local)};
  }

 private:
  bool holds(std::size_t i, std::uint64_t address) const {
    return i < copies_.size() && address >= copies_[i].local && address - copies_[i].local < copies_[i].bytes;
  }
  std::vector<Copy> copies_;
  std::size_t last_ = 0;
};

std::uint64_t first_head(std::uint64_t rank, std::uint64_t ranks, std::uint64_t kv_heads) {
  return ranks <= kv_heads ? rank * (kv_heads / ranks) : rank * kv_heads / ranks;
}

// Of the rows of a block, where each comes from; empty where no step moves rows.
Expected<std::vector<std::uint32_t>> moved_rows(const Cache& cache, const Steps& steps) {
  if (steps.permutes && steps.regroups > 1) {
    return handshake::permute_and_regroup_rows(cache.slots, cache.tokens, steps.regroups);
  }
  if (steps.permutes) return handshake::permute_rows(cache.slots, cache.tokens);
  if (steps.regroups > 1) return handshake::regroup_rows(cache.slots, cache.tokens, steps.regroups);
  return std::vector<std::uint32_t>{};
}

std::string spoken(std::uint64_t layer, std::uint64_t token, std::uint64_t head, std::uint64_t side,
                   std::uint64_t dim, std::uint64_t byte) {
  return fmt::format("layer {} token {} head {} side {} dim {} byte {}", layer, token, head,
                     side == 0 ? "K" : "V", dim, byte);
}

// Which element of the request the address of a prefill rank holds.
std::string element_at(const Reading& reading, const Arrival& arrival) {
  const Cache& cache = reading.remote;
  for (std::size_t layer = 0; layer < cache.layers.size(); ++layer) {
    const auto& blocks = reading.remote_blocks[cache.layers[layer].group];
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const std::uint64_t base = cache.layers[layer].pointer + blocks[i] * cache.block_stride;
      for (std::uint64_t n = 0; n < cache.elements(); ++n) {
        const std::uint64_t at = base + cache.offsets[n];
        if (arrival.address < at || arrival.address - at >= cache.element_bytes) continue;
        const std::uint64_t row = n / cache.dims / cache.sides;
        const std::uint64_t head =
            first_head(arrival.source, reading.ranks.remote_size, reading.ranks.kv_heads) +
            row / cache.tokens;
        return spoken(layer, i * cache.tokens + row % cache.tokens, head, n / cache.dims % cache.sides,
                      n % cache.dims, arrival.address - at);
      }
    }
  }
  return "a byte that is not of this request's blocks";
}

// From where the steps take the bytes of an element, from its block's first byte.
class Before {
 public:
  Before(const Cache& cache, const Steps& steps, std::vector<std::uint32_t> rows)
      : cache_(cache), steps_(steps), rows_(std::move(rows)) {}

  std::uint64_t offset(std::uint64_t head, std::uint64_t token, std::uint64_t side, std::uint64_t dim,
                       std::uint64_t element) const {
    if (steps_.converts) {
      const std::uint64_t half = cache_.elements() / 2 * cache_.element_bytes;
      const std::uint64_t page_byte = element * cache_.element_bytes;
      return page_byte < half ? page_byte : cache_.slot_stride + page_byte - half;
    }
    std::uint64_t at = cache_.offsets[element];
    if (steps_.repacks) {
      at = head * cache_.slot_stride + token * cache_.token_stride +
           (side * cache_.dims + dim) * cache_.element_bytes;
    }
    if (rows_.empty()) return at;
    const bool slot_is_side = cache_.format == Format::shuffled || cache_.format == Format::rocm_attn ||
                              cache_.format == Format::page_16;
    const std::uint64_t slot = slot_is_side ? side : head;
    const std::uint64_t within = at - slot * cache_.slot_stride;
    const std::uint32_t from = rows_[slot * cache_.tokens + within / cache_.token_stride];
    return from / cache_.tokens * cache_.slot_stride + from % cache_.tokens * cache_.token_stride +
           within % cache_.token_stride;
  }

 private:
  const Cache& cache_;
  Steps steps_;
  std::vector<std::uint32_t> rows_;
};

}  // namespace

Expected<std::optional<Wrong>> first_wrong(const Reading& reading) {
  const Cache& local = reading.local;
  const Cache& remote = reading.remote;
  Expected<std::vector<std::uint32_t>> rows = moved_rows(local, reading.steps);
  if (!rows) return std::unexpected(rows.error());
  const Before before(local, reading.steps, *std::move(rows));
  Landed landed(reading.copies);
  const std::uint64_t here =
      first_head(reading.ranks.local_rank, reading.ranks.local_size, reading.ranks.kv_heads);
  const auto wrong = [&](std::uint64_t layer, std::uint64_t token, std::uint64_t head, std::uint64_t side,
                         std::uint64_t dim, std::uint64_t byte, std::string got) {
    const std::string element = spoken(layer, token, head, side, dim, byte);
    return Wrong{fmt::format("decode rank {}, {}", reading.ranks.local_rank, element), element,
                 std::move(got)};
  };
  if (!reading.same_encoding || local.element_bytes != remote.element_bytes) {
    return wrong(0, 0, here, 0, 0, 0, "an element of another dtype");
  }
  if (landed.torn()) return wrong(0, 0, here, 0, 0, 0, "bytes of two copies that overlap");

  for (std::size_t layer = 0; layer < local.layers.size(); ++layer) {
    const auto& local_blocks = reading.local_blocks[local.layers[layer].group];
    const auto& remote_blocks = reading.remote_blocks[remote.layers[layer].group];
    for (std::uint64_t position = 0; position < local_blocks.size() * local.tokens; ++position) {
      const std::uint64_t token = position % local.tokens;
      const std::uint64_t base =
          local.layers[layer].pointer + local_blocks[position / local.tokens] * local.block_stride;
      const std::uint64_t remote_base =
          remote.layers[layer].pointer + remote_blocks[position / remote.tokens] * remote.block_stride;
      const std::uint64_t remote_token = position % remote.tokens;
      for (std::uint64_t head = 0; head < local.heads; ++head) {
        for (std::uint64_t side = 0; side < local.sides; ++side) {
          for (std::uint64_t dim = 0; dim < local.dims; ++dim) {
            const std::uint64_t element = local.number(head, token, side, dim);
            const std::uint64_t at = base + before.offset(head, token, side, dim, element);
            // An element has 1 or 2 bytes: its first and its last are all.
            for (std::uint64_t byte = 0; byte < local.element_bytes;
                 byte += std::max<std::uint64_t>(1, local.element_bytes - 1)) {
              const std::optional<Arrival> arrival = landed.at(at + byte);
              if (!arrival) {
                return wrong(layer, position, here + head, side, dim, byte, "nothing: what was there before");
              }
              const std::uint64_t first =
                  first_head(arrival->source, reading.ranks.remote_size, reading.ranks.kv_heads);
              const std::uint64_t there = here + head - first;  // wraps where the rank lacks the head
              const bool same =
                  there < remote.heads &&
                  arrival->address ==
                      remote_base + byte + remote.offsets[remote.number(there, remote_token, side, dim)];
              if (!same) {
                return wrong(layer, position, here + head, side, dim, byte, element_at(reading, *arrival));
              }
            }
          }
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace pageproof::silent
