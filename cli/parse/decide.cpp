// The command line of what helps to decide whether converting pays: measured results, and predicted ones.
#include "cli/decision_commands.hpp"
#include "cli/gonogo_command.hpp"
#include "cli/parse/command_line.hpp"
#include "cli/results_commands.hpp"
#include "cli/simulate_options.hpp"

namespace pageproof::cli {
namespace {

// A share of one, as 0.03; no NaN.
const CLI::Validator kShare(
    [](const std::string& text) {
      double share = -1;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), share);
      const bool whole = error == std::errc{} && end == text.data() + text.size();
      return whole && share >= 0 && share <= 1 ? std::string() : text + ": not a share from 0 to 1";
    },
    "SHARE");

template <class Value>
CLI::Option* choice(CLI::App* sub, const std::string& name, Value& value,
                    const std::map<std::string, Value>& words, const std::string& what) {
  std::vector<std::string> names;
  for (const auto& [word, meaning] : words) names.push_back(word);
  const auto take = [&value, words](const std::string& word) { value = words.at(word); };
  return sub->add_option_function<std::string>(name, take, what)->check(CLI::IsMember(names));
}

void add_gonogo_choices(CLI::App* sub, gonogo::Choices& c) {
  using namespace gonogo;
  sub->add_option("--decides", c.decides, "the setup whose verdict is the answer")
      ->check(CLI::IsMember({"c", "d", "e"}))
      ->capture_default_str();
  choice(sub, "--rules", c.rules, {{"both", Rules::both}, {"a", Rules::a}, {"b", Rules::b}},
         "the rules that a cell must pass (both)");
  choice(sub, "--vs", c.against,
         {{"both", Against::both},
          {"a1", Against::a1},
          {"a2", Against::a2},
          {"best", Against::best},
          {"each", Against::each}},
         "rule A's comparator: a1 and a2 both, one of them, the faster one in the cell, or each by itself "
         "(both)");
  sub->add_option("--theta", c.win_share, "a gain counts from this share on")
      ->check(kShare)
      ->capture_default_str();
  sub->add_option("--tau", c.ttft_share, "a TTFT worse by no more than this share is equal")
      ->check(kShare)
      ->capture_default_str();
  choice(sub, "--equal-ttft", c.ttft, {{"not-worse", Ttft::not_worse}, {"two-sided", Ttft::two_sided}},
         "whether a better TTFT is an equal one (not-worse)");
  sub->add_option("--guard-share", c.guard_share, "rule B: how much worse TPOT may be")
      ->check(kShare)
      ->capture_default_str();
  choice(sub, "--guard", c.guard, {{"median", Guard::median}, {"strict", Guard::strict}},
         "the guard looks at medians, or at the worst pair of repeats (median)");
  sub->add_option("--repeats", c.runs, "valid runs needed on both sides")
      ->check(CLI::Range(1U, 1000U))
      ->capture_default_str();
  const std::map<std::string, Statistic> statistics{{"mean", Statistic::mean}, {"median", Statistic::median}};
  choice(sub, "--tpot", c.tpot_statistic, statistics, "which TPOT of a run is compared (mean)");
  choice(sub, "--ttft", c.ttft_statistic, statistics, "which TTFT of a run is compared (median)");
  sub->add_option("--failed", c.failed_share, "share of a run's requests that may fail")
      ->check(kShare)
      ->capture_default_str();
  sub->add_option("--output-tolerance", c.output_share, "total_output_tokens against completed x osl")
      ->check(kShare)
      ->capture_default_str();
  sub->add_option("--input-tolerance", c.input_share, "total_input_tokens against completed x isl")
      ->check(kShare)
      ->capture_default_str();
  choice(sub, "--over-cells", c.aggregation,
         {{"any", Aggregation::any}, {"majority", Aggregation::majority}, {"all", Aggregation::all}},
         "how the verdicts of cells are made one (majority)");
  sub->add_option("--coverage", c.coverage, "share of the feasible cells that must be decidable")
      ->check(kShare)
      ->capture_default_str();
  sub->add_option("--reach", c.reach, "share of the planned decode batch that must have run")
      ->check(kShare)
      ->capture_default_str();
  const std::map<std::string, Doubt> doubts{{"fail", Doubt::counts_not}, {"unknown", Doubt::unknown}};
  choice(sub, "--noisy", c.noisy, doubts, "a gain that is large enough in overlapping ranges (fail)");
  choice(sub, "--unmeasured", c.unmeasured, doubts, "an alternative metric that no file has (fail)");
  choice(sub, "--kernel", c.kernel, {{"flag", Kernel::flag}, {"require", Kernel::require}},
         "a decode kernel that nobody recorded is flagged, or makes its cell undecidable (flag)");
  sub->add_option("--power", c.power, "asked of the number of repeats")->check(kShare)->capture_default_str();
  sub->add_option("--same", c.same, "keys that must be equal in a cell")
      ->delimiter(',')
      ->capture_default_str();
}

