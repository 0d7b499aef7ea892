// The container, and the dumps of pages that it may hold.
#include "golden/container/safetensors.hpp"

#include <nlohmann/json.hpp>

#include "fuzz/decoders/decoder.hpp"
#include "fuzz/decoders/memory_file.hpp"
#include "golden/container/header.hpp"
#include "model/page/format.hpp"
#include "reports/identify/dump.hpp"

namespace pageproof::fuzz {
namespace {

using golden::Tensor;

bool same(const Tensor& a, const Tensor& b) {
  return a.name == b.name && a.dtype == b.dtype && a.shape == b.shape && a.data.data() == b.data.data() &&
         a.data.size() == b.data.size();
}

// In the order of their bytes, without a hole, each as long as its shape and type say.
std::size_t bytes_of(std::span<const Tensor> tensors) {
  std::size_t sum = 0;
  for (const Tensor& tensor : tensors) {
    must(tensor.data.data() == tensors.front().data.data() + sum, "tensors follow one another");
    const auto bytes = golden::tensor_bytes(tensor.dtype, tensor.shape, "input", tensor.name);
    must(bytes && *bytes == tensor.data.size(), "a tensor is as long as its shape and type say");
    sum += tensor.data.size();
  }
  return sum;
}

void read_as_pages(Bytes input, const golden::SafetensorsFile& file) {
  (void)decoded(input, [&] { return reports::read_dump(file); });
  (void)decoded(input, [&] { return reports::read_reference(file, nullptr); });
  for (const char* tag : {"cpu-amx", "classic-paged"}) {
    (void)decoded(input, [&] { return reports::read_reference(file, *page::find_format(tag)); });
  }
}

}  // namespace

void decode_one(Bytes input) {
  const MemoryFile stored(input);
  const auto file = decoded(input, [&] { return golden::SafetensorsFile::open(stored.path()); });
  if (!file) return;
  const std::size_t bytes = bytes_of(file->tensors());
  must(bytes + golden::kHeaderLengthBytes < input.size(), "the tensors lie behind the header");
  const auto header = golden::header_text(file->metadata(), file->tensors(), "input");
  must(header.has_value(), "what was read can be written");
  const Bytes data = bytes == 0 ? Bytes() : Bytes(file->tensors().front().data.data(), bytes);
  const auto again = golden::read_header(*header, data, "input");
  must(again && again->metadata == file->metadata(), "the metadata comes back");
  must(std::ranges::equal(again->tensors, file->tensors(), same), "the tensors come back");
  read_as_pages(input, *file);
}

}  // namespace pageproof::fuzz
