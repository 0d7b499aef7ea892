// The command line of what is said of runs before they are made: the plan, and the predictions.
#include "cli/decision_commands.hpp"
#include "cli/parse/command_line.hpp"

namespace pageproof::cli {

namespace {

// An assumption in the unit that people use, kept in the unit of the model.
CLI::Option* scaled(CLI::App* sub, const std::string& name, double& value, double unit,
                    const std::string& what) {
  return sub->add_option_function<double>(
      name, [&value, unit](const double& given) { value = given * unit; },
      fmt::format("{} [{:g}]", what, value / unit));
}

}  // namespace

void add_plan_runs(CommandLine& line) {
  static PlanRunsOptions o;
  CLI::App* sub =
      line.command(line.app, "plan-runs",
                   "which runs of the RFC's go/no-go can decide anything, and the fewest that settle it",
                   "pageproof plan-runs --seeds 100\n  pageproof plan-runs --sensitivity");
  decision::Assumptions& a = o.plan.assume;
  number(sub, "--prefill-gpus", o.plan.prefill_gpus, "that can serve one decoder")->capture_default_str();
  number(sub, "--tp", o.plan.tp, "of the decoder, and of each prefill engine")->capture_default_str();
  number(sub, "--seeds", o.plan.seeds, "simulated runs of each cell")->capture_default_str();
  number(sub, "--trials", o.plan.trials, "measurements drawn from them")->capture_default_str();
  number(sub, "--repeats", o.plan.repeats, "runs a cell in a measurement")->capture_default_str();
  number(sub, "--prompts", o.plan.prompts, "of a run, for each request at once")->capture_default_str();
  number(sub, "--threads", o.plan.threads, "CPU threads")->check(CLI::Range(1u, 256u))->capture_default_str();
  sub->add_option("--shard", o.shard, "points of shard k of n, as k/n")->capture_default_str();
  sub->add_option("--merge", o.merge, "put the JSON reports of all shards together instead")
      ->type_name("FILE");
  sub->add_option("--judge-plan", o.judge_plan, "write the plan that gonogo --plan reads")->type_name("FILE");
  sub->add_option("--certainty", o.plan.certainty, "share of measurements from which a result is decisive")
      ->capture_default_str();
  sub->add_option("--cached", o.plan.cached_share, "share of a prompt that a prefix hit saves")
      ->capture_default_str();
  sub->add_option("--overhead", o.plan.run_overhead_s, "seconds to start a run")->capture_default_str();
  sub->add_option("--cv", a.run_cv, "run-to-run coefficient of variation")->capture_default_str();
  scaled(sub, "--prefill-cv", a.prefill_cv, 0.01, "% by which prefills differ");
  sub->add_option("--kernel-gain", a.kernel_gain, "less time in attention than ROCM_AITER_FA")
      ->capture_default_str();
  sub->add_option("--unified-gain", a.gain_over_unified, "less time in attention than unified")
      ->capture_default_str();
  sub->add_option("--kappa", a.traffic, "bytes that a conversion moves a byte of KV")->capture_default_str();
  scaled(sub, "--bandwidth", a.convert_bytes_per_second, 1e12, "TB/s of the converter");
  scaled(sub, "--launch-floor", a.launch_floor_seconds, 1e-3, "ms of launches a conversion, of 36 layers");
  scaled(sub, "--descriptor-us", a.descriptor_seconds, 1e-6, "µs to post a descriptor");
  scaled(sub, "--link", a.link_bytes_per_second, 1e9, "GB/s of a rank's link");
  scaled(sub, "--prefill-tflops", a.prefill_flops_per_second, 1e12, "TFLOP/s of a prefill GPU");
  sub->add_option("--unified-prefill", a.unified_prefill, "time of unified's prefills by FA's, for a2 and d")
      ->capture_default_str();
  sub->add_option_function<std::string>(
         "--unshuffled-descriptors",
         [](const std::string& given) { o.plan.assume.unshuffled_regions = given == "slots" ? 2 : 1; },
         "how a1 and a2 read a page: whole (1 descriptor) or slots (2: K and V apart) [whole]")
      ->check(CLI::IsMember({"whole", "slots"}));
  sub->add_flag("--points", o.points, "every point, with its figures");
  sub->add_flag("--sensitivity", o.sensitivity,
                "instead: one assumption at a time, at both ends of its range");
  sub->add_flag("--progress", o.progress, "show it on stderr, also where that is no terminal");
  const auto check = [sub] {
    CommandLine::only_with(sub, "--merge", {"--judge-plan", "--points", "--json"});
    for (const char* no : {"--shard", "--merge", "--seeds", "--points", "--judge-plan", "--progress"})
      if (sub->count("--sensitivity") > 0 && sub->count(no) > 0)
        throw CLI::ValidationError(no, "does nothing beside --sensitivity");
  };
  line.runs(sub, [] { return plan_runs(o); }, check);
}

void add_predictions(CommandLine& line) {
  static PredictionsOptions o;
  CLI::App* sub =
      line.command(line.app, "predictions",
                   "what nobody has measured yet, with the runs and thresholds that would falsify it",
                   "pageproof predictions --check reports/predictions.json");
  sub->add_option("-o,--output", o.output, "write the document here, with its hash")->type_name("FILE");
  sub->add_option("--date", o.date, "of the document, YYYY-MM-DD (default: today)");
  sub->add_option(
         "--check", o.check,
         "instead: does the hash of FILE fit, and is every figure what the model gives today? Exit 1: no")
      ->type_name("FILE")
      ->excludes("--output", "--date");
  line.runs(sub, [] { return predictions(o); });
}

}  // namespace pageproof::cli
