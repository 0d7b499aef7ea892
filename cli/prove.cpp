#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/proof_case.hpp"
#include "model/json/failure.hpp"
#include "oracle/proof/recheck.hpp"

namespace pageproof::cli {
namespace {

constexpr std::uint32_t kThreads = 2;

using nlohmann::ordered_json;

ordered_json obligation_json(const proof::ObligationResult& result) {
  ordered_json queries = ordered_json::array();
  for (const proof::QueryResult& query : result.queries) {
    queries.push_back({{"query", query.name},
                       {"part", proof::to_string(query.part)},
                       {"answer", proof::to_string(query.answer)},
                       {"resources", query.resources},
                       {"seconds", query.seconds}});
  }
  ordered_json mutants = ordered_json::array();
  for (const proof::MutantResult& mutant : result.mutants) {
    mutants.push_back({{"mutant", mutant.name},
                       {"result", proof::to_string(mutant.verdict)},
                       {"example", json_of(mutant.failure)},
                       {"values", mutant.values},
                       {"seconds", mutant.seconds}});
  }
  ordered_json failures = ordered_json::array();
  for (const Failure& failure : result.failures) failures.push_back(json_of(failure));
  return {{"obligation", result.obligation.name},
          {"claim", result.obligation.claim},
          {"shapes", result.obligation.shapes},
          {"result", proof::to_string(result.verdict)},
          {"seconds", result.seconds},
          {"queries", queries},
          {"mutants", mutants},
          {"failures", failures}};
}

ordered_json recheck_json(const proof::RecheckResult& result) {
  ordered_json rows = ordered_json::array();
  for (const proof::RecheckRow& row : result.rows) {
    rows.push_back({{"query", row.name},
                    {"part", proof::to_string(row.part)},
                    {"z3", proof::to_string(row.z3)},
                    {"other", proof::to_string(row.other)},
                    {"seconds", row.seconds}});
  }
  ordered_json failures = ordered_json::array();
  for (const Failure& failure : result.failures) failures.push_back(json_of(failure));
  return {{"solver", result.solver},
          {"proved", result.proved},
          {"refuted", result.refuted},
          {"unknown", result.unknown},
          {"rows", rows},
          {"failures", failures}};
}

Report listing(std::span<const proof::Obligation> obligations) {
  Report report;
  ordered_json json = ordered_json::array();
  for (const proof::Obligation& obligation : obligations) {
    report.text += fmt::format("{}\n  {}\n  {}\n", obligation.name, obligation.claim, obligation.shapes);
    ordered_json mutants = ordered_json::array();
    for (const proof::Mutant& mutant : obligation.mutants) {
      report.text += fmt::format("  mutant {}: {}\n", mutant.name, mutant.claim);
      mutants.push_back({{"mutant", mutant.name}, {"claim", mutant.claim}});
    }
    json.push_back({{"obligation", obligation.name},
                    {"claim", obligation.claim},
                    {"shapes", obligation.shapes},
                    {"mutants", mutants}});
  }
  report.json = one_document({{"command", "prove"}, {"obligations", json}});
  return report;
}

// One row an obligation: what came of its queries and of its mutants.
std::string table(std::span<const proof::ObligationResult> results, bool mutants_only) {
  std::size_t width = 10;
  for (const proof::ObligationResult& r : results) width = std::max(width, r.obligation.name.size());
  std::string text = fmt::format("{:<{}}  {:>7}  {:<8}  {:>7}  {:>8}  shapes\n", "obligation", width,
                                 "queries", "result", "mutants", "time");
  for (const proof::ObligationResult& r : results) {
    const auto refuted =
        std::ranges::count(r.mutants, proof::Verdict::refuted, &proof::MutantResult::verdict);
    text += fmt::format("{:<{}}  {:>7}  {:<8}  {:>3}/{:<3}  {:>6.2f} s  {}\n", r.obligation.name, width,
                        r.queries.size(), mutants_only ? "-" : proof::to_string(r.verdict), refuted,
                        r.mutants.size(), r.seconds, r.obligation.shapes);
  }
  return text;
}

// "53 obligations, 9711 queries and 98 mutants, all as expected; ..."
std::string summary(std::span<const proof::ObligationResult> results, const ProveOptions& options,
                    double seconds) {
  std::size_t queries = 0;
  std::size_t mutants = 0;
  std::size_t failures = 0;
  std::uint64_t most = 0;
  for (const proof::ObligationResult& r : results) {
    queries += r.queries.size();
    mutants += r.mutants.size();
    failures += r.failures.size();
    for (const proof::QueryResult& query : r.queries) most = std::max(most, query.resources);
  }
  return fmt::format(
      "\n{} obligations, {} queries and {} mutants, {}\n{}, seed {}, {} threads, {:.1f} s; work a query: at "
      "most {} of "
      "{}\n",
      results.size(), queries, mutants,
      failures == 0 ? "all as expected" : fmt::format("{} NOT as expected", failures),
      proof::solver_version(), options.seed, kThreads, seconds, most, proof::kResourceLimit);
}

Result replay(std::span<const proof::Obligation> obligations, const std::string& path) {
  const Expected<Replayed> replayed = replay_case(obligations, path);
  if (!replayed) return std::unexpected(replayed.error());
  const bool holds = !replayed->failure;
  ordered_json json = {{"command", "prove"}, {"case", path}, {"name", replayed->name}, {"holds", holds}};
  if (!holds) json["failure"] = json_of(*replayed->failure);
  const std::string text =
      holds ? fmt::format("HOLDS     {} for this case\nExample   {}\n", replayed->name, replayed->example)
            : to_string(*replayed->failure);
  return Report{.holds = holds, .text = text, .json = one_document(json)};
}

}  // namespace

Result prove(const ProveOptions& options) {
  Expected<std::vector<proof::Obligation>> obligations = proof::select_obligations(options.names);
  if (!obligations) return std::unexpected(obligations.error());
  if (options.list) return listing(*obligations);
  if (!options.replay.empty()) return replay(*obligations, options.replay);

  std::string exported;
  if (!options.smtlib.empty()) {
    const Expected<std::size_t> written = proof::export_smtlib(*obligations, options.smtlib);
    if (!written) return std::unexpected(written.error());
    exported = fmt::format("{} queries written below {}\n", *written, options.smtlib);
  }
  const auto start = std::chrono::steady_clock::now();
  std::vector<proof::ObligationResult> results = proof::run(
      *std::move(obligations), {.seed = options.seed, .threads = kThreads, .mutants_only = options.mutants});
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  for (proof::ObligationResult& result : results) write_cases(result, options.cases, options.mutants);

  Report report{
      .holds = std::ranges::all_of(results, &proof::ObligationResult::holds), .text = {}, .json = {}};
  ordered_json json = ordered_json::array();
  report.text = table(results, options.mutants);
  for (const proof::ObligationResult& result : results) {
    for (const Failure& failure : result.failures) report.text += "\n" + to_string(failure);
    for (const proof::MutantResult& mutant : result.mutants) {
      if (options.mutants && mutant.verdict == proof::Verdict::refuted) {
        report.text += "\n" + to_string(mutant.failure);
      }
    }
    json.push_back(obligation_json(result));
  }
  report.text += summary(results, options, elapsed.count()) + exported;
  ordered_json document = {{"command", "prove"},
                           {"holds", report.holds},
                           {"solver", proof::solver_version()},
                           {"seed", options.seed},
                           {"resource_limit", proof::kResourceLimit},
                           {"seconds", elapsed.count()},
                           {"obligations", json}};
  if (!options.recheck.empty()) {
    const proof::RecheckResult second =
        proof::recheck(results, options.recheck, options.names.empty() && !options.mutants, kThreads);
    report.holds = report.holds && second.failures.empty();
    report.text += fmt::format("{}: {} distinct queries: {} proved, {} refuted, {} unknown\n", second.solver,
                               second.rows.size(), second.proved, second.refuted, second.unknown);
    for (const proof::RecheckRow& row : second.rows) {
      if (row.other != proof::Answer::unknown) continue;
      report.text += fmt::format("  unknown {} ({} query; Z3: {})\n", row.name, proof::to_string(row.part),
                                 proof::to_string(row.z3));
    }
    for (const Failure& failure : second.failures) report.text += "\n" + to_string(failure);
    document["recheck"] = recheck_json(second);
  }
  document["holds"] = report.holds;
  report.json = one_document(document);
  return report;
}

}  // namespace pageproof::cli
