// The JSON header of a safetensors file, read and written. Inner part of this room: see safetensors.hpp.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/container/safetensors.hpp"
#include "model/page/plain/error.hpp"

namespace pageproof::golden {

inline constexpr std::size_t kHeaderLengthBytes = 8;
inline constexpr const char* kMetadataKey = "__metadata__";

struct Header {
  Metadata metadata;
  std::vector<Tensor> tensors;  // in the order of their bytes, which lie in `data`
};

// `text` is the header, `data` all that follows it in the file.
Expected<Header> read_header(std::string_view text, std::span<const std::byte> data,
                             const std::string& subject);

// The header of these tensors, laid one after another in this order; padded with spaces so that 8 + its size
// is a multiple of 8. Refuses text that is not UTF-8.
Expected<std::string> header_text(const Metadata& metadata, std::span<const Tensor> tensors,
                                  const std::string& subject);

}  // namespace pageproof::golden
