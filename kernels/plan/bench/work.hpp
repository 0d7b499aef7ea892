// What is measured of the planner: one object a request, each function one call of what the row names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/plan/pair.hpp"

namespace pageproof::plan::bench {

// Planes of 32 KiB a block (Qwen3-8B in bf16 with 16-token blocks) on the local side, pages of 64 KiB on the
// remote side, and a few blocks more there.
struct Engines {
  Side local;
  Side remote;
};
Engines engines(std::uint32_t layers, std::uint64_t blocks);

// Distinct blocks below num_blocks, in no order. @pre count <= num_blocks
BlockIds scattered_blocks(std::uint64_t count, std::uint64_t num_blocks);

class Work {
 public:
  // The request's blocks out of a pool; buffers are made and touched here.
  Work(std::uint32_t layers, std::uint64_t blocks, std::uint64_t pool_blocks, std::uint64_t pair_blocks);

  bool ids();           // the request's ids into a buffer
  bool ids_for_nixl();  // the same as int32, which make_prepped_xfer takes
  bool set_bytes();     // memset of as many bytes as ids() fills: what memory allows
  bool set_bytes_for_nixl();
  bool list_rows();     // every row of the local list, for prep_xfer_dlist
  bool request_rows();  // the rows of the request's ids
  bool pair();          // a pair of engines, prepared and dropped

  // Sum of (i + 1) · value[i] modulo 2^64, over the values in order; of rows address, bytes, device.
  std::uint64_t ids_checksum();
  std::uint64_t list_rows_checksum();
  std::uint64_t request_rows_checksum();

  std::uint64_t id_count() const { return ids_.size(); }
  std::uint64_t list_count() const { return rows_.size(); }
  std::uint64_t pair_count() const { return pair_count_; }
  std::uint64_t pair_bytes() const { return pair_bytes_; }

  // The same as JSON, for baseline.py.
  std::string json() const;

 private:
  Engines pool_;
  Engines pair_;
  Prepared prepared_;
  BlockGroups blocks_;
  std::vector<std::uint64_t> ids_;
  std::vector<std::int32_t> ids_for_nixl_;
  std::vector<Descriptor> rows_;
  std::vector<Descriptor> request_rows_;
  std::vector<unsigned char> bytes_;
  std::uint64_t pair_count_ = 0;  // rows of both lists
  std::uint64_t pair_bytes_ = 0;
};

}  // namespace pageproof::plan::bench
