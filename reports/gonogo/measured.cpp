#include "reports/gonogo/measured.hpp"

#include <fmt/format.h>

namespace pageproof::gonogo {
namespace {

// 0, +1, -1, +2, -2 ...: whatever the number of repeats, the middle one is about 0.
double place_of(std::size_t repeat) {
  const double distance = static_cast<double>((repeat + 1) / 2);
  return repeat % 2 == 1 ? distance : -distance;
}

}  // namespace

Level level_of(const std::string& setup) {
  if (setup == "a1") return {.ttft_ms = 1000, .tpot_ms = 20, .output_throughput = 3000};
  if (setup == "a2") return {.ttft_ms = 990, .tpot_ms = 19.6, .output_throughput = 3050};
  if (setup == "b") return {.ttft_ms = 1050, .tpot_ms = 18, .output_throughput = 3300};
  return {.ttft_ms = 1000, .tpot_ms = 18.2, .output_throughput = 3280};
}

results::Run made_run(const std::string& setup, std::uint64_t osl, const Level& level, std::size_t repeat) {
  const double up = 1 + level.spread * place_of(repeat);
  results::Run run;
  run.source = fmt::format("{}_osl{}_run{}.json", setup, osl, repeat);
  run.date = fmt::format("20261130-{:02}{:02}{:02}", repeat, osl % 60, setup[0] % 10);
  run.tags = {
      {"setup", setup}, {"workload", "cold"},
      {"isl", "4096"},  {"osl", fmt::format("{}", osl)},
      {"pd", "1:1"},    {"kernel", setup == "a1" || setup == "a2" || setup == "e0" ? "unified" : "asm"}};
  run.model_id = "M";
  run.num_prompts = run.completed = 256;
  run.failed = 0;
  run.total_input_tokens = 256 * 4096;
  run.total_output_tokens = 256 * osl;
  run.request_rate = 1e9;
  run.burstiness = 1;
  run.max_concurrency = 64;
  run.duration_s = 60 + static_cast<double>(repeat) + level.tpot_ms;
  run.metrics = {
      {"median_ttft_ms", level.ttft_ms * up},   {"mean_ttft_ms", level.ttft_ms * up},
      {"p99_ttft_ms", level.ttft_ms * 2 * up},  {"mean_tpot_ms", level.tpot_ms * up},
      {"median_tpot_ms", level.tpot_ms * up},   {"median_itl_ms", level.tpot_ms * up},
      {"p99_itl_ms", level.tpot_ms * 1.5 * up}, {"output_throughput", level.output_throughput * up}};
  return run;
}

std::vector<results::Run> made_runs(
    std::size_t cells, std::size_t repeats,
    const std::function<Level(const std::string& setup, std::size_t cell)>& level) {
  std::vector<results::Run> out;
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    for (std::size_t cell = 0; cell < cells; ++cell) {
      for (const std::string setup : {"a1", "a2", "b", "c"}) {
        out.push_back(made_run(setup, 128 * (cell + 1), level(setup, cell), repeat));
      }
    }
  }
  return out;
}

}  // namespace pageproof::gonogo
