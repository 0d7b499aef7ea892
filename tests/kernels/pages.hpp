// A job over real memory, and what every byte of that memory must be after it. The expectation is written as
// plain loops over the contract (pageproof.h), element by element; nothing of it comes from the converter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/convert/pageproof.h"

namespace pageproof::tests {

enum class Strides { dense, two_slot, padded };  // two_slot: V blocks lie between the K blocks

struct Case {
  pageproof_shape shape{2, 16, 64, 2};
  std::uint32_t layers = 1;
  std::uint32_t id_bytes = 8;
  Strides strides = Strides::dense;
  std::vector<std::int64_t> block_ids{0};
  std::vector<std::int64_t> standard_block_ids;  // empty: block_ids
  std::uint64_t plane_blocks = 1;
  std::uint64_t standard_blocks = 1;
  pageproof_order order = PAGEPROOF_HEADS_FIRST;
  pageproof_direction direction = PAGEPROOF_TO_PLANES;
  pageproof_rewrite rewrite = PAGEPROOF_KEEP_BYTES;
  bool base_and_stride = false;  // layers by base and layer_stride, not by a table

  bool to_pages() const { return direction == PAGEPROOF_TO_PAGES; }
  std::uint64_t side_bytes() const;
  bool in_range(std::size_t i) const;  // the i-th ids lie in their pools
};

// The case's own name: "H=3 N=16 D=64 e=2 layers=2 id_bytes=4 two_slot blocks=3".
std::string to_string(const Case& c);

using Bytes = std::vector<unsigned char>;

// 64-byte aligned memory: one arena for the standard pages, one for the planes, each layer behind the other
// with poison between blocks and layers. What is read holds random bytes, every NaN pattern included.
class Memory {
 public:
  // To planes: random pages, planes of poison; in place, the landing of the pages lies in the planes. To
  // pages: random planes, pages of poison.
  Memory(const Case& c, bool in_place, std::uint64_t seed);

  // Not movable: the job points into it.
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  pageproof_job job(std::uint32_t threads = 1) const;

  // What `planes` must hold after the conversion of all blocks in range.
  const Bytes& expected() const { return expected_; }
  const Bytes& before() const { return before_; }
  Bytes planes() const;
  // The standard arena holds what it must: to planes, what it held before.
  bool standard_untouched() const;
  const Bytes& expected_standard() const { return expected_standard_; }
  Bytes standard() const;
  // The first byte of either arena that is not as expected; empty where all are.
  std::string wrong() const;

  // Where the arenas lie and how large they are: device tests copy them.
  struct Arena {
    unsigned char* begin;
    std::uint64_t bytes;
  };
  Arena standard_arena() const { return {standard_begin_, standard_before_.size()}; }
  Arena plane_arena() const { return {planes_begin_, before_.size()}; }

 private:
  struct Layout {
    std::uint64_t stride;
    std::vector<std::uint64_t> layer_offsets;
  };
  void place_pools(std::uint64_t& standard_bytes, std::uint64_t& plane_bytes);
  void land(const Case& c, Bytes& planes) const;
  pageproof_pool pool(const std::vector<void*>& bases, std::uint64_t stride, std::uint64_t blocks) const;
  void convert(const Case& c);

  Case case_;
  bool in_place_;
  Layout standard_, k_, v_;
  std::vector<unsigned char> standard_memory_, plane_memory_;
  unsigned char* standard_begin_ = nullptr;
  unsigned char* planes_begin_ = nullptr;
  Bytes standard_before_, expected_standard_, before_, expected_;
  std::vector<void*> standard_bases_, k_bases_, v_bases_;
  std::vector<std::int32_t> ids32_, standard_ids32_;
};

// The first byte that differs: "byte 4096: 17, expected 90; 8192 bytes differ"; empty where none does.
std::string difference(const Bytes& got, const Bytes& expected);

// The e4m3fnuz code of half the value of an e4m3 code, found by meaning: both are decoded.
std::uint8_t rewritten(std::uint8_t e4m3);

// all_cases in every other order, direction and rewrite.
std::vector<Case> all_order_cases(std::uint64_t seed, std::uint64_t page_bytes = ~0ull);

// Shapes and lists that cover the kernels' scope: N x D x e x H in {1, 2, 3, 5, 8}, each with strides, id
// widths, layers and id lists drawn from `seed`. Pages above `page_bytes` are left out.
std::vector<Case> all_cases(std::uint64_t seed, std::uint64_t page_bytes = ~0ull);

}  // namespace pageproof::tests