void add_gonogo_keys(CLI::App* sub, gonogo::Keys& keys) {
  const auto key = [&](const std::string& part, std::string& value, const std::string& what) {
    sub->add_option(fmt::format("--{}-key", part), value, what)->capture_default_str();
  };
  key("setup", keys.setup, "the key that names the setup");
  key("model", keys.model, "the key that names the model; absent: model_id");
  key("workload", keys.workload, "the key that says cold or hit");
  key("isl", keys.isl, "the key of the input length");
  key("osl", keys.osl, "the key of the output length");
  key("load", keys.load, "the key of the load, as c64 or r6; absent: max_concurrency, or else request_rate");
  key("pd", keys.pd, "the key of the ratio of prefills to decoders");
  key("batch", keys.batch, "the key of the planned decode batch");
  key("kernel", keys.kernel, "the key of the decode kernel that ran");
}

}  // namespace

void add_results(CommandLine& line) {
  static ResultsOptions o;
  CLI::App* sub = line.command(
      line.app, "results", "list the runs that result files of a benchmark hold, and what is wrong with them",
      "pageproof results results/ --mapping setups.json");
  sub->add_option("FILE", o.inputs, "result files as their tools wrote them, and folders of them")
      ->required();
  sub->add_option("--mapping", o.mapping, "JSON that gives tags to files by their paths (docs/results.md)");
  sub->add_option("--failed", o.failed_percent, "percent of a run's requests that may fail")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  line.runs(sub, [] { return results(o); });
}

void add_gonogo(CommandLine& line) {
  static GonogoOptions o;
  CLI::App* sub =
      line.command(line.app, "gonogo",
                   "does converting pay? Judges measured runs by the RFC's rules. Exit 0: GO; 1: NO-GO or "
                   "INCONCLUSIVE; 2: bad "
                   "input, of which the rest was judged",
                   "pageproof gonogo results/ --mapping setups.json -o verdict.json -o verdict.md");
  sub->add_option("RESULTS", o.inputs, "result files of benchmarks, and folders of them (docs/results.md)")
      ->required();
  sub->add_option("--mapping", o.mapping, "a file that gives tags to result files by their paths");
  sub->add_option("--plan", o.plan,
                  "the cells that were planned: those without files are missing (docs/gonogo.md)");
  CLI::Option* weights =
      sub->add_option("--weights", o.weights, "a file with a weight for each cell; half must pass");
  CLI::Option* markdown =
      sub->add_flag("--markdown", o.markdown, "print Markdown, for a comment on an issue");
  sub->add_flag("--csv", o.csv, "print cell,setup,metric,run,value,unit")->excludes(markdown);
  sub->add_option("-o,--output", o.outputs, "also write a file; .txt, .md, .csv or .json says the form")
      ->allow_extra_args(false);
  number(sub, "--rows", o.rows, "most rows of a table in words")->capture_default_str();
  add_gonogo_choices(sub, o.choices);
  sub->get_option("--over-cells")->excludes(weights);
  add_gonogo_keys(sub, o.keys);
  line.runs(sub, [] { return gonogo(o); });
}

