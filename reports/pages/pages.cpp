#include "reports/pages/pages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace pageproof::reports {
namespace {

using golden::SafetensorsFile;
using golden::Tensor;

std::string field(const char* what, const Tensor& tensor) {
  return fmt::format("{} of {}", what, tensor.name);
}

std::string shape_text(const Tensor& tensor) {
  return fmt::format("[{}]", fmt::join(tensor.shape, ", "));
}

Error shape_error(const std::string& subject, const Tensor& tensor, std::string problem) {
  return {subject, field("shape", tensor), shape_text(tensor), std::move(problem)};
}

// The tensor, of a type that has 1 or 2 bytes and of the given rank without an empty axis.
Expected<const Tensor*> page_tensor(const SafetensorsFile& file, const char* name, std::size_t rank,
                                    const std::string& axes) {
  const std::string subject = file.path().string();
  const Tensor* tensor = file.find(name);
  if (tensor == nullptr) {
    return std::unexpected(Error{subject, "tensor", name, fmt::format("missing; {} is needed", axes)});
  }
  const std::uint64_t bits = golden::bits(tensor->dtype);
  if (bits != 8 && bits != 16) {
    return std::unexpected(Error{subject, field("dtype", *tensor), std::string(golden::name(tensor->dtype)),
                                 "an element has 1 or 2 bytes, as BF16, F16, F8_E4M3, I8 and U8 have"});
  }
  if (tensor->shape.size() != rank) {
    return std::unexpected(
        shape_error(subject, *tensor, fmt::format("{} axes, not {}: {}", tensor->shape.size(), rank, axes)));
  }
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (tensor->shape[axis] == 0) {
      return std::unexpected(shape_error(
          subject, *tensor, fmt::format("axis {} of {} is 0: there is nothing in it", axis, axes)));
    }
  }
  return tensor;
}

Expected<Pool> pool_of(const std::string& subject, const Tensor& tensor, std::uint64_t heads,
                       std::uint64_t tokens, std::uint64_t head_dim) {
  const Shape shape{heads, tokens, head_dim, golden::bits(tensor.dtype) / 8};
  if (const auto fits = checked(shape, subject); !fits) {
    Error error = fits.error();
    error.field += fmt::format(" (from {} of {})", shape_text(tensor), tensor.name);
    return std::unexpected(std::move(error));
  }
  return Pool{shape, tensor.shape[0], tensor.dtype};
}

// A plane's last axis is the granule: 16 bytes.
Expected<std::uint64_t> granule_axis(const std::string& subject, const Tensor& plane) {
  const std::uint64_t x = kGranuleBytes * 8 / golden::bits(plane.dtype);
  if (plane.shape[4] != x) {
    return std::unexpected(shape_error(
        subject, plane, fmt::format("the last axis is x = {} for {}", x, golden::name(plane.dtype))));
  }
  return x;
}

Expected<void> same_dtype(const std::string& subject, const Tensor& key, const Tensor& value) {
  if (key.dtype == value.dtype) return {};
  return std::unexpected(Error{subject, field("dtype", value), std::string(golden::name(value.dtype)),
                               fmt::format("k_plane is {}", golden::name(key.dtype))});
}

}  // namespace

std::string to_string(const Pool& pool) {
  return fmt::format("{} B={} {} (x={})", golden::name(pool.dtype), pool.blocks, to_string(pool.shape),
                     pool.shape.granule_elements());
}

Expected<StandardPages> standard_pages(const SafetensorsFile& file, const char* name) {
  const std::string subject = file.path().string();
  const auto found = page_tensor(file, name, 4, fmt::format("{} [B, H, N, 2D]", name));
  if (!found) return std::unexpected(found.error());
  const Tensor& tensor = **found;
  if (tensor.shape[3] % 2 != 0) {
    return std::unexpected(
        shape_error(subject, tensor, "the last axis is odd, and it holds K and V side by side, 2D"));
  }
  const auto pool = pool_of(subject, tensor, tensor.shape[1], tensor.shape[2], tensor.shape[3] / 2);
  if (!pool) return std::unexpected(pool.error());
  return StandardPages{*pool, tensor.data};
}

