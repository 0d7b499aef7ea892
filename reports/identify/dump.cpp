#include "reports/identify/dump.hpp"

#include <fmt/format.h>

#include <cstring>

namespace pageproof::reports {
namespace {

using golden::SafetensorsFile;
using golden::Tensor;

std::unexpected<Error> refuse(const SafetensorsFile& file, const std::string& field, std::string value,
                              std::string problem) {
  return std::unexpected(Error{file.path().string(), field, std::move(value), std::move(problem)});
}

std::string shape_text(const Tensor& tensor) {
  std::string text;
  for (const std::uint64_t size : tensor.shape) text += (text.empty() ? "[" : ", ") + std::to_string(size);
  return (text.empty() ? "[" : text) + "]";
}

Expected<std::vector<std::uint64_t>> block_ids(const SafetensorsFile& file) {
  const Tensor* tensor = file.find("block_ids");
  if (tensor == nullptr) return {};
  if (tensor->dtype != golden::Dtype::i64 || tensor->shape.size() != 1) {
    return refuse(file, "block_ids", fmt::format("{} {}", golden::name(tensor->dtype), shape_text(*tensor)),
                  "not I64 of one axis");
  }
  std::vector<std::uint64_t> ids(tensor->shape[0]);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::int64_t id = 0;
    std::memcpy(&id, tensor->data.data() + i * sizeof(id), sizeof(id));
    if (id < 0) return refuse(file, "block_ids", std::to_string(id), "negative");
    ids[i] = static_cast<std::uint64_t>(id);
  }
  return ids;
}

struct Planes {
  const Tensor* key = nullptr;
  const Tensor* value = nullptr;
};
// Both or neither.
Expected<Planes> planes(const SafetensorsFile& file) {
  const Planes found{file.find("k_plane"), file.find("v_plane")};
  if ((found.key == nullptr) != (found.value == nullptr)) {
    return refuse(file, found.key == nullptr ? "k_plane" : "v_plane", "missing",
                  "the other plane is there; both are needed");
  }
  return found;
}

Expected<std::uint64_t> element_bytes(const SafetensorsFile& file, const Tensor& tensor) {
  const std::uint64_t bits = golden::bits(tensor.dtype);
  if (bits != 8 && bits != 16) {
    return refuse(file, "dtype of " + tensor.name, std::string(golden::name(tensor.dtype)),
                  "an element has 1 or 2 bytes");
  }
  return bits / 8;
}

Expected<KnownPages> known(const SafetensorsFile& file, const page::PageFormat& format, const Shape& shape,
                           DumpedPages pool) {
  const Expected<Shape> good = checked(shape, file.path().string());
  if (!good) return std::unexpected(good.error());
  return KnownPages{std::move(pool), &format, *good};
}

Expected<KnownPages> page_reference(const SafetensorsFile& file, const page::PageFormat& format,
                                    const Tensor& tensor, DumpedPages pool) {
  const Expected<std::uint64_t> e = element_bytes(file, tensor);
  if (!e) return std::unexpected(e.error());
  const std::vector<std::uint64_t>& axes = tensor.shape;
  if (axes.size() != 4 || axes[3] % 2 != 0) {
    return refuse(file, "shape of " + tensor.name, shape_text(tensor), "not [B, H, N, 2D]");
  }
  pool.first = tensor.data;
  return known(file, format, {axes[1], axes[2], axes[3] / 2, *e}, std::move(pool));
}

Expected<KnownPages> planes_reference(const SafetensorsFile& file, const page::PageFormat& format,
                                      const Planes& tensors, DumpedPages pool) {
  const Expected<std::uint64_t> e = element_bytes(file, *tensors.key);
  if (!e) return std::unexpected(e.error());
  const std::uint64_t x = kGranuleBytes / *e;
  if (tensors.key->dtype != tensors.value->dtype) {
    return refuse(file, "dtype of v_plane", std::string(golden::name(tensors.value->dtype)),
                  fmt::format("k_plane has {}", golden::name(tensors.key->dtype)));
  }
  pool.two_tensors = true;
  pool.first = tensors.key->data;
  pool.second = tensors.value->data;
  const std::vector<std::uint64_t>& k = tensors.key->shape;
  const std::vector<std::uint64_t>& v = tensors.value->shape;
  if (k.size() == 4 && v == k) return known(file, format, {k[1], k[2], k[3], *e}, std::move(pool));
  const bool shuffled = k.size() == 5 && v.size() == 5 && k[4] == x && v[4] == x;
  if (!shuffled) {
    return refuse(
        file, "shapes of k_plane and v_plane",
        shape_text(*tensors.key) + " and " + shape_text(*tensors.value),
        fmt::format("not [B, H, D/x, N, x] and [B, H, N/x, D, x] with x = {}, nor both [B, H, N, D]", x));
  }
  if (k[0] != v[0] || k[1] != v[1] || k[2] * x != v[3] || k[3] != v[2] * x) {
    return refuse(file, "shape of v_plane", shape_text(*tensors.value),
                  fmt::format("k_plane {} has B={} H={} N={} D={}", shape_text(*tensors.key), k[0], k[1],
                              k[3], k[2] * x));
  }
  return known(file, format, {k[1], k[3], k[2] * x, *e}, std::move(pool));
}

}  // namespace

Expected<DumpedPages> read_dump(const SafetensorsFile& file) {
  Expected<std::vector<std::uint64_t>> ids = block_ids(file);
  if (!ids) return std::unexpected(ids.error());
  const Expected<Planes> both = planes(file);
  if (!both) return std::unexpected(both.error());
  const Tensor* pages = file.find("pages");
  if (pages != nullptr && both->key != nullptr) {
    return refuse(file, "tensors", "pages, k_plane, v_plane", "the dump is one or the other");
  }
  DumpedPages pool{.block_ids = *std::move(ids)};
  if (both->key != nullptr) {
    pool.two_tensors = true;
    pool.first = both->key->data;
    pool.second = both->value->data;
    return pool;
  }
  if (pages == nullptr) pages = file.find("standard");
  if (pages == nullptr) return refuse(file, "pages", "missing", "a dump holds pages, or k_plane and v_plane");
  pool.first = pages->data;
  return pool;
}

Expected<KnownPages> read_reference(const SafetensorsFile& file, const page::PageFormat* format) {
  Expected<std::vector<std::uint64_t>> ids = block_ids(file);
  if (!ids) return std::unexpected(ids.error());
  const Expected<Planes> both = planes(file);
  if (!both) return std::unexpected(both.error());
  DumpedPages pool{.block_ids = *std::move(ids)};
  const bool page =
      format == nullptr ? file.find("standard") != nullptr : format->regions == page::Regions::page;
  if (page) {
    // The tensor `standard` is in the standard format, whatever else the file holds.
    const bool standard = format == nullptr || format->tag == "standard";
    const char* wanted = standard ? "standard" : "pages";
    const Tensor* tensor = file.find(wanted);
    if (tensor == nullptr)
      return refuse(file, wanted, "missing", "the reference has no pages in this format");
    return page_reference(file, format == nullptr ? **page::find_format("standard") : *format, *tensor,
                          std::move(pool));
  }
  if (both->key == nullptr) {
    return refuse(file, "standard", "missing", "a reference holds standard, or k_plane and v_plane");
  }
  return planes_reference(file, format == nullptr ? **page::find_format("aiter-shuffled") : *format, *both,
                          std::move(pool));
}

}  // namespace pageproof::reports