void add_cost(CommandLine& line) {
  static CostOptions o;
  CLI::App* sub = line.command(
      line.app, "cost",
      "what converting costs and from how many output tokens it pays, each figure with its formula",
      "pageproof cost --batch 64 --context 4096 --kappa 4,6 --bandwidth 1.5,3\n  pageproof cost --rfc");
  sub->add_option("--model", o.model, "qwen3-8b, qwen3-32b or qwen3-30b-a3b")->capture_default_str();
  sub->add_option("--device", o.device, "mi300x, mi308x or mi355x")->capture_default_str();
  number(sub, "--tp", o.tp, "tensor parallelism of the decoder")->capture_default_str();
  number(sub, "--batch", o.batch, "running requests")->capture_default_str();
  number(sub, "--context", o.context, "tokens of each")->capture_default_str();
  number(sub, "--output", o.output, "output tokens of each")->capture_default_str();
  number(sub, "--block", o.block_tokens, "tokens of a block")->capture_default_str();
  sub->add_option("--kappa", o.traffic, "traffic: bytes moved for each byte of KV (default: 4,6)")
      ->delimiter(',');
  sub->add_option("--bandwidth", o.terabytes, "TB/s of the converter (default: 1.5,3)")->delimiter(',');
  sub->add_option("--saving", o.saving_ms,
                  "ms that a step of shuffled decode saves (default: by the step-time model, against both)");
  sub->add_option("--launch-us", o.launch_microseconds, "µs of the CPU a kernel launch")
      ->capture_default_str();
  sub->add_flag("--with-launches", o.with_launches, "count the launches in c, not only the bytes");
  sub->add_flag("--rfc", o.rfc, "every figure of the RFC's text, recomputed. Exit 1: the table is not right");
  sub->add_flag("--markdown", o.markdown, "that table in Markdown");
  line.runs(sub, [] { return cost(o); });
}

void add_calibrate(CommandLine& line) {
  static CalibrateOptions o;
  CLI::App* sub = line.command(
      line.app, "calibrate",
      "fit a step-time model to measured runs, and say how it predicts those that it was not fitted on",
      "pageproof calibrate results/ --split chessboard -o model.json");
  sub->add_option("FILE", o.inputs,
                  "result files, folders of them, or step tables (*.csv: setup,batch,context,step_ms)")
      ->required();
  sub->add_option("-o,--output", o.output, "write the model here")->type_name("FILE");
  sub->add_option("--step-table", o.step_table, "write the decode step as a table that simulate reads")
      ->type_name("FILE");
  sub->add_option(
         "--split", o.split,
         "which cells are held out: none; chessboard, every other one; contexts, the longer half of the "
         "input lengths; loads, the higher half")
      ->capture_default_str();
  sub->add_flag("--swap", o.swap, "fit those that would be held out");
  sub->add_flag("--prefills-elsewhere", o.prefills_elsewhere,
                "the runs are of a decoder that another engine fills");
  sub->add_flag("--cells", o.cells, "list every cell");
  line.runs(sub, [] { return calibrate(o); });
}

void add_validate(CommandLine& line) {
  static ValidateOptions o;
  CLI::App* sub = line.command(line.app, "validate",
                               "a calibrated model against measured runs, fitted and held-out cells apart",
                               "pageproof validate model.json results/ --cells");
  sub->add_option("MODEL", o.model, "as calibrate writes it")->required();
  sub->add_option("FILE", o.inputs, "as for calibrate")->required();
  sub->add_flag("--cells", o.cells, "list every cell");
  line.runs(sub, [] { return validate(o); });
}

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
  count(sub, "--concurrency", o.concurrency, kMostCount,
        "requests in flight at most (default: 48 without --rate)");
  real(sub, "--rate", o.rate, 1e-6, 1e9, "requests/s (default: all at once)");
  real(sub, "--burstiness", o.burstiness, 1e-3, 1e9, "of the arrivals, as vLLM's: 1 is Poisson")
      ->capture_default_str();
  count(sub, "--num-prompts", o.num_prompts, UINT64_MAX,
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
