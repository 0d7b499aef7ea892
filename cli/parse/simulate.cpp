// The command line of `pageproof simulate`.
#include "cli/parse/command_line.hpp"
#include "cli/simulate_options.hpp"

namespace pageproof::cli {
namespace {

// Refuses what is no finite number of that range; the library would take nan.
CLI::Validator real_number(double least, double most) {
  return CLI::Validator(
      [least, most](const std::string& text) {
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool fits =
            error == std::errc{} && end == text.data() + text.size() && value >= least && value <= most;
        return fits ? std::string() : fmt::format("{}: not a number, {:g} to {:g}", text, least, most);
      },
      "NUMBER");
}

template <class Value>
CLI::Option* real(CLI::App* sub, const std::string& name, Value& value, double least, double most,
                  const std::string& what) {
  return sub->add_option(name, value, what)->check(real_number(least, most));
}

// As count, for what is left to its default by leaving the option out, and is no 0.
template <class Value>
CLI::Option* positive(CLI::App* sub, const std::string& name, Value& value, std::uint64_t most,
                      const std::string& what) {
  const auto not_zero = [](const std::string& text) {
    return text.find_first_not_of('0') == std::string::npos ? text + ": not 1 or more" : std::string();
  };
  return sub->add_option(name, value, what)->check(whole_number(most))->check(not_zero);
}

template <class Value>
CLI::Option* count(CLI::App* sub, const std::string& name, Value& value, std::uint64_t most,
                   const std::string& what) {
  return sub->add_option(name, value, what)->check(whole_number(most));
}

constexpr std::uint64_t kMostCount = UINT32_MAX;

void add_simulated_load(CLI::App* sub, SimulateOptions& o) {
  count(sub, "--isl", o.isl, kMostCount, "input tokens of a request")->capture_default_str();
  count(sub, "--osl", o.osl, kMostCount, "output tokens of a request")->capture_default_str();
  real(sub, "--cached", o.cached, 0, 1, "share of the input that prefill holds already (a prefix hit)")
      ->capture_default_str();
  real(sub, "--length-spread", o.length_spread, 0, 1, "lengths within (1 ± this), as --random-range-ratio")
      ->capture_default_str();
  positive(sub, "--concurrency", o.concurrency, kMostCount,
           "requests in flight at most (default: 48 without --rate)");
  real(sub, "--rate", o.rate, 1e-6, 1e9, "requests/s (default: all at once)");
  real(sub, "--burstiness", o.burstiness, 1e-3, 1e9, "of the arrivals, as vLLM's: 1 is Poisson")
      ->capture_default_str();
  positive(sub, "--num-prompts", o.num_prompts, UINT64_MAX,
           "requests (default: ten times the concurrency, or 500)");
  sub->add_option("--arrivals", o.arrivals, "times and lengths from a Mooncake trace, or a detailed result")
      ->type_name("FILE");
  sub->add_flag("--hits", o.hits, "of a Mooncake trace: blocks that stood in an earlier line are cached");
}

void add_simulated_machine(CLI::App* sub, SimulateOptions& o) {
  sub->add_option("--model", o.model, "qwen3-8b, qwen3-32b or qwen3-30b-a3b")->capture_default_str();
  sub->add_option("--device", o.device, "mi300x, mi308x or mi355x")->capture_default_str();
  count(sub, "--tp", o.tp, kMostCount, "GPUs of a decoder")->capture_default_str();
  count(sub, "--prefill-tp", o.prefill_tp, kMostCount, "GPUs of a prefill server (default: as --tp)");
  count(sub, "--prefill", o.prefill, kMostCount, "prefill servers")->capture_default_str();
  count(sub, "--decode", o.decode, kMostCount, "decoders")->capture_default_str();
  real(sub, "--prefill-tflops", o.prefill_tflops, 1e-3, 1e6, "TFLOP/s of a GPU (default: the device's)");
  sub->add_option("--step-table", o.step_table, "measured step times: CSV setup,batch,context,step_ms")
      ->type_name("FILE");
  sub->add_flag("--extrapolate", o.extrapolate, "go on beyond the table, along its lines")
      ->needs("--step-table");
  real(sub, "--step-base-ms", o.step_base_ms, 0, 1e6,
       "ms of a step whatever it does (default: 2, or 2.5 above TP 1)");
  real(sub, "--step-request-us", o.step_request_us, 0, 1e6, "µs of a step for each request")
      ->capture_default_str();
  real(sub, "--weight-gb", o.weight_gb, 1e-3, 1e9, "GB/s at which a step reads weights")
      ->capture_default_str();
  real(sub, "--link-gb", o.link_gb, 1e-6, 1e9, "GB/s into a rank")->capture_default_str();
  real(sub, "--us-per-descriptor", o.descriptor_us, 0, 1e9, "µs to post a descriptor")->capture_default_str();
  real(sub, "--us-per-read", o.read_us, 0, 1e9, "µs of a read whatever its size")->capture_default_str();
  sub->add_option("--link", o.link, "fair: reads in flight share it; serial: one after another")
      ->check(CLI::IsMember({"fair", "serial"}))
      ->capture_default_str();
  count(sub, "--run-blocks", o.run_blocks, kMostCount,
        "NIXL merges: block ids in runs of so many (default: no merging)");
  real(sub, "--handover-ms", o.handover_ms, 0, 1e9, "ms between the end of a prefill and its read")
      ->capture_default_str();
  count(sub, "--block-tokens", o.block_tokens, kMostCount, "tokens of a block")->capture_default_str();
  count(sub, "--max-num-seqs", o.max_num_seqs, kMostCount, "requests of a decoder that run at once")
      ->capture_default_str();
  real(sub, "--kv-tokens", o.kv_tokens, 0, 1e15,
       "tokens of KV that a decoder holds (default: by its memory)");
  sub->add_option("--kv-full", o.kv_full,
                  "queue: a request waits for room before its read; refuse: that is an error")
      ->check(CLI::IsMember({"queue", "refuse"}))
      ->capture_default_str();
  count(sub, "--scheduler-steps", o.scheduler_steps, kMostCount,
        "steps from ready to running; 1: asynchronous scheduling")
      ->capture_default_str();
}

}  // namespace

void add_simulate(CommandLine& line) {
  static SimulateOptions o;
  CLI::App* sub =
      line.command(line.app, "simulate",
                   "the benchmark of a prefill/decode deployment, simulated: each setup, seed by seed",
                   "pageproof simulate --setups a1,b,c --isl 16384 --osl 512 --concurrency 48 --prefill 2 "
                   "--tp 2 --out runs");
  sub->add_option("--setups", o.setups, "of a1, a2, b, c, d, e (default: a1,a2,b,c,d)")->delimiter(',');
  sub->add_option("--set", o.set,
                  "SETUP.FIELD=VALUE: changes a setup, or `all`, as c.traffic=6 (docs/simulate.md)");
  add_simulated_machine(sub, o);
  add_simulated_load(sub, o);
  number(sub, "--seed", o.seed, "the first")->capture_default_str();
  number(sub, "--seeds", o.seeds, "repeats, each with the next seed")->capture_default_str();
  real(sub, "--run-cv", o.run_cv, 0, 100, "% by which whole runs differ")->capture_default_str();
  real(sub, "--step-cv", o.step_cv, 0, 100, "% by which steps differ")->capture_default_str();
  real(sub, "--prefill-cv", o.prefill_cv, 0, 100, "% by which prefills differ")->capture_default_str();
  sub->add_option("--goodput", o.goodput, "objectives in ms, as ttft:2000 tpot:25 e2el:20000")
      ->delimiter(',');
  sub->add_option("--out", o.out,
                  "a new or empty folder for results in the form of vllm bench serve --save-detailed")
      ->type_name("DIR");
  sub->add_flag("--no-detailed", o.no_detailed, "results without arrays")->needs("--out");
  sub->add_option("--trace", o.trace, "the first run of the last setup as a Chrome trace (Perfetto opens it)")
      ->type_name("FILE");
  count(sub, "--trace-events", o.trace_events, 1'000'000, "in it, at most")->capture_default_str();
  sub->add_flag("--measure", o.measure, "how many decode steps a second are simulated")
      ->excludes("--out", "--trace");
  line.runs(sub, [] { return simulate(o); });
}

}  // namespace pageproof::cli
