#include "kernels/plan/table.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace pageproof::plan {
namespace {

Descriptor row_of(const Series& series, std::uint64_t index, std::uint64_t device) {
  const std::uint64_t address = series.parts == 1 ? series.address + index * series.stride
                                                  : series.address + index / series.parts * series.stride +
                                                        index % series.parts * series.bytes;
  return {address, series.bytes, device};
}

// Blocks first, first + 1, ... of a series whose descriptors are one arithmetic progression.
void fill_progression(std::uint64_t address, std::uint64_t stride, std::uint64_t bytes, std::uint64_t device,
                      std::span<Descriptor> out) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = {address + i * stride, bytes, device};
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
      for (std::size_t i = 0; i < part.size(); ++i) part[i] = row_of(series, index + i, device_);
    }
    first += part.size();
    out = out.subspan(part.size());
  }
}

void DescriptorTable::gather(std::span<const std::uint64_t> ids, std::span<Descriptor> out) const {
  assert(ids.size() == out.size());
  std::size_t k = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < first_id_[k] || ids[i] >= first_id_[k + 1]) k = series_of(ids[i]);
    out[i] = row_of(series_[k], ids[i] - first_id_[k], device_);
  }
}

}  // namespace pageproof::plan
