// What `pageproof simulate` is asked. Numbers are in the units that the options name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.hpp"

namespace pageproof::cli {

struct SimulateOptions {
  std::vector<std::string> setups = {"a1", "a2", "b", "c", "d"};
  std::vector<std::string> set;  // "c.traffic=6", "all.kv-gb=3000"
  std::string model = "qwen3-8b";
  std::string device = "mi300x";
  std::uint32_t tp = 1;
  std::uint32_t prefill_tp = 0;  // 0: as tp
  std::uint32_t prefill = 1;
  std::uint32_t decode = 1;

  std::uint32_t isl = 4096;
  std::uint32_t osl = 512;
  double cached = 0;         // share of the input that prefill holds already
  double length_spread = 0;  // vLLM's random range ratio
  std::optional<std::uint32_t> concurrency{};
  std::optional<double> rate{};  // requests/s; nothing: all at once
  double burstiness = 1;
  std::uint64_t num_prompts = 0;  // 0: ten times the concurrency, 500 without
  std::string arrivals;           // a Mooncake trace or a detailed result
  bool hits = false;              // of a Mooncake trace: repeated blocks are cached

  std::string step_table;
  bool extrapolate = false;
  std::optional<double> step_base_ms{};
  double step_request_us = 0;
  double weight_gb = 3800;  // GB/s
  double link_gb = 25;      // GB/s
  double descriptor_us = 2;
  double read_us = 50;
  std::string link = "fair";
  std::optional<std::uint32_t>
      run_blocks{};  // given: descriptors after NIXL's merging, runs of so many blocks
  double handover_ms = 0;
  double prefill_tflops = 0;  // a GPU; 0: the device's
  std::uint32_t block_tokens = 16;
  std::uint32_t max_num_seqs = 256;
  std::optional<double> kv_tokens{};
  std::string kv_full = "queue";
  std::uint32_t scheduler_steps = 0;

  std::uint64_t seed = 1;
  std::uint64_t seeds = 3;
  double run_cv = 1;                 // %
  double step_cv = 0;                // %
  double prefill_cv = 10;            // %
  std::vector<std::string> goodput;  // "ttft:2000", in ms

  std::string out;           // a new or empty folder
  bool no_detailed = false;  // without arrays
  std::string trace;         // a file for the Chrome trace of the first run of the last setup
  std::uint64_t trace_events = 100'000;
  bool measure = false;  // how many steps a second
};
Result simulate(const SimulateOptions& options);

}  // namespace pageproof::cli
