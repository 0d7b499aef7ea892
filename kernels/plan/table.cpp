#include "kernels/plan/table.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace pageproof::plan {
namespace {

Descriptor row_of(const Series& series, std::uint64_t index, std::uint64_t device) {
  if (series.parts == 1) return {row_address(series, index, std::uint64_t{0}), series.bytes, device};
  return {row_address(series, index / series.parts, index % series.parts), series.bytes, device};
}

void fill_progression(std::uint64_t address, std::uint64_t stride, std::uint64_t bytes, std::uint64_t device,
                      std::span<Descriptor> out) {
  for (Descriptor& row : out) {
    row = {address, bytes, device};
    address += stride;
  }
}

// Rows index, index + 1, ... of a series whose blocks are several descriptors with a gap behind them.
void fill_parts(const Series& series, std::uint64_t index, std::uint64_t device, std::span<Descriptor> out) {
  std::uint64_t part = index % series.parts;
  std::uint64_t block = series.address + index / series.parts * series.stride;
  for (Descriptor& row : out) {
    row = {block + part * series.bytes, series.bytes, device};
    if (++part < series.parts) continue;
    part = 0;
    block += series.stride;
  }
}

// From the front, as many ids as lie in this series.
std::size_t gather_series(const Series& series, std::uint64_t first_id, std::uint64_t device,
                          std::span<const std::uint64_t> ids, std::span<Descriptor> out) {
  const Series copy = series;  // what is written through `out` cannot change it
  const std::uint64_t rows = copy.count * copy.parts;
  std::size_t i = 0;
  if (copy.parts != 1) {
    for (; i < ids.size() && ids[i] - first_id < rows; ++i) out[i] = row_of(copy, ids[i] - first_id, device);
    return i;
  }
  for (; i < ids.size() && ids[i] - first_id < rows; ++i) {
    out[i] = {row_address(copy, ids[i] - first_id, std::uint64_t{0}), copy.bytes, device};
  }
  return i;
}

}  // namespace

DescriptorTable::DescriptorTable(std::vector<Series> series, std::uint64_t device)
    : series_(std::move(series)), device_(device) {
  for (const Series& one : series_) first_id_.push_back(first_id_.back() + one.count * one.parts);
}

std::size_t DescriptorTable::series_of(std::uint64_t id) const {
  assert(id < rows());
  const auto after = std::ranges::upper_bound(first_id_, id);
  return static_cast<std::size_t>(after - first_id_.begin()) - 1;
}

Descriptor DescriptorTable::row(std::uint64_t id) const {
  const std::size_t k = series_of(id);
  return row_of(series_[k], id - first_id_[k], device_);
}

void DescriptorTable::fill(std::uint64_t first, std::span<Descriptor> out) const {
  while (!out.empty()) {
    const std::size_t k = series_of(first);
    const Series& series = series_[k];
    const std::uint64_t index = first - first_id_[k];
    const std::span<Descriptor> part =
        out.first(std::min<std::uint64_t>(out.size(), first_id_[k + 1] - first));
    if (series.parts == 1) {
      fill_progression(series.address + index * series.stride, series.stride, series.bytes, device_, part);
    } else if (series.stride == series.parts * series.bytes) {
      fill_progression(series.address + index * series.bytes, series.bytes, series.bytes, device_, part);
    } else {
      fill_parts(series, index, device_, part);
    }
    first += part.size();
    out = out.subspan(part.size());
  }
}

void DescriptorTable::gather(std::span<const std::uint64_t> ids, std::span<Descriptor> out) const {
  assert(ids.size() == out.size());
  while (!ids.empty()) {
    const std::size_t k = series_of(ids.front());
    const std::size_t done = gather_series(series_[k], first_id_[k], device_, ids, out);
    ids = ids.subspan(done);
    out = out.subspan(done);
  }
}

}  // namespace pageproof::plan
