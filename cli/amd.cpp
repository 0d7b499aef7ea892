// pageproof amd: the converter on an AMD device, as ./run amd calls it.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>

#include "cli/commands.hpp"
#include "fuzz/campaign/commit.hpp"
#include "golden/container/atomic_file.hpp"
#include "model/json/failure.hpp"
#include "reports/amd/kit.hpp"

namespace pageproof::cli {
namespace {

using nlohmann::ordered_json;
using reports::AmdRate;
using reports::AmdRun;

const char* direction(const AmdRate& rate) {
  return rate.in_place ? "in place" : "out of place";
}

// Bytes read and written.
double gb_per_second(const AmdRate& rate, double seconds) {
  return 2 * static_cast<double>(rate.bytes) / seconds / 1e9;
}

std::string text_of(const AmdRun& run, std::uint32_t repetitions) {
  std::string text = fmt::format("{} ({}), runtime {}, driver {}; pageproof at {}\n\n", run.device,
                                 run.target, run.runtime, run.driver, fuzz::commit());
  for (const Failure& failure : run.failures) text += to_string(failure) + "\n";
  text +=
      fmt::format("{}  {} fixtures, {} jobs of every shape in scope, {}; {} wrong\n\n",
                  run.holds() ? "HOLDS   " : "REFUTED ", run.fixture_tests, run.shapes,
                  run.far ? "blocks beyond 4 GiB" : "blocks beyond 4 GiB not tried (too little free memory)",
                  run.failures.size());
  text += fmt::format("{:<14}{:<22}{:>8}{:>8}{:>12}{:>12}{:>8}\n", "", "shape", "blocks", "GB", "copy GB/s",
                      "GB/s", "share");
  for (const AmdRate& rate : run.rates) {
    text += fmt::format("{:<14}{:<22}{:>8}{:>8.2f}{:>12.0f}{:>12.0f}{:>8.2f}\n", direction(rate),
                        to_string(rate.shape), rate.blocks, static_cast<double>(rate.bytes) / 1e9,
                        gb_per_second(rate, rate.copy_seconds), gb_per_second(rate, rate.converter_seconds),
                        rate.share());
  }
  return text + fmt::format(
                    "\nblocks of a layer, {} layers a request in one launch; GB/s read and written; "
                    "medians of {} turns\nnext: the accuracy run of docs/amd.md\n",
                    reports::kAmdLayers, repetitions);
}

ordered_json json_of_run(const AmdRun& run, const AmdOptions& options) {
  ordered_json failures = ordered_json::array();
  for (const Failure& failure : run.failures) failures.push_back(json_of(failure));
  ordered_json rates = ordered_json::array();
  for (const AmdRate& rate : run.rates) {
    rates.push_back({{"in_place", rate.in_place},
                     {"heads", rate.shape.heads},
                     {"tokens", rate.shape.tokens},
                     {"head_dim", rate.shape.head_dim},
                     {"element_bytes", rate.shape.element_bytes},
                     {"blocks", rate.blocks},
                     {"bytes", rate.bytes},
                     {"copy_s", rate.copy_seconds},
                     {"converter_s", rate.converter_seconds}});
  }
  return {{"report", "pageproof amd"},
          {"commit", fuzz::commit()},
          {"device", run.device},
          {"target", run.target},
          {"hip_runtime", run.runtime},
          {"hip_driver", run.driver},
          {"holds", run.holds()},
          {"fixture_tests", run.fixture_tests},
          {"shape_jobs", run.shapes},
          {"beyond_4_gib", run.far},
          {"failures", failures},
          {"layers", reports::kAmdLayers},
          {"repetitions", options.repetitions},
          {"rates", rates}};
}

}  // namespace

Result amd(const AmdOptions& options) {
  const std::string fixtures = options.fixtures.empty() ? PAGEPROOF_SOURCE_DIR "/golden" : options.fixtures;
  const auto run = reports::run_amd_kit(
      {.fixtures = fixtures, .bytes = options.bytes, .repetitions = options.repetitions});
  if (!run) return std::unexpected(run.error());
  Report report;
  report.holds = run->holds();
  report.text = text_of(*run, options.repetitions);
  report.json = json_of_run(*run, options).dump(2) + "\n";
  if (!options.out.empty()) {
    const auto written = golden::write_file_atomically(options.out, std::as_bytes(std::span(report.json)));
    if (!written) report.unfinished = written.error();
  }
  return report;
}

}  // namespace pageproof::cli
