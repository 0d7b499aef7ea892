// pageproof convert: the pages of a file in another page format, in a new file.
#include <chrono>

#include "cli/commands.hpp"
#include "cli/convert_output.hpp"
#include "cli/convert_plan.hpp"
#include "cli/convert_report.hpp"
#include "cli/movement.hpp"
#include "model/page/plain/block_ids.hpp"

namespace pageproof::cli {
namespace {

using Clock = std::chrono::steady_clock;
using page::Regions;
using reports::StoredPages;

// The pages that are made: one region, or a K plane and a V plane.
struct Destination {
  Buffer first;
  Buffer second;

  static Expected<Destination> of(const page::PageFormat& format, const reports::Pool& pool) {
    const bool planes = format.regions == Regions::planes;
    auto first = Buffer::of(planes ? pool.side_bytes() : pool.page_bytes(), planes ? "k_plane" : "pages");
    if (!first) return std::unexpected(first.error());
    auto second = Buffer::of(planes ? pool.side_bytes() : 0, "v_plane");
    if (!second) return std::unexpected(second.error());
    return Destination{*std::move(first), *std::move(second)};
  }
};

Expected<Conversion> convert_file(const ConvertOptions& options, const ConvertPlan& plan) {
  const auto file = golden::SafetensorsFile::open(options.input);
  if (!file) return std::unexpected(file.error());
  const auto source = reports::stored_pages(*file, plan.from);
  if (!source) return std::unexpected(source.error());
  for (const page::PageFormat* format : {plan.from, plan.to}) {
    if (const auto fit = page::fits(*format, source->shape); !fit) return std::unexpected(fit.error());
  }
  const bool codes = source->dtype == golden::Dtype::f8_e4m3 || source->dtype == golden::Dtype::u8;
  if (plan.rewrite && !codes) {
    return std::unexpected(Error{options.input, "dtype", std::string(golden::name(source->dtype)),
                                 "--rewrite takes OCP e4m3 codes: F8_E4M3, or U8"});
  }
  const reports::Pool pool{source->shape, source->blocks, source->dtype};
  const auto ids =
      options.blocks ? parse_block_ids(*options.blocks, pool.blocks) : all_block_ids(pool.blocks);
  if (!ids) return std::unexpected(ids.error());
  auto destination = Destination::of(*plan.to, pool);
  if (!destination) return std::unexpected(destination.error());

  const auto movement =
      move_pages({pool, *ids, options.in_place, options.threads}, plan, {source->first, source->second},
                 {destination->first.bytes(), destination->second.bytes()});
  if (!movement) return std::unexpected(movement.error());
  const bool planes = plan.to->regions == Regions::planes;
  const std::uint64_t block_bytes = planes ? pool.shape.side_bytes() : pool.shape.page_bytes();
  fill_unlisted(destination->first.bytes(), block_bytes, *ids);
  if (planes) fill_unlisted(destination->second.bytes(), block_bytes, *ids);

  StoredPages converted = *source;
  converted.format = plan.to;
  if (plan.rewrite && source->dtype == golden::Dtype::f8_e4m3) converted.dtype = golden::Dtype::f8_e4m3fnuz;
  converted.first = destination->first.bytes();
  converted.second = destination->second.bytes();
  const auto left_out = write_converted(options, *file, *source, converted, *ids);
  if (!left_out) return std::unexpected(left_out.error());
  return Conversion{pool, ids->size(), *movement, *left_out, {}};
}

}  // namespace

Result convert(const ConvertOptions& options) {
  const Clock::time_point begin = Clock::now();
  const auto plan = convert_plan(options);
  if (!plan) return std::unexpected(plan.error());
  auto done = convert_file(options, *plan);
  if (!done) return std::unexpected(done.error());
  done->whole_seconds = Clock::now() - begin;
  return convert_report(options, *done);
}

}  // namespace pageproof::cli
