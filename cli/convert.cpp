// pageproof convert: the pages of a file in another page format, in a new file.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cli/commands.hpp"
#include "cli/convert_report.hpp"
#include "cli/movement.hpp"
#include "model/page/format.hpp"
#include "model/page/plain/block_ids.hpp"
#include "reports/pages/pages.hpp"

namespace pageproof::cli {
namespace {

using golden::Metadata;
using golden::SafetensorsFile;
using golden::Tensor;
using Clock = std::chrono::steady_clock;

enum class Direction { to_planes, to_standard };

Error usage(const std::string& option, const std::string& value, std::string problem) {
  return {option, value, "", std::move(problem)};
}

// "landing" is no format to convert from or to, but what --in-place goes through.
Expected<void> known_format(const std::string& option, const std::string& tag) {
  if (tag == "landing") {
    return std::unexpected(usage(option, tag, "a function of the byte, no page format; see --in-place"));
  }
  const auto found = page::find_format(tag);
  if (found) return {};
  return std::unexpected(usage(option, tag, found.error().problem));
}

Expected<Direction> direction_of(const ConvertOptions& options) {
  if (const auto from = known_format("--from", options.from); !from) return std::unexpected(from.error());
  if (const auto to = known_format("--to", options.to); !to) return std::unexpected(to.error());
  if (options.from == options.to) {
    return std::unexpected(usage("--to", options.to, "the same format as --from: nothing to convert"));
  }
  if (options.from == "standard" && options.to == "aiter-shuffled") return Direction::to_planes;
  if (options.from == "aiter-shuffled" && options.to == "standard") return Direction::to_standard;
  return std::unexpected(
      usage("--to", options.to,
            fmt::format("no conversion from {}: it goes between standard and aiter-shuffled", options.from)));
}

Expected<void> checked(const ConvertOptions& options, Direction direction) {
  if (options.threads < 1 || options.threads > kMostThreads) {
    return std::unexpected(
        usage("--threads", std::to_string(options.threads), fmt::format("not 1 to {}", kMostThreads)));
  }
  if (direction == Direction::to_planes) return {};
  if (options.in_place) {
    return std::unexpected(usage("--in-place", options.to,
                                 "only planes have a landing to convert in place: --to aiter-shuffled"));
  }
  if (options.keep_source && options.blocks) {
    return std::unexpected(usage("--keep-source", "--blocks " + *options.blocks,
                                 "planes that were only partly converted back cannot be checked; give one of "
                                 "the two"));
  }
  return {};
}

void fill_unlisted(std::span<std::byte> region, std::uint64_t block_bytes,
                   std::span<const std::uint64_t> block_ids) {
  std::vector<bool> listed(region.size() / block_bytes);
  for (const std::uint64_t id : block_ids) listed[id] = true;
  for (std::size_t block = 0; block < listed.size(); ++block) {
    if (!listed[block])
      std::ranges::fill(region.subspan(block * block_bytes, block_bytes), reports::kUnwritten);
  }
}

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
Metadata output_metadata(const ConvertOptions& options, const Metadata& input, const reports::Pool& pool,
                         bool all_blocks) {
  Metadata metadata = input;
  for (const char* key : {"writer", "every_nth_slot_negative", reports::kUnwrittenKey}) metadata.erase(key);
  metadata["producer"] = "pageproof " PAGEPROOF_VERSION;
  metadata["page_format"] = options.to;
  metadata["converted_from"] = options.from;
  metadata["blocks"] = std::to_string(pool.blocks);
  metadata["heads"] = std::to_string(pool.shape.heads);
  metadata["tokens_per_block"] = std::to_string(pool.shape.tokens);
  metadata["head_dim"] = std::to_string(pool.shape.head_dim);
  metadata["element_bytes"] = std::to_string(pool.shape.element_bytes);
  metadata["x"] = std::to_string(pool.shape.granule_elements());
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

Expected<std::vector<std::uint64_t>> chosen_blocks(const ConvertOptions& options, const reports::Pool& pool) {
  return options.blocks ? parse_block_ids(*options.blocks, pool.blocks) : all_block_ids(pool.blocks);
}

Expected<Conversion> planes_from_standard(const ConvertOptions& options, const SafetensorsFile& file) {
  const auto source = reports::standard_pages(file);
  if (!source) return std::unexpected(source.error());
  const reports::Pool& pool = source->pool;
  const auto ids = chosen_blocks(options, pool);
  if (!ids) return std::unexpected(ids.error());
  auto keys = Buffer::of(pool.side_bytes(), reports::kKeyPlane);
  if (!keys) return std::unexpected(keys.error());
  auto values = Buffer::of(pool.side_bytes(), reports::kValuePlane);
  if (!values) return std::unexpected(values.error());

  const MoveRequest request{pool, *ids, options.in_place, options.threads};
  const auto movement = move_to_planes(request, source->pages, keys->bytes(), values->bytes());
  if (!movement) return std::unexpected(movement.error());
  fill_unlisted(keys->bytes(), pool.shape.side_bytes(), *ids);
  fill_unlisted(values->bytes(), pool.shape.side_bytes(), *ids);

  std::vector<Tensor> tensors{reports::key_tensor(pool, keys->bytes()),
                              reports::value_tensor(pool, values->bytes())};
  std::vector<std::int64_t> slots;
  if (options.keep_source) {
    tensors.push_back(reports::standard_tensor(pool, source->pages));
    if (options.blocks) {
      slots = slots_of_blocks(*ids, pool.shape.tokens);
      tensors.push_back(
          {reports::kSlotMapping, golden::Dtype::i64, {slots.size()}, std::as_bytes(std::span(slots))});
    }
  }
  const Metadata metadata = output_metadata(options, file.metadata(), pool, ids->size() == pool.blocks);
  if (const auto written = golden::write_safetensors(options.output, metadata, tensors); !written) {
    return std::unexpected(written.error());
  }
  return Conversion{pool, ids->size(), *movement, left_out(file, tensors), {}};
}

Expected<Conversion> standard_from_planes(const ConvertOptions& options, const SafetensorsFile& file) {
  const auto source = reports::plane_pages(file);
  if (!source) return std::unexpected(source.error());
  const reports::Pool& pool = source->pool;
  const auto ids = chosen_blocks(options, pool);
  if (!ids) return std::unexpected(ids.error());
  auto pages = Buffer::of(pool.page_bytes(), reports::kStandard);
  if (!pages) return std::unexpected(pages.error());

  const MoveRequest request{pool, *ids, false, options.threads};
  const auto movement = move_to_standard(request, source->keys, source->values, pages->bytes());
  if (!movement) return std::unexpected(movement.error());
  fill_unlisted(pages->bytes(), pool.shape.page_bytes(), *ids);

  std::vector<Tensor> tensors{reports::standard_tensor(pool, pages->bytes())};
  if (options.keep_source) {
    tensors.push_back(reports::key_tensor(pool, source->keys));
    tensors.push_back(reports::value_tensor(pool, source->values));
  }
  const Metadata metadata = output_metadata(options, file.metadata(), pool, ids->size() == pool.blocks);
  if (const auto written = golden::write_safetensors(options.output, metadata, tensors); !written) {
    return std::unexpected(written.error());
  }
  return Conversion{pool, ids->size(), *movement, left_out(file, tensors), {}};
}

}  // namespace

Result convert(const ConvertOptions& options) {
  const Clock::time_point begin = Clock::now();
  const auto direction = direction_of(options);
  if (!direction) return std::unexpected(direction.error());
  if (const auto fits = checked(options, *direction); !fits) return std::unexpected(fits.error());
  const auto file = SafetensorsFile::open(options.input);
  if (!file) return std::unexpected(file.error());
  auto done =
      (*direction == Direction::to_planes ? planes_from_standard : standard_from_planes)(options, *file);
  if (!done) return std::unexpected(done.error());
  done->whole_seconds = Clock::now() - begin;
  return convert_report(options, *done);
}

}  // namespace pageproof::cli
