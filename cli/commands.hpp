// The subcommands of `pageproof`: what each is asked (its options) and what it answers (a Report). main.cpp
// parses the command line and prints; a command computes. Adding one: its options and function here, a file
// of its own, its parser in main.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/page/plain/error.hpp"
#include "model/page/plain/shape.hpp"

namespace pageproof::cli {

// Takes a piece of output. False: it could not be written.
using Sink = std::function<bool(std::string_view piece)>;

// exit 0: holds; exit 1: a check failed. An Error is exit 2: bad input or usage, one line on stderr.
struct Report {
  bool holds = true;
  std::string text;  // for a person
  std::string json;  // one document, with --json the only thing on stdout
  std::optional<Error>
      unfinished{};              // what was asked beside the answer and could not be done: exit 2 after it
  std::vector<Error> refused{};  // parts of the input that could not be used: a line each, exit 2 as well
  // Where set, stands for `text`: writes it piece by piece as it is made. False: it could not be written.
  std::function<bool(const Sink& sink)> pieces{};
};
using Result = Expected<Report>;

inline constexpr std::uint32_t kMostThreads = 1024;

inline constexpr const char* kE4m3ToE4m3fnuz = "e4m3-to-e4m3fnuz";

struct ConvertOptions {
  std::string input;
  std::string output;
  std::string from = "standard";
  std::string to = "aiter-shuffled";
  std::optional<std::string> blocks;  // "0,3,5-9"; nothing: all
  bool in_place = false;              // lands the pages first, then converts the landing into the same bytes
  std::string rewrite;                // of the bytes on the way: empty, or kE4m3ToE4m3fnuz
  bool keep_source = false;           // also writes the source tensors, so that `check` can read the output
  std::uint32_t threads = 1;          // 1 to kMostThreads
};
Result convert(const ConvertOptions& options);

struct CheckOptions {
  std::string input;
};
Result check(const CheckOptions& options);

struct AmdOptions {
  std::string fixtures;               // a folder; empty: the committed ones
  std::string out;                    // a file for the JSON document; empty: none
  std::uint64_t bytes = 604'000'000;  // of pages a request
  std::uint32_t repetitions = 20;
};
Result amd(const AmdOptions& options);

struct IdentifyOptions {
  std::string input;
  std::string against;
  std::string reference_format;  // empty: by the reference's tensors
  std::string expected;          // empty: any catalogue format will do
  std::uint32_t threads = 2;     // 1 to kMostThreads
};
Result identify(const IdentifyOptions& options);

struct FormatsOptions {
  bool markdown = false;  // a table for a project's docs
};
Result formats(const FormatsOptions& options);

struct OffsetOptions {
  std::string format;
  Shape shape;
  Coordinate coordinate;
};
Result offset(const OffsetOptions& options);

struct ViewOptions {
  Shape shape;
  std::vector<std::uint64_t> strides;  // block, token, head, dim, in elements
};
Result view(const ViewOptions& options);

struct ScheduleOptions {
  Shape shape;
  std::uint64_t pages = 1;
};
Result schedule(const ScheduleOptions& options);

struct FixturesOptions {
  std::string directory;
  bool full = false;  // generate: every shape, not only the committed set
};
Result fixtures_generate(const FixturesOptions& options);
Result fixtures_check(const FixturesOptions& options);

struct FuzzOptions {
  std::vector<std::string> properties;  // names or prefixes; empty: all
  double seconds = 10;
  std::uint64_t seed = 0;  // 0: a fresh one, printed
  std::string shard = "1/1";
  std::string replay;              // a case file
  std::vector<std::string> merge;  // JSON reports of shards
  bool list = false;
};
Result fuzz(const FuzzOptions& options);

struct VerifyOptions {
  std::vector<std::string> checks;  // names or prefixes; empty: all
  std::string fixtures;             // a folder; empty: the committed ones
  std::string report;               // where the JSON document goes; empty: kReport if every check ran
  bool quick = false;
  bool list = false;
};
Result verify(const VerifyOptions& options);

struct ProveOptions {
  std::vector<std::string> names;           // obligations, their mutants, or prefixes; empty: all
  std::string smtlib;                       // a folder for the queries; empty: none
  std::string recheck;                      // another solver's program; empty: none
  std::string replay;                       // a case file to replay; empty: none
  std::string cases = "reports/out/cases";  // the folder for case files; "none": none are written
  std::uint32_t seed = 0;
  bool mutants = false;  // the mutants alone, each with its example
  bool list = false;
};
Result prove(const ProveOptions& options);

struct ReceiveProveOptions {
  std::vector<std::string> names;  // obligations or guards; empty: all
  std::uint32_t seed = 0;
  bool mutants = false;  // the mutants alone, each with its trace
};
Result receive_prove(const ReceiveProveOptions& options);

struct ReceiveSimulateOptions {
  std::uint64_t seed = 1;
  std::uint64_t requests = 1000;  // a round
  std::uint32_t layers = 2;
  double seconds = 0;  // rounds until then; 0: one round
  std::string shard = "1/1";
  std::vector<std::string> faults;  // names, or all, or none; empty: all
  std::string order = "before";     // start_load_kv before or after the forward pass
  std::string convert;              // side or step; empty: side, or where the mutant shows
  std::string mutant;               // a guard that is left out; "all": each in turn has to be caught
  std::string trace;                // a file for the Chrome trace; empty: none
  std::string log;                  // a file for the event log that `receive check` reads; empty: none
  std::vector<std::string> merge;   // JSON reports of shards
  std::string resume;               // the JSON report of a run to go on with; empty: none
  bool no_bytes = false;            // protocol events alone
};
Result receive_simulate(const ReceiveSimulateOptions& options);

struct ReceiveCheckOptions {
  std::string input;  // a file, one JSON object a line
};
Result receive_check(const ReceiveCheckOptions& options);

struct HandshakeCheckOptions {
  std::string local;             // the decoder: a description, a payload or metadata
  std::string remote;            // the prefill
  bool strict_reader = false;    // pages that no decode kernel reads are a rejection
  std::string allow;             // conversions beside the RFC's first version: "tokens_first,fp8_rewrite"
  bool backend_in_hash = false;  // under the RFC too, the backend's name is a factor of the hash
  std::uint64_t local_tp = 1;    // of captures, which do not tell
  std::uint64_t remote_tp = 1;
  std::uint64_t kv_heads = 8;
};
Result handshake_check(const HandshakeCheckOptions& options);

struct HandshakeDecodeOptions {
  std::string input;
  bool s0 = false;  // as a connector of version 7 reads it: no strides
};
Result handshake_decode(const HandshakeDecodeOptions& options);

struct HandshakeFetchOptions {
  std::string address;  // HOST:PORT of a running prefill
  std::string against;  // the decoder, as for check; empty: only shown
  std::string out;      // a file for the payload; empty: none
  double seconds = 5;   // as long as a decoder waits
  std::uint64_t pp_rank = 0;
  std::uint64_t tp_rank = 0;
  bool s0 = false;              // shown as a connector of version 7 reads it
  HandshakeCheckOptions check;  // its sizes and flags; the files are not looked at
};
inline constexpr double kShortestFetch = 0.001;
inline constexpr double kLongestFetch = 3600;
Result handshake_fetch(const HandshakeFetchOptions& options);

struct HandshakeMatrixOptions {
  bool markdown = false;
  bool today = false;  // today's verdicts instead of the RFC's
};
Result handshake_matrix(const HandshakeMatrixOptions& options);

struct HandshakeSilentOptions {
  bool markdown = false;   // the page of docs/
  bool decisions = false;  // the other page, for the RFC's reviewers
  bool quick = false;      // the same kinds of engines, fewer sizes
  std::uint32_t threads = 2;
};
inline constexpr std::uint32_t kMostSilentThreads = 256;
Result handshake_silent(const HandshakeSilentOptions& options);

struct ProveCodeOptions {
  std::string file;                  // a code object; empty: those of this build
  std::string target;                // of the embedded ones; empty: all
  std::vector<std::string> kernels;  // names, or beginnings of names; empty: all
  std::uint32_t heads = 0;           // 0: all in scope
  std::string pattern;               // how the blocks lie; empty: all
  bool quick = false;                // fewer head counts
  bool mutants = false;              // flip every bit of the code instead
  std::string shard = "1/1";         // of the bits: every N-th, beginning with the K-th
  std::uint32_t threads = 2;         // 1 to kMostThreads
};
Result prove_code(const ProveCodeOptions& options);

struct HandshakeStatesOptions {
  std::string order = "all";  // or "today-s0", "today", "rfc"
  bool dot = false;           // Graphviz, of one order
};
Result handshake_states(const HandshakeStatesOptions& options);

struct HandshakePolicyOptions {
  bool markdown = false;  // the page docs/negotiation_rules.md
};
Result handshake_policy(const HandshakePolicyOptions& options);

struct HandshakeFixturesOptions {
  std::string directory;
};
Result handshake_fixtures(const HandshakeFixturesOptions& options);

struct BenchOptions {
  std::uint64_t bytes = std::uint64_t{1} << 30;
  std::uint32_t repetitions = 5;
};
Result bench_convert(const BenchOptions& options);

struct BenchGpuOptions {
  std::uint64_t bytes = 604'000'000;
  std::uint32_t repetitions = 11;
};
Result bench_gpu(const BenchGpuOptions& options);

struct BenchPlanOptions {
  std::uint32_t layers = 36;
  std::uint64_t blocks = 1400;
  std::uint64_t pool_blocks = 14'000;
  std::uint64_t pair_blocks = 90'300;
  std::uint32_t repetitions = 9;
  bool python = true;  // measured beside it
};
Result bench_plan(const BenchPlanOptions& options);

}  // namespace pageproof::cli
