#include "fuzz/receive/pages.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/convert/pageproof.h"
#include "oracle/offset/writer.hpp"

namespace pageproof::fuzz_receive {
namespace {

constexpr std::uint32_t kSide = static_cast<std::uint32_t>(kShape.side_bytes() / 2);  // elements

// Neither overlaps the other: so it becomes vector code.
void write_salted(const std::uint16_t* __restrict from, std::uint16_t* __restrict to, std::uint32_t count,
                  std::uint16_t salt) {
  for (std::uint32_t i = 0; i < count; ++i) to[i] = static_cast<std::uint16_t>(from[i] ^ salt);
}

}  // namespace

std::uint16_t salt_of(std::uint64_t prompt, std::uint64_t block_of_prompt, std::uint64_t layer) {
  return static_cast<std::uint16_t>(prompt * 40503 + block_of_prompt * 9973 + layer * 30011 + 1);
}

Pages::Pages(std::uint32_t blocks, std::uint32_t layers)
    : blocks_(blocks),
      layers_(layers),
      planes_(std::size_t{blocks} * layers * 2 * kSide),
      standard_(2 * kSide),
      shuffled_(2 * kSide) {
  std::iota(standard_.begin(), standard_.end(), std::uint16_t{0});
  const std::uint64_t first = 0;
  const auto shuffled = std::as_writable_bytes(std::span(shuffled_));
  oracle::gather_and_rewrite(kShape, std::as_bytes(std::span(standard_)), {&first, 1}, {&first, 1},
                             {shuffled.first(kShape.side_bytes()), shuffled.last(kShape.side_bytes())});
  for (std::uint64_t token = 0; token < kShape.tokens; ++token) {
    for (const Side of : {Side::key, Side::value}) {
      for (std::uint64_t head = 0; head < kShape.heads; ++head) {
        for (std::uint64_t dim = 0; dim < kShape.head_dim; ++dim) {
          const std::uint64_t byte = oracle::shuffled_byte(
              kShape, {.block = 0, .side = of, .head = head, .token = token, .dim = dim});
          tokens_.push_back(static_cast<std::uint32_t>(byte / 2 + (of == Side::value ? kSide : 0)));
        }
      }
    }
  }
}

std::uint16_t* Pages::at(std::uint32_t block, std::uint32_t layer, int which) {
  return planes_.data() +
         ((std::size_t{layer} * 2 + static_cast<std::size_t>(which)) * blocks_ + block) * kSide;
}
std::span<const std::uint16_t> Pages::side(std::uint32_t block, std::uint32_t layer, int which) const {
  return {
      planes_.data() + ((std::size_t{layer} * 2 + static_cast<std::size_t>(which)) * blocks_ + block) * kSide,
      kSide};
}

void Pages::zero(std::uint32_t block) {
  for (std::uint32_t layer = 0; layer < layers_; ++layer) {
    for (const int which : {0, 1}) std::fill_n(at(block, layer, which), kSide, std::uint16_t{0});
  }
}

void Pages::land(std::uint32_t block, std::uint32_t layer, std::uint16_t salt, std::uint32_t from,
                 std::uint32_t to, bool shuffled) {
  const std::uint16_t* page = shuffled ? shuffled_.data() : standard_.data();
  for (const int which : {0, 1}) {
    const std::uint32_t base = which == 0 ? 0 : kSide;
    const std::uint32_t begin = std::clamp(from, base, base + kSide);
    const std::uint32_t end = std::clamp(to, base, base + kSide);
    write_salted(page + begin, at(block, layer, which) + (begin - base), end - begin, salt);
  }
}

bool Pages::convert(std::span<const std::int32_t> blocks, std::uint32_t layer) {
  const auto plane = [&](int which) {
    pageproof_pool pool{};
    pool.base = at(0, layer, which);
    pool.block_stride = kShape.side_bytes();
    pool.num_blocks = blocks_;
    return pool;
  };
  pageproof_job job{};
  job.struct_bytes = sizeof(job);
  job.memory = PAGEPROOF_HOST;
  job.shape = {static_cast<std::uint32_t>(kShape.heads), static_cast<std::uint32_t>(kShape.tokens),
               static_cast<std::uint32_t>(kShape.head_dim), static_cast<std::uint32_t>(kShape.element_bytes)};
  job.layers = 1;
  job.id_bytes = 4;
  job.id_count = blocks.size();
  job.block_ids = blocks.data();
  job.k_plane = plane(0);
  job.v_plane = plane(1);
  job.threads = 1;
  return pageproof_convert_in_place(&job) == PAGEPROOF_OK;
}

void Pages::write(std::uint32_t block, std::uint32_t layer, std::uint16_t salt) {
  land(block, layer, salt, 0, kPageElements, true);
}

void Pages::append(std::uint32_t block, std::uint32_t layer, std::uint16_t salt, std::uint32_t token) {
  const std::size_t elements = tokens_.size() / kShape.tokens;
  for (const std::uint32_t i : std::span(tokens_).subspan(token * elements, elements)) {
    at(block, layer, i < kSide ? 0 : 1)[i % kSide] = static_cast<std::uint16_t>(kAppended ^ salt);
  }
}

std::int64_t Pages::differs(std::uint32_t block, std::uint32_t layer, std::uint16_t salt,
                            Written written) const {
  const std::uint16_t* page = shuffled_.data();
  std::vector<std::uint16_t> patched;
  if (written.count > 0) {
    patched = shuffled_;
    const std::size_t elements = tokens_.size() / kShape.tokens;
    for (const std::uint32_t i :
         std::span(tokens_).subspan(written.first * elements, written.count * elements)) {
      patched[i] = kAppended;
    }
    page = patched.data();
  }
  for (const int which : {0, 1}) {
    const std::uint16_t* want = page + (which == 0 ? 0 : kSide);
    const std::uint16_t* have = side(block, layer, which).data();
    std::uint16_t wrong = 0;
    for (std::uint32_t i = 0; i < kSide; ++i) wrong |= static_cast<std::uint16_t>(have[i] ^ want[i] ^ salt);
    if (wrong == 0) continue;
    for (std::uint32_t i = 0; i < kSide; ++i) {
      if (have[i] != static_cast<std::uint16_t>(want[i] ^ salt)) return 2 * (std::int64_t{i} + which * kSide);
    }
  }
  return -1;
}

}  // namespace pageproof::fuzz_receive
