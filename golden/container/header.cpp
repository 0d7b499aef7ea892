#include "golden/container/header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <utility>

#include "model/json/strict_json.hpp"

namespace pageproof::golden {
namespace {

using nlohmann::json;

constexpr std::size_t kDeepest = 3;  // header, tensor, shape
constexpr std::uint64_t kLargestNumber = std::numeric_limits<std::int64_t>::max();

struct Reader {
  const std::string& subject;
  std::span<const std::byte> data;

  std::unexpected<Error> refuse(std::string field, std::string value, std::string problem) const {
    return std::unexpected(Error{subject, std::move(field), std::move(value), std::move(problem)});
  }

  // A list of sizes; `count` where the list has a fixed length.
  Expected<std::vector<std::uint64_t>> sizes(const json& list, const std::string& field,
                                             std::optional<std::size_t> count) const {
    if (!list.is_array()) return refuse(field, list.dump(), "not a list");
    if (count && list.size() != *count)
      return refuse(field, list.dump(), fmt::format("not {} numbers", *count));
    std::vector<std::uint64_t> out;
    out.reserve(list.size());
    for (const json& item : list) {
      if (!item.is_number_unsigned())
        return refuse(field, item.dump(), "not a whole number from 0 to 2^63-1");
      const auto number = item.get<std::uint64_t>();
      if (number > kLargestNumber) return refuse(field, item.dump(), "not a whole number from 0 to 2^63-1");
      out.push_back(number);
    }
    return out;
  }

  Expected<Metadata> metadata(const json& object) const {
    if (!object.is_object()) return refuse(kMetadataKey, object.dump(), "not an object");
    Metadata out;
    for (const auto& [key, value] : object.items()) {
      if (!value.is_string()) {
        return refuse(fmt::format("{} of {}", key, kMetadataKey), value.dump(), "not a string");
      }
      out.emplace(key, value.get<std::string>());
    }
    return out;
  }

  // The bytes that the offsets name, checked against the file and the size that shape and type give.
  Expected<std::span<const std::byte>> slice(const json& offsets, const std::string& tensor,
                                             std::uint64_t bytes) const {
    const std::string field = fmt::format("data_offsets of {}", tensor);
    const auto numbers = sizes(offsets, field, 2);
    if (!numbers) return std::unexpected(numbers.error());
    const std::uint64_t begin = numbers->at(0);
    const std::uint64_t end = numbers->at(1);
    if (begin > end) return refuse(field, offsets.dump(), "begins after its end");
    if (end > data.size()) {
      return refuse(field, offsets.dump(), fmt::format("ends beyond the {} data bytes", data.size()));
    }
    if (end - begin != bytes) {
      return refuse(field, offsets.dump(),
                    fmt::format("has {} bytes, but shape and dtype give {}", end - begin, bytes));
    }
    return data.subspan(begin, bytes);
  }

  Expected<Tensor> tensor(const std::string& name, const json& object) const {
    if (!object.is_object()) return refuse(fmt::format("tensor {}", name), object.dump(), "not an object");
    for (const auto& [key, value] : object.items()) {
      if (key == "dtype" || key == "shape" || key == "data_offsets") continue;
      return refuse(fmt::format("{} of {}", key, name), value.dump(), "the format has no such field");
    }
    for (const char* key : {"dtype", "shape", "data_offsets"}) {
      if (!object.contains(key)) return refuse(fmt::format("{} of {}", key, name), "", "missing");
    }
    const json& type = object.at("dtype");
    const std::string type_field = fmt::format("dtype of {}", name);
    if (!type.is_string()) return refuse(type_field, type.dump(), "not a string");
    const std::optional<Dtype> dtype = dtype_from_name(type.get_ref<const std::string&>());
    if (!dtype) return refuse(type_field, type.get<std::string>(), "the format has no such type");

    auto shape = sizes(object.at("shape"), fmt::format("shape of {}", name), std::nullopt);
    if (!shape) return std::unexpected(std::move(shape).error());
    const auto bytes = tensor_bytes(*dtype, *shape, subject, name);
    if (!bytes) return std::unexpected(bytes.error());
    const auto slice_of_data = slice(object.at("data_offsets"), name, *bytes);
    if (!slice_of_data) return std::unexpected(slice_of_data.error());
    return Tensor{name, *dtype, std::move(*shape), *slice_of_data};
  }

