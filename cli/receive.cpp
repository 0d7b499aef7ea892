#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "fuzz/campaign/commit.hpp"
#include "fuzz/campaign/json_file.hpp"
#include "fuzz/receive/campaign.hpp"
#include "fuzz/receive/trace.hpp"
#include "golden/container/atomic_file.hpp"
#include "model/json/failure.hpp"
#include "oracle/proof/receive/prove.hpp"

namespace pageproof::cli {
namespace {

using nlohmann::ordered_json;

ordered_json mutant_json(const proof::ReceiveMutant& mutant) {
  return {{"mutant", mutant.name},    {"without", mutant.care}, {"caught", mutant.caught},
          {"proof", mutant.proof},    {"trace", mutant.trace},  {"states", mutant.states},
          {"seconds", mutant.seconds}};
}

std::string mutant_text(const proof::ReceiveObligation& obligation, const proof::ReceiveMutant& mutant) {
  std::string text = fmt::format("\nMUTANT    {}\nWithout   {}\nBreaks    {}: {}\n", mutant.name, mutant.care,
                                 obligation.name, obligation.claim);
  if (!mutant.proof.empty()) text += fmt::format("Proof     {}\n", mutant.proof);
  std::size_t number = 0;
  for (const std::string& line : mutant.trace) text += fmt::format("  {:>2}  {}\n", ++number, line);
  return text;
}

}  // namespace

Result receive_prove(const ReceiveProveOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const auto results =
      proof::prove_receive(options.names, {.seed = options.seed, .mutants_only = options.mutants});
  if (!results) return std::unexpected(results.error());
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;

  Report report;
  ordered_json rows = ordered_json::array();
  std::size_t mutants = 0;
  report.text =
      fmt::format("{:<34}  {:<8}  {:>7}  {:>8}  {}\n", "obligation", "result", "mutants", "time", "how");
  for (const proof::ReceiveObligation& one : *results) {
    const auto caught = std::ranges::count(one.mutants, true, &proof::ReceiveMutant::caught);
    mutants += one.mutants.size();
    report.text += fmt::format("{:<34}  {:<8}  {:>3}/{:<3}  {:>6.2f} s  {}\n", one.name,
                               options.mutants ? "-"
                               : one.proved    ? "proved"
                                               : "REFUTED",
                               caught, one.mutants.size(), one.seconds, one.how);
    report.holds = report.holds && one.failures.empty();
    ordered_json of_mutants = ordered_json::array();
    for (const proof::ReceiveMutant& mutant : one.mutants) of_mutants.push_back(mutant_json(mutant));
    ordered_json failures = ordered_json::array();
    for (const Failure& failure : one.failures) failures.push_back(json_of(failure));
    rows.push_back({{"obligation", one.name},
                    {"claim", one.claim},
                    {"how", one.how},
                    {"proved", one.proved},
                    {"seconds", one.seconds},
                    {"mutants", of_mutants},
                    {"failures", failures}});
  }
  for (const proof::ReceiveObligation& one : *results) {
    for (const Failure& failure : one.failures) report.text += "\n" + to_string(failure);
    if (!options.mutants) continue;
    for (const proof::ReceiveMutant& mutant : one.mutants) report.text += mutant_text(one, mutant);
  }
  report.text +=
      fmt::format("\n{} obligations and {} mutants, {}; seed {}, {:.1f} s\n", results->size(), mutants,
                  report.holds ? "all as expected" : "NOT as expected", options.seed, elapsed.count());
  report.json = one_document({{"command", "receive prove"},
                              {"holds", report.holds},
                              {"seed", options.seed},
                              {"seconds", elapsed.count()},
                              {"obligations", rows}});
  return report;
}

namespace {

namespace sim = fuzz_receive;

constexpr std::uint64_t kMostRequests = 1'000'000;  // of a round: its records are kept
constexpr std::uint64_t kMutantRounds = 500;

std::string caught_text(const sim::Caught& caught, receive::Guard guard, bool with_trace) {
  const receive::GuardRow& row = receive::row_of(guard);
  std::string text =
      fmt::format("{:<28} {:<26} {}\n", to_string(guard), to_string(row.breaks),
                  caught.violation ? fmt::format("caught, seed {}, {} moves of {} events", caught.seed,
                                                 caught.trace.size(), caught.events)
                                   : "NOT CAUGHT");
  if (caught.violation) text += fmt::format("  again: {}\n", caught.replay);
  if (!with_trace) return text;
  if (caught.violation) text += fmt::format("  {}: {}\n", caught.violation->what, caught.violation->claim);
  for (const sim::Record& record : caught.trace) text += "  " + sim::to_string(record) + "\n";
  return text;
}

// Refused: the place of the conversion in which the guard does not matter.
Expected<void> fits_place(receive::Guard guard, const std::string& convert) {
  const receive::Shows shows = receive::row_of(guard).shows;
  const bool on_side = shows == receive::Shows::side_stream;
  if (convert.empty() || shows == receive::Shows::anywhere || on_side == (convert == "side")) return {};
  return std::unexpected(
      Error{"receive simulate", "--convert", convert,
            fmt::format("{} shows with {} alone", to_string(guard), on_side ? "side" : "step")});
}

Result run_mutants(const sim::RoundOptions& round, std::span<const receive::Guard> guards) {
  Report report;
  ordered_json rows = ordered_json::array();
  for (const receive::Guard guard : guards) {
    const sim::Caught caught = sim::catch_mutant(round, guard, kMutantRounds);
    report.holds = report.holds && caught.violation.has_value();
    report.text += caught_text(caught, guard, guards.size() == 1);
    ordered_json trace = ordered_json::array();
    for (const sim::Record& record : caught.trace) trace.push_back(sim::to_string(record));
    rows.push_back({{"mutant", to_string(guard)},
                    {"rule", to_string(receive::row_of(guard).breaks)},
                    {"caught", caught.violation.has_value()},
                    {"seed", caught.seed},
                    {"replay", caught.replay},
                    {"events", caught.events},
                    {"trace", trace}});
  }
  report.text += fmt::format(
      "\n{} requests a round{}; commit {}\n", std::min(round.requests, sim::kMutantRequests),
      round.requests > sim::kMutantRequests ? ", the most that a mutant's has" : "", fuzz::commit());
  report.json = one_document({{"command", "receive simulate"},
                              {"holds", report.holds},
                              {"commit", fuzz::commit()},
                              {"requests", std::min(round.requests, sim::kMutantRequests)},
                              {"mutants", rows}});
  return report;
}

Result merge(const std::vector<std::string>& paths) {
  sim::Campaign all;
  for (const std::string& path : paths) {
    const auto json = fuzz::read_json(path);
    if (!json) return std::unexpected(json.error());
    const auto one = sim::campaign_from_json(*json, path);
    if (!one) return std::unexpected(one.error());
    auto both = sim::merged(all, *one, path);
    if (!both) return std::unexpected(both.error());
    all = *std::move(both);
  }
  return Report{all.holds(), sim::to_string(all), one_document(ordered_json(to_json(all)))};
}

// Refused: a report of several runs, or of another seed, shard or setting than is asked for.
Expected<sim::Campaign> resumed(const std::string& path, const sim::CampaignOptions& asked) {
  const auto json = fuzz::read_json(path);
  if (!json) return std::unexpected(json.error());
  auto before = sim::campaign_from_json(*json, path);
  if (!before) return std::unexpected(before.error());
  if (before->runs.size() != 1) {
    return std::unexpected(
        Error{path, "runs", std::to_string(before->runs.size()), "one run can be gone on with"});
  }
  const sim::ShardRun& run = before->runs.front();
  const auto differs = [&](const char* field, const std::string& there, const std::string& here) {
    return std::unexpected(Error{path, field, there, fmt::format("not {}, as is asked for", here)});
  };
  if (run.seed != asked.round.seed) {
    return differs("seed", std::to_string(run.seed), std::to_string(asked.round.seed));
  }
  if (run.shard != asked.shard) {
    return differs("shard", fuzz::to_string(run.shard), fuzz::to_string(asked.shard));
  }
  if (auto same = sim::same_setting(before->setting, sim::setting_of(asked.round), path); !same) {
    return std::unexpected(same.error());
  }
  return before;
}

// Options that would be left aside where others are given: nobody should think that they counted.
Expected<void> go_together(const ReceiveSimulateOptions& options) {
  const std::pair<const char*, bool> rest[] = {
      {"--trace", !options.trace.empty()},   {"--log", !options.log.empty()},
      {"--resume", !options.resume.empty()}, {"--seconds", options.seconds > 0},
      {"--shard", options.shard != "1/1"},   {"--mutant", !options.mutant.empty()}};
  const char* alone = !options.merge.empty() ? "--merge" : !options.mutant.empty() ? "--mutant" : nullptr;
  for (const auto& [name, given] : rest) {
    if (alone == nullptr || !given || std::string_view(name) == alone) continue;
    return std::unexpected(Error{"receive simulate", name, "", fmt::format("cannot go with {}", alone)});
  }
  if (!options.trace.empty() && options.trace == options.log) {
    return std::unexpected(Error{"receive simulate", "--log", options.log, "is the file of --trace, too"});
  }
  if (!(options.seconds >= 0 && options.seconds <= 1e6)) {  // no number is neither
    return std::unexpected(
        Error{"receive simulate", "--seconds", fmt::format("{}", options.seconds), "not 0 to 1000000"});
  }
  return {};
}

// The first round of the run. Before anything that takes long, so that a file that cannot be written is said
// at once.
Expected<std::string> written_round(const ReceiveSimulateOptions& options,
                                    const sim::CampaignOptions& asked) {
  if (options.trace.empty() && options.log.empty()) return {};
  const sim::RoundOptions round = sim::next_round(asked);
  const sim::Round ran = sim::run_round(round);
  std::string text;
  const auto write = [&](const std::string& path, const std::string& content) -> Expected<void> {
    if (auto done = golden::write_file_atomically(path, std::string_view(content)); !done) return done;
    text += fmt::format("written   {} (seed {})\n", printable(path), round.seed);
    return {};
  };
  if (!options.trace.empty()) {
    if (auto done = write(options.trace, sim::chrome_trace(ran.records, round.world)); !done) {
      return std::unexpected(done.error());
    }
  }
  if (!options.log.empty()) {
    if (auto done = write(options.log, sim::event_log(ran.records, round.world)); !done) {
      return std::unexpected(done.error());
    }
  }
  return text;
}

}  // namespace

Result receive_simulate(const ReceiveSimulateOptions& options) {
  if (const auto fit = go_together(options); !fit) return std::unexpected(fit.error());
  if (!options.merge.empty()) return merge(options.merge);
  if (options.requests == 0 || options.requests > kMostRequests) {
    return std::unexpected(Error{"receive simulate", "--requests", std::to_string(options.requests),
                                 fmt::format("not 1 to {}", kMostRequests)});
  }
  if (options.layers == 0 || options.layers > 64) {
    return std::unexpected(
        Error{"receive simulate", "--layers", std::to_string(options.layers), "not 1 to 64"});
  }
  const auto faults = sim::parse_faults(options.faults);
  if (!faults) return std::unexpected(faults.error());
  const auto shard = fuzz::parse_shard(options.shard);
  if (!shard) return std::unexpected(shard.error());
  sim::RoundOptions round{.world = {.side = options.convert != "step",
                                    .deferred = options.order == "after",
                                    .bytes = !options.no_bytes,
                                    .layers = options.layers},
                          .seed = options.seed,
                          .requests = options.requests,
                          .faults = *faults};
  if (!options.mutant.empty()) {
    std::vector<receive::Guard> guards;
    if (options.mutant == "all") {
      for (const receive::GuardRow& row : receive::guard_table()) guards.push_back(row.guard);
    } else if (const auto guard = receive::find_guard(options.mutant)) {
      if (const auto fits = fits_place(*guard, options.convert); !fits) return std::unexpected(fits.error());
      guards.push_back(*guard);
    } else {
      return std::unexpected(Error{"receive simulate", "--mutant", options.mutant,
                                   "no such guard; `pageproof receive prove --mutants` lists them"});
    }
    return run_mutants(round, guards);
  }
  sim::CampaignOptions asked{.round = round, .shard = *shard, .seconds = options.seconds};
  if (!options.resume.empty()) {
    auto before = resumed(options.resume, asked);
    if (!before) return std::unexpected(before.error());
    asked.before = *std::move(before);
  }
  const Expected<std::string> written = written_round(options, asked);
  if (!written) return std::unexpected(written.error());
  const sim::Campaign campaign = sim::run_campaign(asked);
  return Report{campaign.holds(), sim::to_string(campaign) + *written,
                one_document(ordered_json(to_json(campaign)))};
}

}  // namespace pageproof::cli
