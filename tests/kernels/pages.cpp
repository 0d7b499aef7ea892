#include "tests/kernels/pages.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <sstream>

namespace pageproof::tests {
namespace {

constexpr unsigned char kPoison = 0xA5;
constexpr std::uint64_t kGap = 64;  // bytes of poison around every layer

Bytes random_bytes(std::uint64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes bytes(count);
  for (std::uint64_t i = 0; i < count; i += 8) {
    const std::uint64_t word = random();
    std::memcpy(&bytes[i], &word, std::min<std::uint64_t>(8, count - i));
  }
  return bytes;
}

unsigned char* align(std::vector<unsigned char>& memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  return memory.data() + (64 - address % 64) % 64;
}

}  // namespace

std::uint64_t Case::side_bytes() const {
  return std::uint64_t{shape.heads} * shape.tokens * shape.head_dim * shape.element_bytes;
}

bool Case::in_range(std::size_t i) const {
  const std::int64_t source = standard_block_ids.empty() ? block_ids[i] : standard_block_ids[i];
  return block_ids[i] >= 0 && static_cast<std::uint64_t>(block_ids[i]) < plane_blocks && source >= 0 &&
         static_cast<std::uint64_t>(source) < standard_blocks;
}

std::string to_string(const Case& c) {
  std::ostringstream text;
  constexpr const char* kNames[] = {"dense", "two_slot", "padded"};
  text << "H=" << c.shape.heads << " N=" << c.shape.tokens << " D=" << c.shape.head_dim
       << " e=" << c.shape.element_bytes << " layers=" << c.layers << " id_bytes=" << c.id_bytes << ' '
       << kNames[static_cast<int>(c.strides)] << " blocks=" << c.block_ids.size();
  if (c.order == PAGEPROOF_TOKENS_FIRST) text << " tokens_first";
  if (c.to_pages()) text << " to_pages";
  if (c.rewrite == PAGEPROOF_E4M3_TO_E4M3FNUZ) text << " e4m3_to_e4m3fnuz";
  return text.str();
}

Memory::Memory(const Case& c, bool in_place, std::uint64_t seed) : case_(c), in_place_(in_place) {
  std::uint64_t standard_bytes = 0, plane_bytes = 0;
  place_pools(standard_bytes, plane_bytes);
  standard_before_ = c.to_pages() ? Bytes(standard_bytes, kPoison) : random_bytes(standard_bytes, seed);
  before_ = c.to_pages() ? random_bytes(plane_bytes, seed) : Bytes(plane_bytes, kPoison);
  if (in_place_ && !c.to_pages()) land(case_, before_);
  expected_standard_ = standard_before_;
  expected_ = before_;
  convert(case_);

  standard_memory_.resize(standard_bytes + 64);
  plane_memory_.resize(plane_bytes + 64);
  standard_begin_ = align(standard_memory_);
  planes_begin_ = align(plane_memory_);
  std::copy(standard_before_.begin(), standard_before_.end(), standard_begin_);
  std::copy(before_.begin(), before_.end(), planes_begin_);
  for (std::uint32_t layer = 0; layer < case_.layers; ++layer) {
    standard_bases_.push_back(standard_begin_ + standard_.layer_offsets[layer]);
    k_bases_.push_back(planes_begin_ + k_.layer_offsets[layer]);
    v_bases_.push_back(planes_begin_ + v_.layer_offsets[layer]);
  }
  for (const std::int64_t id : case_.block_ids) ids32_.push_back(static_cast<std::int32_t>(id));
  for (const std::int64_t id : case_.standard_block_ids)
    standard_ids32_.push_back(static_cast<std::int32_t>(id));
}

void Memory::place_pools(std::uint64_t& standard_bytes, std::uint64_t& plane_bytes) {
  const std::uint64_t side = case_.side_bytes();
  const std::uint64_t padding = case_.strides == Strides::padded ? 48 : 0;
  standard_.stride = 2 * side + padding;
  k_.stride = v_.stride = case_.strides == Strides::two_slot ? 2 * side : side + padding;
  for (std::uint32_t layer = 0; layer < case_.layers; ++layer) {
    standard_.layer_offsets.push_back(standard_bytes + kGap);
    standard_bytes += kGap + case_.standard_blocks * standard_.stride;
    k_.layer_offsets.push_back(plane_bytes + kGap);
    if (case_.strides == Strides::two_slot) {
      v_.layer_offsets.push_back(plane_bytes + kGap + side);
      plane_bytes += kGap + case_.plane_blocks * k_.stride;
    } else {
      plane_bytes += kGap + case_.plane_blocks * k_.stride;
      v_.layer_offsets.push_back(plane_bytes + kGap);
      plane_bytes += kGap + case_.plane_blocks * v_.stride;
    }
  }
  standard_bytes += kGap;
  plane_bytes += kGap;
}

// The read's work: a page's first half into the K-plane block, its second half into the V-plane block.
void Memory::land(const Case& c, Bytes& planes) const {
  const std::uint64_t side = c.side_bytes();
  for (std::uint32_t layer = 0; layer < c.layers; ++layer) {
    for (std::size_t i = 0; i < c.block_ids.size(); ++i) {
      if (!c.in_range(i)) continue;
      const std::uint64_t source = c.standard_block_ids.empty() ? c.block_ids[i] : c.standard_block_ids[i];
      const std::uint64_t id = c.block_ids[i];
      const auto* page = &standard_before_[standard_.layer_offsets[layer] + source * standard_.stride];
      std::copy_n(page, side, &planes[k_.layer_offsets[layer] + id * k_.stride]);
      std::copy_n(page + side, side, &planes[v_.layer_offsets[layer] + id * v_.stride]);
    }
  }
}

// Element by element. In place a page's byte p lies in the K-plane block where p < S, else in the V-plane
// block.
void Memory::convert(const Case& c) {
  const std::uint64_t H = c.shape.heads, N = c.shape.tokens, D = c.shape.head_dim, e = c.shape.element_bytes;
  const std::uint64_t x = 16 / e, S = c.side_bytes();
  const bool tokens_first = c.order == PAGEPROOF_TOKENS_FIRST;
  const std::uint64_t of_head = tokens_first ? 2 * D * e : 2 * N * D * e;
  const std::uint64_t of_token = tokens_first ? 2 * H * D * e : 2 * D * e;
  const Bytes standard = standard_before_, planes = before_;
  for (std::uint32_t layer = 0; layer < c.layers; ++layer) {
    for (std::size_t i = 0; i < c.block_ids.size(); ++i) {
      if (!c.in_range(i)) continue;
      const std::uint64_t other = c.standard_block_ids.empty() ? c.block_ids[i] : c.standard_block_ids[i];
      const std::uint64_t id = c.block_ids[i];
      const std::uint64_t page = standard_.layer_offsets[layer] + other * standard_.stride;
      const std::uint64_t k = k_.layer_offsets[layer] + id * k_.stride;
      const std::uint64_t v = v_.layer_offsets[layer] + id * v_.stride;
      const auto move = [&](std::uint64_t in_page, std::uint64_t in_planes) {
        const auto landed = [&] { return in_page < S ? k + in_page : v + (in_page - S); };
        const bool to_pages = c.to_pages();
        const std::uint8_t byte = to_pages    ? planes[in_planes]
                                  : in_place_ ? planes[landed()]
                                              : standard[page + in_page];
        std::uint8_t& target = !to_pages   ? expected_[in_planes]
                               : in_place_ ? expected_[landed()]
                                           : expected_standard_[page + in_page];
        target = c.rewrite == PAGEPROOF_E4M3_TO_E4M3FNUZ ? rewritten(byte) : byte;
      };
      for (std::uint64_t h = 0; h < H; ++h) {
        for (std::uint64_t n = 0; n < N; ++n) {
          for (std::uint64_t d = 0; d < D; ++d) {
            const std::uint64_t key = h * of_head + n * of_token + d * e;
            const std::uint64_t k_byte = k + h * N * D * e + (d / x) * 16 * N + n * 16 + (d % x) * e;
            const std::uint64_t v_byte = v + h * N * D * e + (n / x) * 16 * D + d * 16 + (n % x) * e;
            for (std::uint64_t byte = 0; byte < e; ++byte) {
              move(key + byte, k_byte + byte);
              move(key + D * e + byte, v_byte + byte);
            }
          }
        }
      }
    }
  }
}

namespace {

// What a code means, in 2^-10; NaN where it is none. OCP: bias 7, NaN is S.1111.111. fnuz: bias 8, NaN is
// 0x80.
double meaning(std::uint8_t code, bool fnuz) {
  if (fnuz ? code == 0x80 : (code & 0x7F) == 0x7F) return std::nan("");
  const int exponent = code >> 3 & 15, mantissa = code & 7, bias = fnuz ? 8 : 7;
  const double magnitude = exponent == 0 ? std::ldexp(mantissa, 1 - bias - 3 + 10)
                                         : std::ldexp(8 + mantissa, exponent - bias - 3 + 10);
  return code & 0x80 ? -magnitude : magnitude;
}

}  // namespace

std::uint8_t rewritten(std::uint8_t e4m3) {
  static const auto table = [] {
    std::vector<std::uint8_t> codes(256);
    for (int from = 0; from < 256; ++from) {
      const double value = meaning(static_cast<std::uint8_t>(from), false);
      for (int to = 255; to >= 0; --to) {  // 0x00 before 0x80, which is no zero
        const double other = 2 * meaning(static_cast<std::uint8_t>(to), true);
        if (value == other || (std::isnan(value) && std::isnan(other)))
          codes[static_cast<std::size_t>(from)] = static_cast<std::uint8_t>(to);
      }
    }
    return codes;
  }();
  return table[e4m3];
}

// All layers lie alike, so their bases are equally far apart.
pageproof_pool Memory::pool(const std::vector<void*>& bases, std::uint64_t stride,
                            std::uint64_t blocks) const {
  if (!case_.base_and_stride) return {bases.data(), stride, blocks, nullptr, 0};
  const auto distance = [&] { return static_cast<char*>(bases[1]) - static_cast<char*>(bases[0]); };
  return {nullptr, stride, blocks, bases[0], bases.size() > 1 ? static_cast<std::uint64_t>(distance()) : 0};
}

pageproof_job Memory::job(std::uint32_t threads) const {
  pageproof_job job{};
  job.struct_bytes = sizeof job;
  job.memory = PAGEPROOF_HOST;
  job.shape = case_.shape;
  job.layers = case_.layers;
  job.id_bytes = case_.id_bytes;
  job.id_count = case_.block_ids.size();
  const bool wide = case_.id_bytes == 8;
  job.block_ids = wide ? static_cast<const void*>(case_.block_ids.data()) : ids32_.data();
  if (!case_.standard_block_ids.empty()) {
    job.standard_block_ids =
        wide ? static_cast<const void*>(case_.standard_block_ids.data()) : standard_ids32_.data();
  }
  if (!in_place_) job.standard = pool(standard_bases_, standard_.stride, case_.standard_blocks);
  job.k_plane = pool(k_bases_, k_.stride, case_.plane_blocks);
  job.v_plane = pool(v_bases_, v_.stride, case_.plane_blocks);
  job.order = case_.order;
  job.direction = case_.direction;
  job.rewrite = case_.rewrite;
  job.threads = threads;
  return job;
}

Bytes Memory::planes() const {
  return Bytes(planes_begin_, planes_begin_ + before_.size());
}

bool Memory::standard_untouched() const {
  return std::equal(expected_standard_.begin(), expected_standard_.end(), standard_begin_);
}

Bytes Memory::standard() const {
  return Bytes(standard_begin_, standard_begin_ + standard_before_.size());
}

std::string Memory::wrong() const {
  if (std::string found = difference(planes(), expected_); !found.empty()) return "planes: " + found;
  if (std::string found = difference(standard(), expected_standard_); !found.empty())
    return "pages: " + found;
  return {};
}

std::string difference(const Bytes& got, const Bytes& expected) {
  if (got.size() != expected.size()) return "sizes differ";
  const auto [a, b] = std::mismatch(got.begin(), got.end(), expected.begin());
  if (a == got.end()) return {};
  const auto count = std::inner_product(got.begin(), got.end(), expected.begin(), std::size_t{0},
                                        std::plus<>(), std::not_equal_to<>());
  return "byte " + std::to_string(a - got.begin()) + ": " + std::to_string(*a) + ", expected " +
         std::to_string(*b) + "; " + std::to_string(count) + " bytes differ";
}

std::vector<Case> all_cases(std::uint64_t seed, std::uint64_t page_bytes) {
  std::mt19937_64 random(seed);
  std::vector<Case> cases;
  for (const std::uint32_t tokens : {16u, 32u}) {
    for (const std::uint32_t head_dim : {64u, 128u, 256u}) {
      for (const std::uint32_t element_bytes : {1u, 2u}) {
        for (const std::uint32_t heads : {1u, 2u, 3u, 5u, 8u}) {
          Case c;
          c.shape = {heads, tokens, head_dim, element_bytes};
          if (2 * c.side_bytes() > page_bytes) continue;
          c.layers = 1 + random() % 3;
          c.id_bytes = random() % 2 ? 4 : 8;
          c.strides = static_cast<Strides>(random() % 3);
          c.plane_blocks = 4 + random() % 3;
          c.standard_blocks = 4 + random() % 3;
          // Destinations are distinct and out of order; sources are others, and one may be listed twice.
          std::vector<std::int64_t> ids(c.plane_blocks);
          std::iota(ids.begin(), ids.end(), 0);
          std::shuffle(ids.begin(), ids.end(), random);
          c.block_ids.assign(ids.begin(), ids.begin() + 3);
          for (int i = 0; i < 3; ++i) c.standard_block_ids.push_back(random() % c.standard_blocks);
          cases.push_back(c);
        }
      }
    }
  }
  return cases;
}

std::vector<Case> all_order_cases(std::uint64_t seed, std::uint64_t page_bytes) {
  std::vector<Case> cases;
  for (Case c : all_cases(seed, page_bytes)) {
    for (const pageproof_order order : {PAGEPROOF_HEADS_FIRST, PAGEPROOF_TOKENS_FIRST}) {
      for (const pageproof_direction direction : {PAGEPROOF_TO_PLANES, PAGEPROOF_TO_PAGES}) {
        for (const pageproof_rewrite rewrite : {PAGEPROOF_KEEP_BYTES, PAGEPROOF_E4M3_TO_E4M3FNUZ}) {
          c.order = order;
          c.direction = direction;
          c.rewrite = rewrite;
          if (order == PAGEPROOF_HEADS_FIRST && direction == PAGEPROOF_TO_PLANES &&
              rewrite == PAGEPROOF_KEEP_BYTES) {
            continue;
          }
          if (rewrite != PAGEPROOF_KEEP_BYTES && c.shape.element_bytes != 1) continue;
          cases.push_back(c);
          // Written pages are distinct, read ones need not be.
          if (c.to_pages()) {
            std::vector<std::int64_t>& written = cases.back().standard_block_ids;
            std::iota(written.begin(), written.end(), static_cast<std::int64_t>(c.standard_blocks) - 3);
            std::swap(written.front(), written.back());
          }
        }
      }
    }
  }
  return cases;
}

}  // namespace pageproof::tests
