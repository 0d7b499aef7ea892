// Safetensors, the container that torch users load: 8 bytes little endian n, n bytes of JSON that describe
// the tensors, then their bytes, one after another without a gap.
//
//   auto file = SafetensorsFile::open("pages.safetensors");     // mapped, nothing is copied
//   if (const Tensor* keys = file->find("k_plane")) use(keys->shape, keys->data);
//
//   write_safetensors("out.safetensors", {{"writer", "me"}}, {{"k_plane", Dtype::bf16, {4, 1, 8, 16, 8},
//   bytes}});
//
// The format is the one of the crate and Python package `safetensors` 0.8. Opening is strict: a file that two
// readers could understand in two ways is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/container/dtype.hpp"
#include "golden/container/mapped_file.hpp"
#include "model/page/plain/error.hpp"

namespace pageproof::golden {

struct Tensor {
  std::string name;
  Dtype dtype = Dtype::u8;
  std::vector<std::uint64_t> shape;  // outermost axis first; elements are dense; {} is one element
  std::span<const std::byte> data;   // little endian; may be unaligned
};

using Metadata = std::map<std::string, std::string>;

// A longer header is refused; the format's own implementation has the same bound.
inline constexpr std::uint64_t kLargestHeaderBytes = 100'000'000;

// Product of the shape times the type, in bytes. Refuses a product above 2^63-1 bits and a size that is no
// whole number of bytes; `subject` is the file.
Expected<std::uint64_t> tensor_bytes(Dtype dtype, std::span<const std::uint64_t> shape,
                                     const std::string& subject, const std::string& tensor);

class SafetensorsFile {
 public:
  // Refuses, naming file, field and value: a file that is missing, unreadable, not regular or shorter than
  // its header says; a header that is not one JSON object, repeats a key, or nests deeper than a tensor's
  // shape; a tensor with a missing, unknown or wrongly typed field; sizes that are negative, not integers or
  // above 2^63-1; offsets that are reversed, beyond the file or at odds with shape and type; overlaps, holes,
  // bytes of no tensor.
  static Expected<SafetensorsFile> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  // In the order of their bytes. Data and pointers are valid as long as this value (or what it was moved to).
  std::span<const Tensor> tensors() const { return tensors_; }
  // Null where the file has no such tensor.
  const Tensor* find(std::string_view name) const;
  const Metadata& metadata() const { return metadata_; }

 private:
  SafetensorsFile(std::filesystem::path path, MappedFile file, std::vector<Tensor> tensors,
                  Metadata metadata);

  std::filesystem::path path_;
  MappedFile file_;
  std::vector<Tensor> tensors_;
  Metadata metadata_;
};

// Writes the file whole or not at all (atomic_file.hpp), straight from the tensors' memory. The bytes depend
// on nothing but the arguments, and not on the tensors' order: wide types first, then by name; keys sorted;
// the header padded so that data begins at a multiple of 8. Refuses a repeated or reserved name, data that is
// not shape times type, text that is not UTF-8, a header above the bound, and what write_file_atomically
// refuses.
Expected<void> write_safetensors(const std::filesystem::path& path, const Metadata& metadata,
                                 std::span<const Tensor> tensors);

}  // namespace pageproof::golden