Expected<PlanePages> plane_pages(const SafetensorsFile& file) {
  const std::string subject = file.path().string();
  const auto key_found = page_tensor(file, kKeyPlane, 5, "k_plane [B, H, D/x, N, x]");
  if (!key_found) return std::unexpected(key_found.error());
  const auto value_found = page_tensor(file, kValuePlane, 5, "v_plane [B, H, N/x, D, x]");
  if (!value_found) return std::unexpected(value_found.error());
  const Tensor& key = **key_found;
  const Tensor& value = **value_found;
  if (const auto same = same_dtype(subject, key, value); !same) return std::unexpected(same.error());
  const auto x = granule_axis(subject, key);
  if (!x) return std::unexpected(x.error());
  if (const auto same = granule_axis(subject, value); !same) return std::unexpected(same.error());

  const std::pair<const char*, std::pair<std::uint64_t, std::uint64_t>> axes[] = {
      {"B", {key.shape[0], value.shape[0]}},
      {"H", {key.shape[1], value.shape[1]}},
      {"N", {key.shape[3], value.shape[2] * *x}},
      {"D", {key.shape[2] * *x, value.shape[3]}},
  };
  for (const auto& [axis, sizes] : axes) {
    if (sizes.first != sizes.second) {
      return std::unexpected(shape_error(subject, value,
                                         fmt::format("{} = {}, but k_plane {} has {} = {}", axis,
                                                     sizes.second, shape_text(key), axis, sizes.first)));
    }
  }
  const auto pool = pool_of(subject, key, key.shape[1], key.shape[3], key.shape[2] * *x);
  if (!pool) return std::unexpected(pool.error());
  return PlanePages{*pool, key.data, value.data};
}

Expected<PlanePages> plane_rows(const SafetensorsFile& file) {
  const std::string subject = file.path().string();
  const auto key = page_tensor(file, kKeyPlane, 4, "k_plane [B, H, N, D]");
  if (!key) return std::unexpected(key.error());
  const auto value = page_tensor(file, kValuePlane, 4, "v_plane [B, H, N, D]");
  if (!value) return std::unexpected(value.error());
  if (const auto same = same_dtype(subject, **key, **value); !same) return std::unexpected(same.error());
  const std::vector<std::uint64_t>& axes = (*key)->shape;
  if ((*value)->shape != axes) {
    return std::unexpected(shape_error(subject, **value, fmt::format("k_plane is {}", shape_text(**key))));
  }
  const auto pool = pool_of(subject, **key, axes[1], axes[2], axes[3]);
  if (!pool) return std::unexpected(pool.error());
  return PlanePages{*pool, (*key)->data, (*value)->data};
}

Expected<void> same_pool(const std::string& subject, const Pool& standard, const Pool& planes) {
  if (standard.dtype != planes.dtype) {
    return std::unexpected(
        Error{subject, "dtype of k_plane", std::string(golden::name(planes.dtype)),
              fmt::format("standard is {}, and a conversion keeps the type", golden::name(standard.dtype))});
  }
  const std::pair<const char*, std::pair<std::uint64_t, std::uint64_t>> axes[] = {
      {"B", {standard.blocks, planes.blocks}},
      {"H", {standard.shape.heads, planes.shape.heads}},
      {"N", {standard.shape.tokens, planes.shape.tokens}},
      {"D", {standard.shape.head_dim, planes.shape.head_dim}},
  };
  for (const auto& [axis, sizes] : axes) {
    if (sizes.first != sizes.second) {
      return std::unexpected(Error{subject, fmt::format("{} of k_plane", axis), std::to_string(sizes.second),
                                   fmt::format("standard has {} = {}", axis, sizes.first)});
    }
  }
  return {};
}

Tensor standard_tensor(const Pool& pool, std::span<const std::byte> pages) {
  const Shape& s = pool.shape;
  return {kStandard, pool.dtype, {pool.blocks, s.heads, s.tokens, 2 * s.head_dim}, pages};
}

Tensor key_tensor(const Pool& pool, std::span<const std::byte> keys) {
  const Shape& s = pool.shape;
  const std::uint64_t x = s.granule_elements();
  return {kKeyPlane, pool.dtype, {pool.blocks, s.heads, s.head_dim / x, s.tokens, x}, keys};
}

Tensor value_tensor(const Pool& pool, std::span<const std::byte> values) {
  const Shape& s = pool.shape;
  const std::uint64_t x = s.granule_elements();
  return {kValuePlane, pool.dtype, {pool.blocks, s.heads, s.tokens / x, s.head_dim, x}, values};
}

}  // namespace pageproof::reports
