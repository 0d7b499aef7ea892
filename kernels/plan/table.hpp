// A list of descriptors that is not written out: a few series stand for millions of rows, each row computed
// from its id. Memory grows with the regions, not with the blocks.
//
//   row(id) = series k, i = id − first id of k:  address + (i / parts) · stride + (i % parts) · bytes
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/plan/region.hpp"
#include "kernels/plan/row.hpp"

namespace pageproof::plan {

using Series = SeriesOf<std::uint64_t>;

class DescriptorTable {
 public:
  DescriptorTable() = default;
  // @pre no row of a series wraps around 2^64, and all rows together are fewer than 2^63
  DescriptorTable(std::vector<Series> series, std::uint64_t device);

  std::uint64_t rows() const { return first_id_.back(); }
  std::span<const Series> series() const { return series_; }
  std::uint64_t device() const { return device_; }
  // The id of a series' first row.
  std::uint64_t first_id(std::size_t series) const { return first_id_[series]; }

  // Bytes on the heap.
  std::uint64_t held_bytes() const {
    return series_.capacity() * sizeof(Series) + first_id_.capacity() * sizeof(std::uint64_t);
  }

  // @pre id < rows()
  std::size_t series_of(std::uint64_t id) const;
  Descriptor row(std::uint64_t id) const;

  // Rows first, first + 1, ... @pre first + out.size() <= rows()
  void fill(std::uint64_t first, std::span<Descriptor> out) const;
  // The rows of these ids. @pre each id < rows(); ids of one series in a row are quickest
  void gather(std::span<const std::uint64_t> ids, std::span<Descriptor> out) const;

 private:
  std::vector<Series> series_;
  std::vector<std::uint64_t> first_id_{0};  // of each series, then rows()
  std::uint64_t device_ = 0;
};

}  // namespace pageproof::plan
