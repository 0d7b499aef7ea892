#include "golden/container/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "golden/container/atomic_file.hpp"
#include "golden/container/header.hpp"

namespace pageproof::golden {
namespace {

std::uint64_t read_little_endian(std::span<const std::byte, kHeaderLengthBytes> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return value;
}

std::array<std::byte, kHeaderLengthBytes> little_endian(std::uint64_t value) {
  std::array<std::byte, kHeaderLengthBytes> bytes;
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(std::exchange(value, value >> 8));
  return bytes;
}

std::unexpected<Error> refuse(const std::filesystem::path& path, std::string field, std::string value,
                              std::string problem) {
  return std::unexpected(Error{path.string(), std::move(field), std::move(value), std::move(problem)});
}

}  // namespace

SafetensorsFile::SafetensorsFile(std::filesystem::path path, MappedFile file, std::vector<Tensor> tensors,
                                 Metadata metadata)
    : path_(std::move(path)),
      file_(std::move(file)),
      tensors_(std::move(tensors)),
      metadata_(std::move(metadata)) {}

Expected<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path) {
  auto file = MappedFile::open(path);
  if (!file) return std::unexpected(std::move(file).error());
  const std::span<const std::byte> bytes = file->bytes();
  if (bytes.size() < kHeaderLengthBytes) {
    return refuse(path, "size", fmt::format("{} bytes", bytes.size()),
                  "a safetensors file begins with 8 bytes of header length");
  }
  const std::uint64_t length = read_little_endian(bytes.first<kHeaderLengthBytes>());
  const std::span<const std::byte> rest = bytes.subspan(kHeaderLengthBytes);
  if (length > kLargestHeaderBytes) {
    return refuse(path, "header length", std::to_string(length),
                  fmt::format("above the format's bound of {}", kLargestHeaderBytes));
  }
  if (length > rest.size()) {
    return refuse(path, "header length", std::to_string(length),
                  fmt::format("beyond the {} bytes that follow it", rest.size()));
  }
  const std::string_view text(reinterpret_cast<const char*>(rest.data()), length);
  auto header = read_header(text, rest.subspan(length), path.string());
  if (!header) return std::unexpected(std::move(header).error());
  return SafetensorsFile(path, std::move(*file), std::move(header->tensors), std::move(header->metadata));
}

const Tensor* SafetensorsFile::find(std::string_view name) const {
  const auto found = std::ranges::find(tensors_, name, &Tensor::name);
  return found == tensors_.end() ? nullptr : &*found;
}

Expected<void> write_safetensors(const std::filesystem::path& path, const Metadata& metadata,
                                 std::span<const Tensor> tensors) {
  std::vector<Tensor> sorted(tensors.begin(), tensors.end());
  std::ranges::sort(sorted, {}, [](const Tensor& tensor) {
    return std::tuple(~bits(tensor.dtype), std::string_view(tensor.name));
  });
  std::vector<std::string_view> names;
  for (const Tensor& tensor : sorted) {
    names.push_back(tensor.name);
    const auto bytes = tensor_bytes(tensor.dtype, tensor.shape, path.string(), tensor.name);
    if (!bytes) return std::unexpected(bytes.error());
    if (*bytes != tensor.data.size()) {
      return refuse(path, fmt::format("data of {}", tensor.name), fmt::format("{} bytes", tensor.data.size()),
                    fmt::format("shape and dtype give {}", *bytes));
    }
  }
  std::ranges::sort(names);
  if (const auto twice = std::ranges::adjacent_find(names); twice != names.end()) {
    return refuse(path, "tensor", std::string(*twice), "given twice");
  }
  if (std::ranges::binary_search(names, std::string_view(kMetadataKey))) {
    return refuse(path, "tensor", kMetadataKey, "the name is reserved");
  }

  const auto header = header_text(metadata, sorted, path.string());
  if (!header) return std::unexpected(header.error());
  if (header->size() > kLargestHeaderBytes) {
    return refuse(path, "header length", std::to_string(header->size()),
                  fmt::format("above the format's bound of {}", kLargestHeaderBytes));
  }
  const auto length = little_endian(header->size());
  std::vector<std::span<const std::byte>> pieces{std::span<const std::byte>(length),
                                                 std::as_bytes(std::span(*header))};
  for (const Tensor& tensor : sorted) pieces.push_back(tensor.data);
  return write_file_atomically(path, pieces);
}

}  // namespace pageproof::golden
