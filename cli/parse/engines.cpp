// The command line of what concerns two engines: handshake, plan, receive.
#include "cli/parse/command_line.hpp"
#include "cli/plan_options.hpp"

namespace pageproof::cli {

constexpr const char* kAllowHelp =
    "conversions beside the RFC's first version, separated by commas: tokens_first (a prefill under LBNHC, "
    "NHD), "
    "fp8_rewrite (OCP e4m3 pages for a decoder that reads e4m3fnuz, at twice the scale)";

void add_handshake(CommandLine& line) {
  static HandshakeCheckOptions check_options;
  static HandshakeDecodeOptions decode_options;
  static HandshakeMatrixOptions matrix_options;
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
  line.runs(check, [] { return handshake_check(check_options); });
  CLI::App* decode = line.command(*group, "decode", "what a captured payload or a description says",
                                  "pageproof handshake decode docs/engines/decode_shuffled.json");
  decode->add_option("FILE", decode_options.input, "MessagePack or JSON")->required();
  decode->add_flag("--s0", decode_options.s0, "as a connector of version 7 reads it");
  line.runs(decode, [] { return handshake_decode(decode_options); });
  static HandshakeFetchOptions fetch_options;
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
  line.runs(fetch, [] { return handshake_fetch(fetch_options); });
  CLI::App* matrix = line.command(*group, "matrix", "which backend and page format may feed which",
                                  "pageproof handshake matrix --markdown");
  matrix->add_flag("--markdown", matrix_options.markdown, "as a table and the knob's entry for a docs page");
  matrix->add_flag("--today", matrix_options.today, "today's verdicts");
  line.runs(matrix, [] { return handshake_matrix(matrix_options); });
  static HandshakeSilentOptions silent_options;
  CLI::App* silent = line.command(*group, "silent",
                                  "the pairs of engines that today's checks accept and that read wrong bytes",
                                  "pageproof handshake silent --quick");
  silent->add_flag("--markdown", silent_options.markdown, "as the page docs/silent_pairs.md");
  silent->add_flag("--decisions", silent_options.decisions, "as the page reports/reviewer_decisions.md");
  silent->add_flag("--quick", silent_options.quick, "the same kinds of engines, fewer sizes");
  number(silent, "--threads", silent_options.threads, "CPU threads")->capture_default_str();
  line.runs(silent, [] { return handshake_silent(silent_options); });
  static HandshakeStatesOptions states_options;
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
  line.runs(states, [] { return handshake_states(states_options); });
  static HandshakePolicyOptions policy_options;
  CLI::App* policy =
      line.command(*group, "policy", "which theorem needs which rule, and which rules are policy",
                   "pageproof handshake policy");
  policy->add_flag("--markdown", policy_options.markdown, "as the page docs/negotiation_rules.md");
  line.runs(policy, [] { return handshake_policy(policy_options); });
  static HandshakeFixturesOptions fixture_options;
  CLI::App* fixtures = line.command(
      *group, "fixtures", "write handshake_v1.json: for each reason the smallest pair, found by the solver",
      "pageproof handshake fixtures .");
  fixtures->add_option("DIR", fixture_options.directory, "an existing folder")->required();
  line.runs(fixtures, [] { return handshake_fixtures(fixture_options); });
}

void add_plan(CommandLine& line) {
  static PlanOptions o;
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
    return plan(o);
  });
}

void add_receive(CommandLine& line) {
  CLI::App* group = line.app.add_subcommand(
      "receive",
      "from read to decode: the life of a request's blocks, proved, simulated, and checked in a log");
  group->require_subcommand(1);
  static ReceiveProveOptions prove_options;
  CLI::App* prove = line.command(*group, "prove",
                                 "the rules of the receive path for any number of reads, layers and workers",
                                 "pageproof receive prove event_completed --mutants");
  prove->add_option("NAME", prove_options.names, "obligations, or guards that are left out (default: all)");
  number(prove, "--seed", prove_options.seed, "of the solver")->capture_default_str();
  prove->add_flag("--mutants", prove_options.mutants, "the mutants alone, each with its shortest trace");
  line.runs(prove, [] { return receive_prove(prove_options); });
  static ReceiveSimulateOptions o;
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
  simulate
      ->add_option(
          "--convert", o.convert,
          "on the step path, or on a side stream with an event (default: side, or where the mutant shows)")
      ->check(CLI::IsMember({"step", "side"}));
  simulate->add_option("--mutant", o.mutant, "a guard to leave out; all: each in turn has to be caught");
  simulate->add_option("--trace", o.trace, "write the run in the Chrome trace form (Perfetto opens it)");
  simulate->add_option("--log", o.log, "write the run as the log that `receive check` reads");
  simulate->add_option("--merge", o.merge, "put the JSON reports of shards together");
  simulate->add_option("--resume", o.resume,
                       "go on behind the rounds of this JSON report of one run; the other options as there");
  simulate->add_flag("--no-bytes", o.no_bytes, "protocol events alone, without pages");
  line.runs(simulate, [] { return receive_simulate(o); });
  static ReceiveCheckOptions check_options;
  CLI::App* check = line.command(*group, "check",
                                 "does the log of a connector keep the rules? Exit 1 names the first broken",
                                 "pageproof receive check docs/receive/pull.jsonl");
  check->add_option("FILE", check_options.input, "one JSON object a line (docs/receive.md)")->required();
  line.runs(check, [] { return receive_check(check_options); });
}

}  // namespace pageproof::cli
