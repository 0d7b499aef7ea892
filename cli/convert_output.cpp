#include "cli/convert_output.hpp"

#include <algorithm>

#include "reports/pages/pages.hpp"

namespace pageproof::cli {
namespace {

using golden::Metadata;
using golden::SafetensorsFile;
using golden::Tensor;
using page::Regions;
using reports::StoredPages;

constexpr const char* kBlockIds = "block_ids";

// The slots of whole blocks, as the writer's slot_mapping has them.
std::vector<std::int64_t> slots_of_blocks(std::span<const std::uint64_t> block_ids, std::uint64_t tokens) {
  std::vector<std::int64_t> slots;
  slots.reserve(block_ids.size() * tokens);
  for (const std::uint64_t block : block_ids) {
    for (std::uint64_t token = 0; token < tokens; ++token) {
      slots.push_back(static_cast<std::int64_t>(block * tokens + token));
    }
  }
  return slots;
}

// What the input said about its pages stays true of the same elements in another order; what it said about
// who wrote the planes and which slots were skipped does not.
Metadata output_metadata(const ConvertOptions& options, const Metadata& input, const StoredPages& converted,
                         bool all_blocks) {
  Metadata metadata = input;
  for (const char* key : {"writer", "every_nth_slot_negative", reports::kUnwrittenKey}) metadata.erase(key);
  metadata["producer"] = "pageproof " PAGEPROOF_VERSION;
  metadata[reports::kPageFormat] = options.to;
  metadata["converted_from"] = options.from;
  if (!options.rewrite.empty()) metadata["rewrite"] = options.rewrite;
  metadata["blocks"] = std::to_string(converted.blocks);
  metadata["heads"] = std::to_string(converted.shape.heads);
  metadata["tokens_per_block"] = std::to_string(converted.shape.tokens);
  metadata["head_dim"] = std::to_string(converted.shape.head_dim);
  metadata["element_bytes"] = std::to_string(converted.shape.element_bytes);
  metadata["x"] = std::to_string(converted.shape.granule_elements());
  if (!all_blocks) metadata[reports::kUnwrittenKey] = "0xA5";
  return metadata;
}

std::vector<std::string> left_out(const SafetensorsFile& file, const std::vector<Tensor>& written) {
  std::vector<std::string> names;
  for (const Tensor& tensor : file.tensors()) {
    if (std::ranges::find(written, tensor.name, &Tensor::name) == written.end()) names.push_back(tensor.name);
  }
  return names;
}

// Row i is still the block that it was.
const Tensor* ids_of_rows(const SafetensorsFile& file, std::uint64_t blocks) {
  const Tensor* ids = file.find(kBlockIds);
  const bool one_a_block =
      ids != nullptr && ids->dtype == golden::Dtype::i64 && ids->shape == std::vector<std::uint64_t>{blocks};
  return one_a_block ? ids : nullptr;
}

}  // namespace

void fill_unlisted(std::span<std::byte> region, std::uint64_t block_bytes,
                   std::span<const std::uint64_t> block_ids) {
  std::vector<bool> listed(region.size() / block_bytes);
  for (const std::uint64_t id : block_ids) listed[id] = true;
  for (std::size_t block = 0; block < listed.size(); ++block) {
    if (!listed[block])
      std::ranges::fill(region.subspan(block * block_bytes, block_bytes), reports::kUnwritten);
  }
}

Expected<std::vector<std::string>> write_converted(const ConvertOptions& options,
                                                   const SafetensorsFile& input, const StoredPages& source,
                                                   const StoredPages& converted,
                                                   std::span<const std::uint64_t> block_ids) {
  std::vector<Tensor> tensors = reports::stored_tensors(converted);
  std::vector<std::int64_t> slots;
  if (options.keep_source) {
    std::ranges::copy(reports::stored_tensors(source), std::back_inserter(tensors));
    if (options.blocks) {
      slots = slots_of_blocks(block_ids, converted.shape.tokens);
      tensors.push_back(
          {reports::kSlotMapping, golden::Dtype::i64, {slots.size()}, std::as_bytes(std::span(slots))});
    }
  }
  if (const Tensor* ids = ids_of_rows(input, converted.blocks)) tensors.push_back(*ids);
  const Metadata metadata =
      output_metadata(options, input.metadata(), converted, block_ids.size() == converted.blocks);
  if (const auto written = golden::write_safetensors(options.output, metadata, tensors); !written) {
    return std::unexpected(written.error());
  }
  return left_out(input, tensors);
}

}  // namespace pageproof::cli
