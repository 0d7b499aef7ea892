// The command line of `pageproof`: the only place that knows CLI11.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <functional>
#include <limits>
#include <new>
#include <optional>
#include <sstream>

#include "cli/commands.hpp"
#include "cli/plan_options.hpp"

namespace {

using namespace pageproof;

constexpr const char* kNoOutput = "stdout: cannot be written";

// Refuses what is not a whole number up to `largest`, also where the library would wrap or saturate.
CLI::Validator whole_number(std::uint64_t largest) {
  return CLI::Validator(
      [largest](const std::string& text) {
        std::uint64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        const bool whole = error == std::errc{} && end == text.data() + text.size() && number <= largest;
        return whole ? std::string() : fmt::format("{}: not a whole number up to {}", text, largest);
      },
      "NUMBER");
}

struct CommandLine {
  CLI::App app{"pageproof: proves, fuzzes, converts and hands over KV-cache pages between engines"};
  bool json = false;
  std::function<cli::Result()> chosen;

  CLI::App* command(CLI::App& parent, const std::string& name, const std::string& what,
                    const std::string& example) {
    CLI::App* sub = parent.add_subcommand(name, what);
    sub->footer("Example:\n  " + example);
    return sub;
  }

  // Ends a subcommand: what it runs once the command line has been read.
  void runs(CLI::App* sub, std::function<cli::Result()> run) {
    sub->add_flag("--json", json, "print one JSON document and nothing else on stdout");
    sub->callback([this, run = std::move(run)] { chosen = run; });
  }
};

template <class Number>
CLI::Option* number(CLI::App* sub, const std::string& name, Number& value, const std::string& what) {
  return sub->add_option(name, value, what)->check(whole_number(std::numeric_limits<Number>::max()));
}

void add_convert(CommandLine& line) {
  static cli::ConvertOptions o;
  CLI::App* sub =
      line.command(line.app, "convert", "convert the pages of a safetensors file into another page format",
                   "pageproof convert golden/foreign/bf16_B5_H3_N16_D128.safetensors -o planes.safetensors "
                   "--blocks 0,2-4");
  sub->add_option(
         "FILE", o.input,
         "safetensors: `standard` [B, H, N, 2D]; shuffled `k_plane` [B, H, D/x, N, x] and `v_plane` "
         "[B, H, N/x, D, x]; of any other format `pages` [B, H, N, 2D], or `k_plane` and `v_plane` [B, "
         "H, N, D], whose axes give the sizes and whose bytes lie as the format says. A metadata entry "
         "page_format, as convert writes it, must agree with --from")
      ->required();
  sub->add_option("-o,--output,OUTPUT", o.output, "the file to write")->required();
  sub->add_option("--from", o.from, "page format of FILE, a tag of `pageproof formats`")
      ->capture_default_str();
  sub->add_option("--to", o.to, "page format to write, a tag of `pageproof formats`")->capture_default_str();
  sub->add_option("--blocks", o.blocks,
                  "block ids to convert, as 0,3,5-9 (default: all); others are filled with 0xA5");
  sub->add_flag("--in-place", o.in_place,
                "land the pages as a READ would, then convert the landing into the same bytes (standard or "
                "standard-nhd to aiter-shuffled)");
  sub->add_option(
      "--rewrite", o.rewrite,
      "e4m3-to-e4m3fnuz: OCP e4m3 codes become e4m3fnuz codes of HALF the value, so the reader's scale must "
      "be twice the writer's. F8_E4M3 becomes F8_E4M3FNUZ; U8 stays U8");
  sub->add_flag("--keep-source", o.keep_source,
                "also write the source tensors, so that `check` can read the output (standard and shuffled)");
  number(sub, "--threads", o.threads, fmt::format("CPU threads, 1 to {}", cli::kMostThreads))
      ->capture_default_str();
  line.runs(sub, [] { return cli::convert(o); });
}

void add_check(CommandLine& line) {
  static cli::CheckOptions o;
  CLI::App* sub =
      line.command(line.app, "check", "do k_plane and v_plane hold the same elements as standard?",
                   "pageproof check golden/foreign/bf16_B5_H3_N16_D128.safetensors");
  sub->add_option("FILE", o.input,
                  "safetensors with standard, k_plane and v_plane; slot_mapping (I64) says which slots were "
                  "written, the "
                  "others must hold the byte 0xA5")
      ->required();
  line.runs(sub, [] { return cli::check(o); });
}

void add_identify(CommandLine& line) {
  static cli::IdentifyOptions o;
  CLI::App* sub = line.command(
      line.app, "identify",
      "in which page format is a dump, given the same pages in a known one? Exit 0: a catalogue format (the "
      "expected one) maps REF onto FILE; 1: none does, or another; 2: bad input. Where both files hold "
      "block_ids (I64, one a block), blocks are matched by them; else by position",
      "pageproof identify golden/foreign/bf16_B5_H3_N16_D128.safetensors --against "
      "golden/foreign/bf16_B5_H3_N16_D128.safetensors --expect aiter-shuffled");
  sub->add_option("FILE", o.input,
                  "safetensors: `pages` of any shape (the bytes of a region as they lie), or `k_plane` and "
                  "`v_plane` of any shape; without those, `standard` taken as `pages`")
      ->required();
  sub->add_option(
         "--against", o.against,
         "REF: safetensors with the same pages as `standard` [B, H, N, 2D], shuffled `k_plane` [B, H, D/x, "
         "N, x] and `v_plane` [B, H, N/x, D, x], or any other format as `convert` writes it")
      ->required();
  sub->add_option(
      "--ref-format", o.reference_format,
      "page format of REF: of `pages` [B, H, N, 2D], or of `k_plane` and `v_plane` [B, H, N, D]; the "
      "axes give the sizes, the bytes lie as the format says. Needed where REF has these and no metadata "
      "entry page_format");
  sub->add_option("--expect", o.expected, "page format that FILE should have");
  sub->add_option("--threads", o.threads, "CPU threads")
      ->check(whole_number(cli::kMostThreads))
      ->capture_default_str();
  line.runs(sub, [] { return cli::identify(o); });
}

void add_formats(CommandLine& line) {
  static cli::FormatsOptions o;
  CLI::App* sub = line.command(line.app, "formats", "the page formats, one line of digits each",
                               "pageproof formats --markdown");
  sub->add_flag("--markdown", o.markdown, "the table that a project can paste into its docs");
  line.runs(sub, [] { return cli::formats(o); });
}

void add_shape(CLI::App* sub, Shape& shape) {
  number(sub, "--heads", shape.heads, "H: KV heads on this rank")->required();
  number(sub, "--tokens", shape.tokens, "N: tokens of a block")->required();
  number(sub, "--head-dim", shape.head_dim, "D: elements of a head")->required();
  number(sub, "--element-bytes", shape.element_bytes, "e: 1 or 2")->required();
}

void add_offset(CommandLine& line) {
  static cli::OffsetOptions o;
  CLI::App* sub =
      line.command(line.app, "offset", "the byte offset of one element, folded digit by digit",
                   "pageproof offset --format aiter-shuffled --heads 8 --tokens 16 --head-dim 128 "
                   "--element-bytes 2 --block 3 --side v --head 2 --token 5 --dim 7");
  sub->add_option("--format", o.format, "a tag of `pageproof formats`, or landing")->required();
  add_shape(sub, o.shape);
  number(sub, "--block", o.coordinate.block, "block id")->capture_default_str();
  sub->add_option_function<std::string>(
         "--side", [](const std::string& side) { o.coordinate.side = side == "k" ? Side::key : Side::value; },
         "k or v")
      ->required()
      ->transform(CLI::IsMember({"k", "v"}, CLI::ignore_case));
  number(sub, "--head", o.coordinate.head, "KV head")->required();
  number(sub, "--token", o.coordinate.token, "token within the block")->required();
  number(sub, "--dim", o.coordinate.dim, "element within the head")->required();
  line.runs(sub, [] { return cli::offset(o); });
}

void add_view(CommandLine& line) {
  static cli::ViewOptions o;
  CLI::App* sub = line.command(
      line.app, "view",
      "what a shuffle writer does to a view [B, N, H, D] of K or V, by its strides: is it a plane, where "
      "does a writer "
      "with dense offsets store, from which block on do 32-bit offsets wrap. Exit 0: a dense plane; 1: not; "
      "2: bad input",
      "pageproof view --heads 2 --tokens 16 --head-dim 256 --element-bytes 2 --strides 16384,512,256,1");
  add_shape(sub, o.shape);
  sub->add_option("--strides", o.strides, "block, token, head, dim: in elements, as torch prints them")
      ->required()
      ->delimiter(',')
      ->expected(4)
      ->check(whole_number(std::numeric_limits<std::uint64_t>::max()));
  line.runs(sub, [] { return cli::view(o); });
}

void add_schedule(CommandLine& line) {
  static cli::ScheduleOptions o;
  CLI::App* sub =
      line.command(line.app, "schedule", "what a conversion in place of a run of pages must hold at once",
                   "pageproof schedule --heads 8 --tokens 16 --head-dim 128 --element-bytes 2 --pages 4");
  add_shape(sub, o.shape);
  number(sub, "--pages", o.pages, "m: consecutive pages that landed in halves of the run")
      ->capture_default_str();
  line.runs(sub, [] { return cli::schedule(o); });
}

void add_fixtures(CommandLine& line) {
  static cli::FixturesOptions o;
  CLI::App* group = line.command(line.app, "fixtures", "golden fixtures for connector and converter tests",
                                 "pageproof fixtures check golden");
  group->require_subcommand(1);
  CLI::App* generate =
      line.command(*group, "generate", "write the fixtures into a folder, the same bytes every time",
                   "pageproof fixtures generate out/golden --full");
  generate->add_option("DIR", o.directory, "folder to write")->required();
  generate->add_flag("--full", o.full, "every shape in scope, not only the committed set");
  line.runs(generate, [] { return cli::fixtures_generate(o); });
  CLI::App* check =
      line.command(*group, "check", "check a folder of fixtures and run the converter against it",
                   "pageproof fixtures check golden");
  check->add_option("DIR", o.directory, "folder that holds pages_v1.json")->required();
  line.runs(check, [] { return cli::fixtures_check(o); });
}

void add_fuzz(CommandLine& line) {
  static cli::FuzzOptions o;
  CLI::App* sub = line.command(line.app, "fuzz", "run properties as a campaign",
                               "pageproof fuzz convert --seconds 5 --seed 7 --shard 1/4");
  sub->add_option("PROPERTY", o.properties, "names or prefixes (default: all)");
  sub->add_option("--seconds", o.seconds, "how long")->check(CLI::Range(0.0, 1e6))->capture_default_str();
  number(sub, "--seed", o.seed, "seed of the campaign (default: a fresh one, printed)");
  sub->add_option("--shard", o.shard, "this campaign is shard k of n, as k/n")->capture_default_str();
  sub->add_option("--replay", o.replay, "run one case again, from the file that a failure named");
  sub->add_option("--merge", o.merge, "merge JSON reports of shards instead of running");
  sub->add_flag("--list", o.list, "list the properties and their mutants");
  line.runs(sub, [] { return cli::fuzz(o); });
}

void add_verify(CommandLine& line) {
  static cli::VerifyOptions o;
  CLI::App* sub = line.command(line.app, "verify", "every check of the project, as one table",
                               "pageproof verify golden --quick");
  sub->add_option("CHECK", o.checks, "names or prefixes (default: all)");
  sub->add_option("--fixtures", o.fixtures, "a folder of fixtures (default: the committed ones)");
  sub->add_flag("--quick", o.quick, "the quick form of every check");
  sub->add_flag("--list", o.list, "list the checks and what each claims");
  line.runs(sub, [] { return cli::verify(o); });
}

void add_prove(CommandLine& line) {
  static cli::ProveOptions o;
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
  line.runs(sub, [] { return cli::prove(o); });
}

void add_amd(CommandLine& line) {
  static cli::AmdOptions o;
  CLI::App* sub = line.command(line.app, "amd", "the converter on an AMD device: right, and how fast?",
                               "pageproof amd --out amd.json");
  sub->add_option("--out", o.out, "write the JSON document here")->type_name("FILE");
  sub->add_option("--fixtures", o.fixtures, "a folder of fixtures (default: the committed ones)")
      ->type_name("DIR");
  number(sub, "--bytes", o.bytes, "bytes of pages a request")->capture_default_str();
  number(sub, "--repetitions", o.repetitions, "turns; the median counts")->capture_default_str();
  line.runs(sub, [] { return cli::amd(o); });
}

void add_prove_code(CommandLine& line) {
  static cli::ProveCodeOptions o;
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
      ->check(CLI::Range(std::uint32_t{1}, cli::kMostThreads))
      ->capture_default_str();
  line.runs(sub, [] { return cli::prove_code(o); });
}

void add_bench(CommandLine& line) {
  static cli::BenchOptions o;
  CLI::App* group = line.command(line.app, "bench", "measure, as ratios in one run",
                                 "pageproof bench convert --bytes 67108864");
  group->require_subcommand(1);
  CLI::App* convert = line.command(*group, "convert", "the CPU converter against memcpy of the same bytes",
                                   "pageproof bench convert --bytes 67108864 --repetitions 3");
  number(convert, "--bytes", o.bytes, "bytes of pages converted in one pass")->capture_default_str();
  number(convert, "--repetitions", o.repetitions, "passes; the median counts")->capture_default_str();
  line.runs(convert, [] { return cli::bench_convert(o); });
  static cli::BenchGpuOptions g;
  CLI::App* gpu =
      line.command(*group, "gpu", "the converter on an NVIDIA device, against copies of the same bytes",
                   "pageproof bench gpu --bytes 604000000");
  number(gpu, "--bytes", g.bytes, "bytes of pages in one request")->capture_default_str();
  number(gpu, "--repetitions", g.repetitions, "passes; the median counts")->capture_default_str();
  line.runs(gpu, [] { return cli::bench_gpu(g); });
  static cli::BenchPlanOptions p;
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
  line.runs(plan, [] { return cli::bench_plan(p); });
}

constexpr const char* kAllowHelp =
    "conversions beside the RFC's first version, separated by commas: tokens_first (a prefill under LBNHC, "
    "NHD), "
    "fp8_rewrite (OCP e4m3 pages for a decoder that reads e4m3fnuz, at twice the scale)";

void add_handshake(CommandLine& line) {
  static cli::HandshakeCheckOptions check_options;
  static cli::HandshakeDecodeOptions decode_options;
  static cli::HandshakeMatrixOptions matrix_options;
  CLI::App* group = line.command(
      line.app, "handshake", "two engines meet: today's checks, the RFC's negotiation",
      "pageproof handshake check docs/engines/decode_shuffled.json docs/engines/prefill_standard.json");
  group->require_subcommand(1);
  CLI::App* check = line.command(
      *group, "check", "may this decoder read from this prefill, and what lands where?",
      "pageproof handshake check docs/engines/decode_shuffled.json docs/engines/prefill_standard.json");
  check
      ->add_option("LOCAL", check_options.local,
                   "the decoder: its description, or a captured payload or metadata")
      ->required();
  check->add_option("REMOTE", check_options.remote, "the prefill: the same")->required();
  check->add_option("--allow", check_options.allow, kAllowHelp);
  check->add_flag("--strict-reader", check_options.strict_reader,
                  "pages that no decode kernel reads are a rejection");
  check->add_flag("--backend-in-hash", check_options.backend_in_hash,
                  "keep the backend's name in the compatibility hash under the RFC too");
  number(check, "--local-tp", check_options.local_tp, "TP size of a captured decoder")->capture_default_str();
  number(check, "--remote-tp", check_options.remote_tp, "TP size of a captured prefill")
      ->capture_default_str();
  number(check, "--kv-heads", check_options.kv_heads, "KV heads of a captured decoder's model")
      ->capture_default_str();
  line.runs(check, [] { return cli::handshake_check(check_options); });
  CLI::App* decode = line.command(*group, "decode", "what a captured payload or a description says",
                                  "pageproof handshake decode docs/engines/decode_shuffled.json");
  decode->add_option("FILE", decode_options.input, "MessagePack or JSON")->required();
  decode->add_flag("--s0", decode_options.s0, "as a connector of version 7 reads it");
  line.runs(decode, [] { return cli::handshake_decode(decode_options); });
  static cli::HandshakeFetchOptions fetch_options;
  CLI::App* fetch = line.command(
      *group, "fetch",
      "ask a running prefill for its payload, as a decoder would. Exit 2 where it does not answer or answers "
      "nonsense. A real engine's listener ends over a rank that the engine does not have",
      "pageproof handshake fetch 127.0.0.1:5600 --against docs/engines/decode_shuffled.json");
  fetch
      ->add_option("ADDRESS", fetch_options.address,
                   "HOST:PORT, or [IPv6]:PORT: VLLM_NIXL_SIDE_CHANNEL_HOST and _PORT of the prefill")
      ->required();
  fetch->add_option("--against", fetch_options.against, "judge it for this decoder, as check does");
  fetch->add_option("--out", fetch_options.out, "also write the payload, which check and decode read");
  fetch->add_option("--timeout", fetch_options.seconds, "seconds for all of it")->capture_default_str();
  number(fetch, "--tp-rank", fetch_options.tp_rank, "tensor-parallel rank to ask")->capture_default_str();
  number(fetch, "--pp-rank", fetch_options.pp_rank, "pipeline rank to ask")->capture_default_str();
  number(fetch, "--remote-tp", fetch_options.check.remote_tp, "TP size of the prefill")
      ->capture_default_str();
  number(fetch, "--local-tp", fetch_options.check.local_tp, "TP size of a captured decoder")
      ->capture_default_str();
  number(fetch, "--kv-heads", fetch_options.check.kv_heads, "KV heads of a captured decoder's model")
      ->capture_default_str();
  fetch->add_option("--allow", fetch_options.check.allow, kAllowHelp);
  fetch->add_flag("--strict-reader", fetch_options.check.strict_reader,
                  "pages that no decode kernel reads are a rejection");
  fetch->add_flag("--s0", fetch_options.s0, "show it as a connector of version 7 reads it");
  line.runs(fetch, [] { return cli::handshake_fetch(fetch_options); });
  CLI::App* matrix = line.command(*group, "matrix", "which backend and page format may feed which",
                                  "pageproof handshake matrix --markdown");
  matrix->add_flag("--markdown", matrix_options.markdown, "as a table and the knob's entry for a docs page");
  matrix->add_flag("--today", matrix_options.today, "today's verdicts");
  line.runs(matrix, [] { return cli::handshake_matrix(matrix_options); });
  static cli::HandshakeSilentOptions silent_options;
  CLI::App* silent = line.command(*group, "silent",
                                  "the pairs of engines that today's checks accept and that read wrong bytes",
                                  "pageproof handshake silent --quick");
  silent->add_flag("--markdown", silent_options.markdown, "as the page docs/silent_pairs.md");
  silent->add_flag("--decisions", silent_options.decisions, "as the page reports/reviewer_decisions.md");
  silent->add_flag("--quick", silent_options.quick, "the same kinds of engines, fewer sizes");
  number(silent, "--threads", silent_options.threads, "CPU threads")->capture_default_str();
  line.runs(silent, [] { return cli::handshake_silent(silent_options); });
  static cli::HandshakeStatesOptions states_options;
  CLI::App* states = line.command(
      *group, "states",
      "the handshake as a graph of states: what every way to ready passes, what a failure leaves",
      "pageproof handshake states --order rfc --dot");
  states
      ->add_option("--order", states_options.order,
                   "today-s0, today, rfc, or all; --dot draws one, rfc by default")
      ->check(CLI::IsMember({"today-s0", "today", "rfc", "all"}))
      ->capture_default_str();
  states->add_flag("--dot", states_options.dot, "as a Graphviz digraph");
  line.runs(states, [] { return cli::handshake_states(states_options); });
  static cli::HandshakePolicyOptions policy_options;
  CLI::App* policy =
      line.command(*group, "policy", "which theorem needs which rule, and which rules are policy",
                   "pageproof handshake policy");
  policy->add_flag("--markdown", policy_options.markdown, "as the page docs/negotiation_rules.md");
  line.runs(policy, [] { return cli::handshake_policy(policy_options); });
  static cli::HandshakeFixturesOptions fixture_options;
  CLI::App* fixtures = line.command(
      *group, "fixtures", "write handshake_v1.json: for each reason the smallest pair, found by the solver",
      "pageproof handshake fixtures .");
  fixtures->add_option("DIR", fixture_options.directory, "an existing folder")->required();
  line.runs(fixtures, [] { return cli::handshake_fixtures(fixture_options); });
}

void add_plan(CommandLine& line) {
  static cli::PlanOptions o;
  CLI::App* sub = line.command(
      line.app, "plan", "the descriptors of a read: rows, ids, what is posted, in the cheapest sound way",
      "pageproof plan docs/engines/decode_shuffled.json docs/engines/prefill_standard.json --local-blocks "
      "5,1 "
      "--remote-blocks 0,3");
  sub->add_option("LOCAL", o.local, "the decoder: its description, or a captured payload or metadata");
  sub->add_option("REMOTE", o.remotes, "the prefill: the same; one file, or one for each rank that is read");
  sub->add_option("--local-blocks", o.local_blocks,
                  "manager block ids, as 5,1,7-9; groups apart by a semicolon; none: an empty list");
  sub->add_option("--remote-blocks", o.remote_blocks, "the same; paired by position, the last ones");
  sub->add_option("--strategy", o.strategy, "auto, whole, slots, halves, staged or run-halves")
      ->capture_default_str();
  sub->add_option("--staging", o.staging, "memory for staged pages, as BASE:BYTES");
  sub->add_option_function<std::string>(
         "--rows", [](const std::string& rows) { o.all_rows = rows == "all"; },
         "request: rows that the request names (default); all: whole lists (--tuples, --json)")
      ->check(CLI::IsMember({"request", "all"}));
  sub->add_flag("--csv", o.csv, "a line a pair of rows");
  sub->add_flag("--tuples", o.tuples,
                "the lists that prep_xfer_dlist and make_prepped_xfer take, for Python");
  sub->add_option("--check", o.check, "the verdict on a plan made elsewhere: a JSON file");
  number(sub, "--local-tp", o.local_tp, "TP size of a captured decoder")->capture_default_str();
  number(sub, "--local-rank", o.local_rank, "TP rank of a captured decoder")->capture_default_str();
  number(sub, "--remote-tp", o.remote_tp, "TP size of a captured prefill")->capture_default_str();
  number(sub, "--kv-heads", o.kv_heads, "KV heads of a captured decoder's model")->capture_default_str();
  sub->add_option("--us-per-descriptor", o.descriptor_us, "microseconds to post a descriptor")
      ->capture_default_str();
  sub->add_option("--us-per-read", o.read_us, "microseconds of a read whatever its size")
      ->capture_default_str();
  sub->add_option("--link-gb", o.link_gb, "GB/s between the engines")->capture_default_str();
  sub->add_option("--convert-gb", o.convert_gb, "GB/s that a conversion reads and writes")
      ->capture_default_str();
  line.runs(sub, [&line] {
    o.json = line.json;
    return cli::plan(o);
  });
}

void add_receive(CommandLine& line) {
  CLI::App* group = line.app.add_subcommand(
      "receive",
      "from read to decode: the life of a request's blocks, proved, simulated, and checked in a log");
  group->require_subcommand(1);
  static cli::ReceiveProveOptions prove_options;
  CLI::App* prove = line.command(*group, "prove",
                                 "the rules of the receive path for any number of reads, layers and workers",
                                 "pageproof receive prove event_completed --mutants");
  prove->add_option("NAME", prove_options.names, "obligations, or guards that are left out (default: all)");
  number(prove, "--seed", prove_options.seed, "of the solver")->capture_default_str();
  prove->add_flag("--mutants", prove_options.mutants, "the mutants alone, each with its shortest trace");
  line.runs(prove, [] { return cli::receive_prove(prove_options); });
  static cli::ReceiveSimulateOptions o;
  CLI::App* simulate = line.command(
      *group, "simulate", "requests over a simulated transport and device, with faults, with real bytes",
      "pageproof receive simulate --seed 7 --requests 1000 --convert side --trace run.json");
  number(simulate, "--seed", o.seed, "of everything random")->capture_default_str();
  number(simulate, "--requests", o.requests, "requests of a round")->capture_default_str();
  number(simulate, "--layers", o.layers, "of the model, 1 to 64")->capture_default_str();
  simulate->add_option("--seconds", o.seconds, "rounds until the time is up; 0: one round")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  simulate->add_option("--shard", o.shard, "k/n: every n-th round, from the k-th")->capture_default_str();
  simulate->add_option("--faults", o.faults, "names of faults, or all (default), or none")->delimiter(',');
  simulate->add_option("--order", o.order, "start_load_kv before or after the forward pass")
      ->check(CLI::IsMember({"before", "after"}))
      ->capture_default_str();
  simulate->add_option("--convert", o.convert, "on the step path, or on a side stream with an event")
      ->check(CLI::IsMember({"step", "side"}))
      ->capture_default_str();
  simulate->add_option("--mutant", o.mutant, "a guard to leave out; all: each in turn has to be caught");
  simulate->add_option("--trace", o.trace, "write the run in the Chrome trace form (Perfetto opens it)");
  simulate->add_option("--log", o.log, "write the run as the log that `receive check` reads");
  simulate->add_option("--merge", o.merge, "put the JSON reports of shards together");
  simulate->add_option("--resume", o.resume,
                       "go on behind the rounds of this JSON report of one run; the other options as there");
  simulate->add_flag("--no-bytes", o.no_bytes, "protocol events alone, without pages");
  line.runs(simulate, [] { return cli::receive_simulate(o); });
  static cli::ReceiveCheckOptions check_options;
  CLI::App* check = line.command(*group, "check",
                                 "does the log of a connector keep the rules? Exit 1 names the first broken",
                                 "pageproof receive check docs/receive/pull.jsonl");
  check->add_option("FILE", check_options.input, "one JSON object a line (docs/receive.md)")->required();
  line.runs(check, [] { return cli::receive_check(check_options); });
}

// No option and no argument means anything when it is empty, as a shell leaves it whose variable was not set:
// it must not read as if it had not been given.
void refuse_empty_words(CLI::App& app) {
  const CLI::Validator not_empty(
      [](const std::string& text) { return text.empty() ? std::string("empty") : std::string(); }, "");
  for (CLI::Option* option : app.get_options()) {
    if (option->get_expected_min() > 0) option->check(not_empty);
  }
  for (CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) refuse_empty_words(*sub);
}

// The first word that should be a subcommand and is none; the library would only say that one is missing.
std::optional<std::string> unknown_subcommand(const CLI::App& app, int argc, char** argv) {
  const CLI::App* group = &app;
  for (int i = 1; i < argc && argv[i][0] != '-'; ++i) {
    const std::vector<const CLI::App*> known = group->get_subcommands([](const CLI::App*) { return true; });
    if (known.empty()) break;
    const auto named = std::ranges::find(known, std::string_view(argv[i]), &CLI::App::get_name);
    if (named == known.end()) {
      std::vector<std::string> names;
      for (const CLI::App* sub : known) names.push_back(sub->get_name());
      return fmt::format("{}: no such subcommand; there are {}", argv[i], fmt::join(names, ", "));
    }
    group = *named;
  }
  return std::nullopt;
}

// One line whatever the text holds: what a user typed may contain line ends.
int complain(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    line += control ? fmt::format("\\x{:02x}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  fmt::print(stderr, "pageproof: {}\n", line);
  return 2;
}

bool print(std::string text) {
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

bool written(const cli::Report& report, bool json) {
  if (json) return print(report.json);
  if (!report.pieces) return print(report.text);
  const cli::Sink sink = [](std::string_view piece) {
    return std::fwrite(piece.data(), 1, piece.size(), stdout) == piece.size();
  };
  return report.pieces(sink) && std::fflush(stdout) == 0;
}

// Runs what was chosen. Memory may end anywhere below; what else a library throws is a bug, but no crash.
cli::Result answer(const CommandLine& line) try { return line.chosen(); } catch (const std::bad_alloc&) {
  return std::unexpected(Error{"memory", "", "", "not enough for this input"});
} catch (const std::exception& error) {
  return std::unexpected(Error{"internal error", "", "", error.what()});
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line;
  line.app.require_subcommand(1);
  line.app.set_version_flag("--version", "pageproof " PAGEPROOF_VERSION);
  for (const auto add : {add_verify, add_convert, add_check, add_identify, add_formats, add_offset, add_view,
                         add_schedule, add_fixtures, add_fuzz, add_prove, add_prove_code, add_handshake,
                         add_plan, add_receive, add_bench, add_amd}) {
    add(line);
  }
  refuse_empty_words(line.app);
  if (const auto unknown = unknown_subcommand(line.app, argc, argv)) return complain(*unknown);
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    std::ostringstream text;
    line.app.exit(help, text, text);
    return print(text.str()) ? 0 : complain(kNoOutput);
  } catch (const CLI::ParseError& error) {
    return complain(error.what());
  }
  const cli::Result result = answer(line);
  if (!result) return complain(to_string(result.error()));
  if (!written(*result, line.json)) return complain(kNoOutput);
  for (const Error& refused : result->refused) complain(to_string(refused));
  if (result->unfinished) return complain(to_string(*result->unfinished));
  if (!result->refused.empty()) return 2;
  return result->holds ? 0 : 1;
}
