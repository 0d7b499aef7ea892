// The command line of the checks, the fixtures and the measurements.
#include "cli/parse/command_line.hpp"

namespace pageproof::cli {

void add_fixtures(CommandLine& line) {
  static FixturesOptions o;
  CLI::App* group = line.command(line.app, "fixtures", "golden fixtures for connector and converter tests",
                                 "pageproof fixtures check golden");
  group->require_subcommand(1);
  CLI::App* generate =
      line.command(*group, "generate", "write the fixtures into a folder, the same bytes every time",
                   "pageproof fixtures generate out/golden --full");
  generate->add_option("DIR", o.directory, "folder to write")->required();
  generate->add_flag("--full", o.full, "every shape in scope, not only the committed set");
  line.runs(generate, [] { return fixtures_generate(o); });
  CLI::App* check =
      line.command(*group, "check", "check a folder of fixtures and run the converter against it",
                   "pageproof fixtures check golden");
  check->add_option("DIR", o.directory, "folder that holds pages_v1.json")->required();
  line.runs(check, [] { return fixtures_check(o); });
}

void add_fuzz(CommandLine& line) {
  static FuzzOptions o;
  CLI::App* sub = line.command(line.app, "fuzz", "run properties as a campaign",
                               "pageproof fuzz convert --seconds 5 --seed 7 --shard 1/4");
  sub->add_option("PROPERTY", o.properties, "names or prefixes (default: all)");
  sub->add_option("--seconds", o.seconds, "how long")->check(CLI::Range(0.0, 1e6))->capture_default_str();
  number(sub, "--seed", o.seed, "seed of the campaign (default: a fresh one, printed)");
  sub->add_option("--shard", o.shard, "this campaign is shard k of n, as k/n")->capture_default_str();
  sub->add_option("--replay", o.replay, "run one case again, from the file that a failure named");
  sub->add_option("--merge", o.merge, "merge JSON reports of shards instead of running");
  sub->add_flag("--list", o.list, "list the properties and their mutants");
  line.runs(sub, [] { return fuzz(o); });
}

void add_verify(CommandLine& line) {
  static VerifyOptions o;
  CLI::App* sub = line.command(line.app, "verify", "every check of the project, as one table",
                               "pageproof verify golden.is_current --quick");
  sub->add_option("CHECK", o.checks, "names or prefixes (default: all)");
  sub->add_option("--fixtures", o.fixtures, "a folder of fixtures (default: the committed ones)");
  sub->add_option("--report", o.report,
                  "where the JSON document goes (default, where every check ran: reports/out/verify.json)")
      ->type_name("FILE");
  sub->add_flag("--quick", o.quick, "the quick form of every check");
  sub->add_flag("--list", o.list, "list the checks and what each claims");
  line.runs(sub, [] { return verify(o); });
}

void add_prove(CommandLine& line) {
  static ProveOptions o;
  CLI::App* sub =
      line.command(line.app, "prove", "prove the obligations for every shape, and refute the mutants",
                   "pageproof prove same --recheck cvc5");
  sub->add_option("NAME", o.names, "obligations, or prefixes such as `format` (default: all)");
  sub->add_flag("--list", o.list, "list the obligations and what each claims");
  sub->add_flag("--mutants", o.mutants, "only the mutants, each with the smallest example that refutes it");
  sub->add_option("--smtlib", o.smtlib, "write every query as DIR/<obligation>/<query>.smt2")
      ->type_name("DIR");
  sub->add_option("--recheck", o.recheck, "ask another solver for the proofs too")
      ->check(CLI::IsMember({"cvc5"}));
  sub->add_option("--case", o.replay, "replay a counterexample, with plain integers and no solver")
      ->type_name("FILE")
      ->excludes("--list", "--mutants", "--smtlib", "--recheck");
  sub->add_option("--cases", o.cases, "where counterexamples are written; `none` writes none")
      ->type_name("DIR")
      ->capture_default_str();
  number(sub, "--seed", o.seed, "Z3's random seed")
      ->check(CLI::Range(std::uint32_t{0}, UINT32_MAX))
      ->capture_default_str();
  sub->get_option("--list")->excludes("--mutants", "--smtlib", "--recheck");
  sub->get_option("--mutants")->excludes("--recheck");
  line.runs(sub, [] { return prove(o); });
}

void add_amd(CommandLine& line) {
  static AmdOptions o;
  CLI::App* sub = line.command(line.app, "amd", "the converter on an AMD device: right, and how fast?",
                               "pageproof amd --out amd.json");
  sub->add_option("--out", o.out, "write the JSON document here")->type_name("FILE");
  sub->add_option("--fixtures", o.fixtures, "a folder of fixtures (default: the committed ones)")
      ->type_name("DIR");
  number(sub, "--bytes", o.bytes, "bytes of pages a request")->capture_default_str();
  number(sub, "--repetitions", o.repetitions, "turns; the median counts")->capture_default_str();
  line.runs(sub, [] { return amd(o); });
}

void add_prove_code(CommandLine& line) {
  static ProveCodeOptions o;
  CLI::App* sub = line.command(line.app, "prove-code",
                               "run the shipped AMD machine code on symbols: where every byte goes",
                               "pageproof prove-code --target gfx942 --kernel pageproof_in_place --heads 8");
  sub->add_option("FILE", o.file, "a code object (default: those that this build embeds)");
  sub->add_option("--target", o.target,
                  "only this one of the embedded, or what FILE must be: gfx90a, gfx942 or gfx950");
  sub->add_option("--kernel", o.kernels, "only kernels whose names begin so");
  number(sub, "--heads", o.heads, "only this head count")
      ->check(CLI::Range(std::uint32_t{1}, std::numeric_limits<std::uint32_t>::max()));
  sub->add_option("--pattern", o.pattern,
                  "only this way for blocks to lie: near, far, wide, sparse or duplicate");
  sub->add_flag("--quick", o.quick, "fewer head counts");
  sub->add_flag("--mutants", o.mutants,
                "flip every bit of the code: each must be refuted, or explained by a rule")
      ->excludes("--heads", "--pattern", "--quick");
  sub->add_option("--shard", o.shard, "with --mutants: only every N-th bit, beginning with the K-th")
      ->type_name("K/N")
      ->needs("--mutants")
      ->capture_default_str();
  number(sub, "--threads", o.threads, "that run at once")
      ->check(CLI::Range(std::uint32_t{1}, kMostThreads))
      ->capture_default_str();
  line.runs(sub, [] { return prove_code(o); });
}

void add_bench(CommandLine& line) {
  static BenchOptions o;
  CLI::App* group = line.command(line.app, "bench", "measure, as ratios in one run",
                                 "pageproof bench convert --bytes 67108864");
  group->require_subcommand(1);
  CLI::App* convert = line.command(*group, "convert", "the CPU converter against memcpy of the same bytes",
                                   "pageproof bench convert --bytes 67108864 --repetitions 3");
  number(convert, "--bytes", o.bytes, "bytes of pages converted in one pass")->capture_default_str();
  number(convert, "--repetitions", o.repetitions, "passes; the median counts")->capture_default_str();
  line.runs(convert, [] { return bench_convert(o); });
  static BenchGpuOptions g;
  CLI::App* gpu =
      line.command(*group, "gpu", "the converter on an NVIDIA device, against copies of the same bytes",
                   "pageproof bench gpu --bytes 604000000");
  number(gpu, "--bytes", g.bytes, "bytes of pages in one request")->capture_default_str();
  number(gpu, "--repetitions", g.repetitions, "passes; the median counts")->capture_default_str();
  line.runs(gpu, [] { return bench_gpu(g); });
  static BenchPlanOptions p;
  CLI::App* plan =
      line.command(*group, "plan", "the planner against numpy and Python loops for the same request",
                   "pageproof bench plan --pair-blocks 1000 --repetitions 3");
  number(plan, "--layers", p.layers, "of the model")->capture_default_str();
  number(plan, "--blocks", p.blocks, "of the request; 2 descriptors a layer and block")
      ->capture_default_str();
  number(plan, "--pool-blocks", p.pool_blocks, "of the pool whose list is written out")
      ->capture_default_str();
  number(plan, "--pair-blocks", p.pair_blocks, "of the pair of engines that is prepared")
      ->capture_default_str();
  number(plan, "--repetitions", p.repetitions, "passes; the median counts")->capture_default_str();
  plan->add_flag("!--no-python", p.python, "the planner alone");
  line.runs(plan, [] { return bench_plan(p); });
}

}  // namespace pageproof::cli
