// The command line of results and gonogo: what was measured, and what follows.
#include <fmt/ranges.h>

#include "cli/gonogo_command.hpp"
#include "cli/parse/command_line.hpp"
#include "cli/results_commands.hpp"

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
  choice(sub, "--unmeasured", c.unmeasured, doubts,
         "an alternative metric that no file has, where the other did not win (fail); a win beside a metric "
         "that "
         "was not measured is open in any case");
  choice(sub, "--kernel", c.kernel, {{"flag", Kernel::flag}, {"require", Kernel::require}},
         "a decode kernel that nobody recorded is flagged, or makes its cell undecidable (flag)");
  choice(sub, "--e-partner", c.partner, {{"e0", Partner::e0}, {"unshuffled", Partner::unshuffled}},
         "e is compared with e0, or with a1 and a2, whose prefills are not its own (e0)");
  sub->add_option("--power", c.power, "asked of the number of repeats")->check(kShare)->capture_default_str();
}

void add_gonogo_same(CLI::App* sub, GonogoOptions& o) {
  const std::vector<std::string>& usual = gonogo::same_by_default();
  const std::string named = fmt::format("{}", fmt::join(usual, ", "));
  sub->add_option("--same", o.same, "more keys that must be equal in a cell, beside " + named)
      ->delimiter(',')
      ->allow_extra_args(false);
  sub->add_option("--differ", o.differ, "those of them that may differ")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(usual));
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
      "pageproof results docs/runs");
  sub->add_option("FILE", o.inputs, "result files as their tools wrote them, and folders of them")
      ->required();
  sub->add_option("--mapping", o.mapping, "JSON that gives tags to files by their paths (docs/results.md)");
  sub->add_option("--failed", o.failed_share, "share of a run's requests that may fail, 0 to 1")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  sub->add_option("--goodput", o.goodput,
                  "also the requests a second that keep these objectives, in ms, from a file's arrays: "
                  "ttft:200,tpot:20,e2el:5000");
  line.runs(sub, [] { return results(o); });
}

void add_gonogo(CommandLine& line) {
  static GonogoOptions o;
  CLI::App* sub =
      line.command(line.app, "gonogo",
                   "does converting pay? Judges measured runs by the RFC's rules. Exit 0: GO; 1: NO-GO or "
                   "INCONCLUSIVE; 2: bad "
                   "input, of which the rest was judged",
                   "pageproof gonogo docs/runs --repeats 1 -o verdict.json -o verdict.md");
  sub->add_option("RESULTS", o.inputs, "result files of benchmarks, and folders of them (docs/results.md)")
      ->required();
  sub->add_option("--mapping", o.mapping, "a file that gives tags to result files by their paths");
  sub->add_option("--plan", o.plan,
                  "the cells that were planned: those without files are missing (docs/gonogo.md)");
  CLI::Option* weights =
      sub->add_option("--weights", o.weights, "a file with a weight for each cell; half must pass");
  CLI::Option* markdown =
      sub->add_flag("--markdown", o.markdown, "print Markdown, for a comment on an issue");
  CLI::Option* csv =
      sub->add_flag("--csv", o.csv, "print cell,setup,metric,run,value,unit")->excludes(markdown);
  sub->add_option("-o,--output", o.outputs, "also write a file; .txt, .md, .csv or .json says the form")
      ->allow_extra_args(false);
  number(sub, "--rows", o.rows, "most rows of a table in words")->capture_default_str();
  add_gonogo_choices(sub, o.choices);
  add_gonogo_same(sub, o);
  sub->add_option(
      "--goodput", o.goodput,
      "ttft:MS,tpot:MS,e2el:MS, one or more: also show the requests a second within them; no rule "
      "looks at it");
  sub->get_option("--over-cells")->excludes(weights);
  add_gonogo_keys(sub, o.keys);
  line.runs(sub, [] { return gonogo(o); });
  sub->get_option("--json")->excludes(csv)->excludes(markdown);
}

}  // namespace pageproof::cli
