#include "reports/pages/stored.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/pages/pages.hpp"

namespace pageproof::reports {
namespace {

using golden::SafetensorsFile;
using golden::Tensor;
using page::PageFormat;
using page::Regions;

const PageFormat& named(const char* tag) {
  return **page::find_format(tag);
}

std::unexpected<Error> refuse(const SafetensorsFile& file, std::string field, std::string value,
                              std::string problem) {
  return std::unexpected(Error{file.path().string(), std::move(field), std::move(value), std::move(problem)});
}

bool is_standard(const PageFormat& format) {
  return format.tag == kStandard;
}

// Planes of 4 axes say nothing of the order.
bool planes_have_4_axes(const SafetensorsFile& file) {
  const Tensor* key = file.find(kKeyPlane);
  const Tensor* value = file.find(kValuePlane);
  return key != nullptr && value != nullptr && key->shape.size() == 4 && value->shape.size() == 4;
}

Expected<const PageFormat*> format_of_metadata(const SafetensorsFile& file) {
  const auto entry = file.metadata().find(kPageFormat);
  if (entry == file.metadata().end()) return nullptr;
  const auto found = page::find_format(entry->second);
  if (found) return *found;
  return refuse(file, fmt::format("metadata {}", kPageFormat), entry->second, found.error().problem);
}

std::string spoken(Regions regions) {
  return regions == Regions::page ? kPages : "k_plane and v_plane of 4 axes";
}

// Another name of one order is the same format.
bool same_order(const PageFormat& a, const PageFormat& b) {
  const std::vector<std::string> alike = page::same_order_as(a);
  return a.tag == b.tag || std::ranges::find(alike, b.tag) != alike.end();
}

// Of tensors whose names and axes do tell the format: the metadata may speak of the file's other tensors, as
// after `convert --keep-source`, but not of these otherwise.
Expected<void> agrees_with_metadata(const SafetensorsFile& file, const PageFormat& told) {
  const auto stated = format_of_metadata(file);
  if (!stated) return std::unexpected(stated.error());
  const PageFormat* said = *stated;
  if (said == nullptr || same_order(*said, told)) return {};
  const bool has_pages = file.find(kStandard) != nullptr || file.find(kPages) != nullptr;
  const bool has_others = told.regions == Regions::page ? file.find(kKeyPlane) != nullptr : has_pages;
  if (said->regions != told.regions && has_others) return {};
  return refuse(file, fmt::format("metadata {}", kPageFormat), said->tag,
                fmt::format("{} is what the tensors are", told.tag));
}

// The format of tensors whose axes do not tell: the metadata's, which `wanted` (may be null) must not
// contradict; another name of the same order does not.
Expected<const PageFormat*> untold_format(const SafetensorsFile& file, const PageFormat* wanted,
                                          Regions regions) {
  const std::string field = fmt::format("metadata {}", kPageFormat);
  const auto stated = format_of_metadata(file);
  if (!stated) return std::unexpected(stated.error());
  const PageFormat* said = *stated;
  if (said == nullptr && wanted == nullptr) {
    return refuse(file, field, "missing",
                  fmt::format("the axes of {} do not tell the page format; name it", spoken(regions)));
  }
  if (said == nullptr) return wanted;
  if (said->regions != regions || said->key_only()) {
    return refuse(file, field, said->tag, fmt::format("not a format of {}", spoken(regions)));
  }
  if (wanted == nullptr) return said;
  if (same_order(*said, *wanted)) return wanted;
  return refuse(file, field, said->tag,
                fmt::format("{} is asked for, and the axes of {} do not tell", wanted->tag, spoken(regions)));
}

StoredPages stored(const PageFormat& format, const Pool& pool, std::span<const std::byte> first,
                   std::span<const std::byte> second = {}) {
  return {&format, pool.shape, pool.blocks, pool.dtype, first, second};
}

Expected<StoredPages> stored_standard(const SafetensorsFile& file) {
  const auto found = standard_pages(file);
  if (!found) return std::unexpected(found.error());
  if (const auto good = agrees_with_metadata(file, named(kStandard)); !good) {
    return std::unexpected(good.error());
  }
  return stored(named(kStandard), found->pool, found->pages);
}

Expected<StoredPages> stored_shuffled(const SafetensorsFile& file, const PageFormat& format) {
  const auto found = plane_pages(file);
  if (!found) return std::unexpected(found.error());
  if (const auto good = agrees_with_metadata(file, format); !good) return std::unexpected(good.error());
  return stored(format, found->pool, found->keys, found->values);
}

Expected<StoredPages> stored_untold_pages(const SafetensorsFile& file, const PageFormat* wanted) {
  const auto found = standard_pages(file, kPages);
  if (!found) return std::unexpected(found.error());
  const auto format = untold_format(file, wanted, Regions::page);
  if (!format) return std::unexpected(format.error());
  return stored(**format, found->pool, found->pages);
}

Expected<StoredPages> stored_untold_planes(const SafetensorsFile& file, const PageFormat* wanted) {
  const auto found = plane_rows(file);
  if (!found) return std::unexpected(found.error());
  const auto format = untold_format(file, wanted, Regions::planes);
  if (!format) return std::unexpected(format.error());
  return stored(**format, found->pool, found->keys, found->values);
}

}  // namespace

bool has_shuffled_axes(const PageFormat& format) {
  const PageFormat& shuffled = named("aiter-shuffled");
  return format.regions == Regions::planes && !format.key_only() &&
         page::normal_form(format.key) == page::normal_form(shuffled.key) &&
         page::normal_form(format.value) == page::normal_form(shuffled.value);
}

Expected<StoredPages> stored_pages(const SafetensorsFile& file, const PageFormat* format) {
  if (format != nullptr && format->key_only()) {
    return refuse(file, "format", format->tag, "holds K only; a file of pages holds K and V");
  }
  const bool pages = format != nullptr ? format->regions == Regions::page
                                       : file.find(kStandard) != nullptr || file.find(kPages) != nullptr;
  const bool standard = format != nullptr ? is_standard(*format) : file.find(kStandard) != nullptr;
  if (standard) return stored_standard(file);
  if (pages) return stored_untold_pages(file, format);
  if (planes_have_4_axes(file)) return stored_untold_planes(file, format);
  if (format == nullptr && file.find(kKeyPlane) == nullptr && file.find(kValuePlane) == nullptr) {
    return refuse(file, "tensor", kStandard, "missing; no standard, no pages, no k_plane and v_plane");
  }
  if (format == nullptr) return stored_shuffled(file, named("aiter-shuffled"));
  return has_shuffled_axes(*format) ? stored_shuffled(file, *format) : stored_untold_planes(file, format);
}

std::vector<Tensor> stored_tensors(const StoredPages& pages) {
  const Pool pool{pages.shape, pages.blocks, pages.dtype};
  if (is_standard(*pages.format)) return {standard_tensor(pool, pages.first)};
  if (has_shuffled_axes(*pages.format)) {
    return {key_tensor(pool, pages.first), value_tensor(pool, pages.second)};
  }
  const Shape& s = pages.shape;
  if (pages.format->regions == Regions::page) {
    return {{kPages, pages.dtype, {pages.blocks, s.heads, s.tokens, 2 * s.head_dim}, pages.first}};
  }
  const std::vector<std::uint64_t> axes{pages.blocks, s.heads, s.tokens, s.head_dim};
  return {{kKeyPlane, pages.dtype, axes, pages.first}, {kValuePlane, pages.dtype, axes, pages.second}};
}

}  // namespace pageproof::reports
