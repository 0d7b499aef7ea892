#include "kernels/convert/bench/bench.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"

namespace pageproof::cli {

Result bench_convert(const BenchOptions& options) {
  const Expected<std::vector<convert::bench::Row>> rows =
      convert::bench::run_convert_benchmark({.bytes = options.bytes, .repetitions = options.repetitions});
  if (!rows) return std::unexpected(rows.error());

  Report report;
  report.text = fmt::format("{:<14}{:<22}{:>8}{:>16}{:>14}{:>8}\n", "", "shape", "threads", "converter GB/s",
                            "memcpy GB/s", "ratio");
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const convert::bench::Row& row : *rows) {
    const Shape shape{row.shape.heads, row.shape.tokens, row.shape.head_dim, row.shape.element_bytes};
    report.text += fmt::format("{:<14}{:<22}{:>8}{:>16.2f}{:>14.2f}{:>8.2f}\n", row.name, to_string(shape),
                               row.threads, row.converter_gb_per_s, row.memcpy_gb_per_s, row.ratio);
    json.push_back({{"name", row.name},
                    {"heads", shape.heads},
                    {"tokens", shape.tokens},
                    {"head_dim", shape.head_dim},
                    {"element_bytes", shape.element_bytes},
                    {"bytes", row.bytes},
                    {"threads", row.threads},
                    {"converter_gb_per_s", row.converter_gb_per_s},
                    {"memcpy_gb_per_s", row.memcpy_gb_per_s},
                    {"ratio", row.ratio}});
  }
  report.text += fmt::format(
      "\n{} bytes of pages a pass, median of {} passes taken in turns; GB/s counts each page byte once\n",
      options.bytes, options.repetitions);
  report.json = json.dump(2);
  return report;
}

}  // namespace pageproof::cli
