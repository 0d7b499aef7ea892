#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "cli/commands.hpp"
#include "kernels/convert/bench/gpu.hpp"

namespace pageproof::cli {
namespace {

using convert::bench::GpuReport;
using convert::bench::GpuRow;
using convert::bench::GpuSmallRow;

constexpr double kWantedShare = 0.98;

std::string shape_of(const pageproof_shape& shape) {
  return to_string(Shape{shape.heads, shape.tokens, shape.head_dim, shape.element_bytes});
}

const char* direction(bool in_place) {
  return in_place ? "in place" : "out of place";
}

std::string large_table(const GpuReport& report) {
  std::string text =
      fmt::format("{:<14}{:<22}{:>9}{:>8} | {:>8}{:>8}{:>9}{:>8} | {:>9} | {:>6}{:>7}\n", "", "shape",
                  "page KiB", "GB", "memcpy", "copy", "identity", "pages", "converter", "limit", "pages");
  for (const bool in_place : {false, true}) {
    std::size_t rows = 0, reached = 0;
    double least = 0;
    for (const GpuRow& row : report.rows) {
      if (row.in_place != in_place) continue;
      least = rows == 0 ? row.share_of_limit() : std::min(least, row.share_of_limit());
      ++rows;
      reached += row.share_of_limit() >= kWantedShare;
      const std::uint64_t page = row.bytes / row.blocks / convert::bench::kLayers;
      text += fmt::format(
          "{:<14}{:<22}{:>9}{:>8.2f} | {:>8.1f}{:>8.1f}{:>9.1f}{:>8.1f} | {:>9.1f} | {:>6.3f}{:>7.3f}\n",
          direction(in_place), shape_of(row.shape), page / 1024, static_cast<double>(row.bytes) / 1e9,
          row.memcpy * 1e6, row.copy * 1e6, row.identity * 1e6, row.pages * 1e6, row.converter * 1e6,
          row.share_of_limit(), row.share_of_pages());
    }
    text += fmt::format("{}: {} of {} shapes at {} of the limit or more, the least {:.3f}\n",
                        direction(in_place), reached, rows, kWantedShare, least);
  }
  return text +
         "times in us; limit: the better of copy and identity, as a share of the converter's time; pages: "
         "the same "
         "with the copy page by page\n\n";
}

// A line for each direction, cache state and number of blocks: the shape that exceeds memcpy the most.
std::string small_table(const GpuReport& report) {
  struct Group {
    std::size_t shapes = 0, within = 0;
    const GpuSmallRow* worst = nullptr;
  };
  const auto excess = [](const GpuSmallRow& row) {
    return row.converter - convert::bench::allowed_seconds(row.memcpy);
  };
  std::map<std::tuple<bool, bool, std::uint32_t>, Group> groups;
  for (const GpuSmallRow& row : report.small) {
    Group& group = groups[{row.in_place, row.cold, row.blocks}];
    ++group.shapes;
    group.within += excess(row) <= 0;
    if (group.worst == nullptr || excess(row) > excess(*group.worst)) group.worst = &row;
  }
  std::string text = fmt::format("{:<14}{:<6}{:>7}{:>18}   {:<22}{:>8}{:>10}\n", "small requests", "L2",
                                 "blocks", "within the bound", "the worst", "memcpy", "converter");
  for (const auto& [key, group] : groups) {
    const auto& [in_place, cold, blocks] = key;
    text +=
        fmt::format("{:<14}{:<6}{:>7}{:>18}   {:<22}{:>8.1f}{:>10.1f}\n", direction(in_place),
                    cold ? "cold" : "warm", blocks, fmt::format("{} of {}", group.within, group.shapes),
                    shape_of(group.worst->shape), group.worst->memcpy * 1e6, group.worst->converter * 1e6);
  }
  return text + "the bound: 2 us or 10 % more than one memcpy of as many bytes\n";
}

nlohmann::ordered_json shape_json(const pageproof_shape& shape, bool in_place, std::uint64_t bytes,
                                  std::uint32_t blocks) {
  return {{"in_place", in_place},
          {"heads", shape.heads},
          {"tokens", shape.tokens},
          {"head_dim", shape.head_dim},
          {"element_bytes", shape.element_bytes},
          {"blocks", blocks},
          {"bytes", bytes}};
}

}  // namespace

Result bench_gpu(const BenchGpuOptions& options) {
  const Expected<GpuReport> measured =
      convert::bench::run_gpu_benchmark({.bytes = options.bytes, .repetitions = options.repetitions});
  if (!measured) return std::unexpected(measured.error());

  Report report;
  report.text = fmt::format("{}; {}; {} layers a request, one launch; medians of {}\n\n", measured->device,
                            measured->driver, convert::bench::kLayers, options.repetitions) +
                large_table(*measured) + small_table(*measured);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const GpuRow& row : measured->rows) {
    nlohmann::ordered_json json = shape_json(row.shape, row.in_place, row.bytes, row.blocks);
    json.update({{"converter_s", row.converter},
                 {"memcpy_s", row.memcpy},
                 {"copy_s", row.copy},
                 {"identity_s", row.identity},
                 {"pages_s", row.pages}});
    rows.push_back(std::move(json));
  }
  nlohmann::ordered_json small = nlohmann::ordered_json::array();
  for (const GpuSmallRow& row : measured->small) {
    nlohmann::ordered_json json = shape_json(row.shape, row.in_place, row.bytes, row.blocks);
    json.update({{"cold", row.cold}, {"converter_s", row.converter}, {"memcpy_s", row.memcpy}});
    small.push_back(std::move(json));
  }
  report.json = nlohmann::ordered_json{
      {"device", measured->device},
      {"driver", measured->driver},
      {"repetitions", options.repetitions},
      {"rows", rows},
      {"small",
       small}}.dump(2);
  return report;
}

}  // namespace pageproof::cli
