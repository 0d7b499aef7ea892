#include "cli/convert_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "cli/json.hpp"

namespace pageproof::cli {
namespace {

double gigabytes_per_second(std::uint64_t bytes, double seconds) {
  return seconds > 0 ? static_cast<double>(bytes) / seconds / 1e9 : 0;
}

}  // namespace

Report convert_report(const ConvertOptions& options, const Conversion& done) {
  const Shape& shape = done.pool.shape;
  const std::uint64_t bytes = done.converted_blocks * shape.page_bytes();
  const double seconds = done.movement.seconds.count();
  const bool fold = done.movement.path == Path::fold;
  const std::string path = fold ? fmt::format("fold, right for every shape ({})", done.movement.why_fold)
                                : fmt::format("converter through its C ABI, {} thread{}", options.threads,
                                              options.threads == 1 ? "" : "s");

  Report report;
  report.text = fmt::format(
      "CONVERTED  {} -> {}{}\n"
      "Input      {}\n"
      "Output     {}\n"
      "Pages      {}, a page has {} B\n"
      "Blocks     {} of {}{}\n"
      "Path       {}\n"
      "Moved      {} B in {:.3f} s, {:.2f} GB/s; with reading and writing {:.3f} s\n",
      options.from, options.to, options.in_place ? ", in place from the landing" : "", options.input,
      options.output, to_string(done.pool), shape.page_bytes(), done.converted_blocks, done.pool.blocks,
      done.converted_blocks < done.pool.blocks ? ", the others hold 0xA5" : "", path, bytes, seconds,
      gigabytes_per_second(bytes, seconds), done.whole_seconds.count());
  if (!options.rewrite.empty()) {
    report.text +=
        "Rewritten  e4m3 codes into e4m3fnuz codes of half the value: the reader's scale must be twice the "
        "writer's\n";
  }
  if (!done.left_out.empty()) report.text += fmt::format("Left out   {}\n", fmt::join(done.left_out, ", "));

  const nlohmann::ordered_json json = {{"command", "convert"},
                                       {"holds", true},
                                       {"input", options.input},
                                       {"output", options.output},
                                       {"from", options.from},
                                       {"to", options.to},
                                       {"in_place", options.in_place},
                                       {"rewrite", options.rewrite},
                                       {"dtype", golden::name(done.pool.dtype)},
                                       {"shape", json_of(shape)},
                                       {"blocks", done.pool.blocks},
                                       {"converted_blocks", done.converted_blocks},
                                       {"path", fold ? "fold" : "converter"},
                                       {"why_fold", done.movement.why_fold},
                                       {"threads", options.threads},
                                       {"bytes", bytes},
                                       {"seconds", seconds},
                                       {"gigabytes_per_second", gigabytes_per_second(bytes, seconds)},
                                       {"whole_seconds", done.whole_seconds.count()},
                                       {"left_out", done.left_out}};
  report.json = one_document(json);
  return report;
}

}  // namespace pageproof::cli
