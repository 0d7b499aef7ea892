#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "kernels/plan/bench/bench.hpp"

namespace pageproof::cli {
namespace {

// 12.3 us, 4.56 ms, 1.23 s
std::string time_of(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

nlohmann::ordered_json number(std::optional<double> value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

}  // namespace

Result bench_plan(const BenchPlanOptions& options) {
  const auto result = plan::bench::run_plan_benchmark(
      {.layers = options.layers,
       .blocks = options.blocks,
       .pool_blocks = std::max(options.blocks, options.pool_blocks),
       .pair_blocks = options.pair_blocks,
       .repetitions = options.repetitions,
       .python_script = options.python ? PAGEPROOF_SOURCE_DIR "/kernels/plan/bench/baseline.py" : ""});
  if (!result) return std::unexpected(result.error());

  Report report;
  report.text = fmt::format("{:<18}{:>12}{:>10}{:>8}{:>10}{:>7}{:>11}{:>9}{:>12}{:>9}{:>11}{:>8}\n", "",
                            "descriptors", "planner", "M/s", "memset", "ratio", "numpy", "ratio",
                            "numpy out=", "ratio", "loops", "ratio");
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const plan::bench::Row& row : result->rows) {
    const double rate = static_cast<double>(row.descriptors) / row.seconds / 1e6;
    report.text +=
        fmt::format("{:<18}{:>12}{:>10}{:>8.0f}", row.name, row.descriptors, time_of(row.seconds), rate);
    const auto beside = [&](std::optional<double> seconds, int width, int ratio_width, int digits) {
      report.text += seconds ? fmt::format("{:>{}}{:>{}.{}f}", time_of(*seconds), width,
                                           *seconds / row.seconds, ratio_width, digits)
                             : fmt::format("{:>{}}{:>{}}", "-", width, "-", ratio_width);
    };
    beside(row.memset_seconds, 10, 7, 2);
    beside(row.numpy_seconds, 11, 9, 2);
    beside(row.numpy_into_seconds, 12, 9, 2);
    beside(row.python_seconds, 11, 8, 0);
    report.text += '\n';
    rows.push_back({{"name", row.name},
                    {"descriptors", row.descriptors},
                    {"seconds", row.seconds},
                    {"memset_seconds", number(row.memset_seconds)},
                    {"numpy_seconds", number(row.numpy_seconds)},
                    {"numpy_into_seconds", number(row.numpy_into_seconds)},
                    {"python_seconds", number(row.python_seconds)}});
  }
  report.text += fmt::format(
      "\nthe prepared pair holds {} bytes; Python: {}; medians of {} passes taken in turns on one core\n",
      result->pair_bytes, result->python, options.repetitions);
  report.json = nlohmann::ordered_json{{"rows", rows},
                                       {"pair_bytes", result->pair_bytes},
                                       {"python", result->python},
                                       {"repetitions", options.repetitions}}
                    .dump(2);
  return report;
}

}  // namespace pageproof::cli
