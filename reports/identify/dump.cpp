#include "reports/identify/dump.hpp"

#include <fmt/format.h>

#include <cstring>

#include "reports/pages/stored.hpp"

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
  const Expected<StoredPages> stored = stored_pages(file, format);
  if (!stored) return std::unexpected(stored.error());
  DumpedPages pool{.two_tensors = stored->format->regions == page::Regions::planes,
                   .first = stored->first,
                   .second = stored->second,
                   .block_ids = *std::move(ids)};
  return KnownPages{std::move(pool), stored->format, stored->shape};
}

}  // namespace pageproof::reports