  std::uint64_t begin(const Tensor& tensor) const {
    return static_cast<std::uint64_t>(tensor.data.data() - data.data());
  }

  // The tensors, sorted by their bytes, follow one another from the first data byte to the last.
  Expected<void> without_gaps(std::span<const Tensor> sorted) const {
    std::uint64_t end = 0;
    const Tensor* previous = nullptr;
    for (const Tensor& tensor : sorted) {
      const std::string field = fmt::format("data_offsets of {}", tensor.name);
      const std::string offsets = fmt::format("[{},{}]", begin(tensor), begin(tensor) + tensor.data.size());
      if (begin(tensor) < end) {
        return refuse(field, offsets, fmt::format("overlaps {}, which ends at {}", previous->name, end));
      }
      if (begin(tensor) > end) return refuse(field, offsets, fmt::format("leaves a hole after byte {}", end));
      end = begin(tensor) + tensor.data.size();
      previous = &tensor;
    }
    if (end != data.size()) {
      return refuse("data", fmt::format("{} bytes", data.size()),
                    fmt::format("the tensors end at {}, the rest belongs to none", end));
    }
    return {};
  }
};

}  // namespace

Expected<std::uint64_t> tensor_bytes(Dtype dtype, std::span<const std::uint64_t> shape,
                                     const std::string& subject, const std::string& tensor) {
  std::uint64_t product = bits(dtype);
  bool fits = true;
  for (const std::uint64_t size : shape) {
    fits = fits && !__builtin_mul_overflow(product, size, &product) && product <= kLargestNumber;
  }
  const auto refuse = [&](std::string problem) {
    return std::unexpected(Error{subject, fmt::format("shape of {}", tensor), json(shape).dump(), problem});
  };
  if (!fits) return refuse(fmt::format("its product of {} elements overflows", name(dtype)));
  if (product % 8 != 0) return refuse(fmt::format("{} bits of {} are no whole bytes", product, name(dtype)));
  return product / 8;
}

Expected<Header> read_header(std::string_view text, std::span<const std::byte> data,
                             const std::string& subject) {
  const Reader reader{subject, data};
  if (!text.starts_with('{'))
    return reader.refuse("header", std::string(text.substr(0, 16)), "begins with no {");
  const auto document = parse_strict_json(text, {.subject = subject, .field = "header", .deepest = kDeepest});
  if (!document) return std::unexpected(document.error());

  Header header;
  for (const auto& [key, value] : document->items()) {
    if (key == kMetadataKey) {
      auto metadata = reader.metadata(value);
      if (!metadata) return std::unexpected(std::move(metadata).error());
      header.metadata = std::move(*metadata);
      continue;
    }
    auto tensor = reader.tensor(key, value);
    if (!tensor) return std::unexpected(std::move(tensor).error());
    header.tensors.push_back(std::move(*tensor));
  }
  std::ranges::sort(header.tensors, {}, [&](const Tensor& tensor) {
    return std::tuple(reader.begin(tensor), tensor.data.size(), std::string_view(tensor.name));
  });
  if (const auto whole = reader.without_gaps(header.tensors); !whole) return std::unexpected(whole.error());
  return header;
}

Expected<std::string> header_text(const Metadata& metadata, std::span<const Tensor> tensors,
                                  const std::string& subject) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header[kMetadataKey] = metadata;
  std::uint64_t end = 0;
  for (const Tensor& tensor : tensors) {
    const std::uint64_t begin = std::exchange(end, end + tensor.data.size());
    nlohmann::ordered_json& entry = header[tensor.name];
    entry["dtype"] = name(tensor.dtype);
    entry["shape"] = tensor.shape;
    entry["data_offsets"] = {begin, end};
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const json::exception& error) {
    return std::unexpected(
        Error{subject, "header", "", std::string("a name or text is not UTF-8: ") + error.what()});
  }
  text.resize((kHeaderLengthBytes + text.size() + 7) / 8 * 8 - kHeaderLengthBytes, ' ');
  return text;
}

}  // namespace pageproof::golden
