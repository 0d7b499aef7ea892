// The receive path: the rules proved, runs of the simulated world with real bytes, every guard left out, and
// the checker of logs over what the simulation wrote.
#include <fmt/format.h>

#include "fuzz/receive/campaign.hpp"
#include "fuzz/receive/trace.hpp"
#include "oracle/proof/receive/prove.hpp"
#include "reports/receive/check.hpp"
#include "reports/verify/check.hpp"

namespace pageproof::reports {
namespace {

namespace sim = fuzz_receive;

constexpr std::uint64_t kMutantRounds = 500;

// Both places of the conversion, both orders of the runner.
std::vector<sim::WorldOptions> settings() {
  std::vector<sim::WorldOptions> all;
  for (const bool side : {true, false}) {
    for (const bool deferred : {true, false}) all.push_back({.side = side, .deferred = deferred});
  }
  return all;
}

CheckResult run_proof(const CheckOptions& options) {
  CheckResult result;
  // The quick form looks for each mutant by the search alone; `pageproof receive prove` and the full form
  // have its proof fail as well.
  const auto proved = proof::prove_receive(
      {}, {.seed = static_cast<std::uint32_t>(options.seed), .by_search = options.quick});
  for (const proof::ReceiveObligation& one : *proved) {
    result.cases += 1 + one.mutants.size();
    result.failures.insert(result.failures.end(), one.failures.begin(), one.failures.end());
  }
  return result;
}

CheckResult run_simulation(const CheckOptions& options) {
  CheckResult result;
  for (const sim::WorldOptions& world : settings()) {
    sim::CampaignOptions campaign;
    campaign.round = {.world = world, .seed = options.seed, .requests = options.quick ? 500U : 5000U};
    const sim::Campaign ran = sim::run_campaign(campaign);
    result.cases += ran.events;
    result.failures.insert(result.failures.end(), ran.failures.begin(), ran.failures.end());
  }
  return result;
}

CheckResult run_mutants(const CheckOptions& options) {
  CheckResult result;
  for (const receive::GuardRow& row : receive::guard_table()) {
    const sim::RoundOptions round{.world = {.bytes = false}, .seed = options.seed};
    if (sim::catch_mutant(round, row.guard, kMutantRounds).violation) {
      ++result.cases;
      continue;
    }
    const std::string name(to_string(row.guard));
    result.failures.push_back({"receive.mutants", "the rule named for a guard is broken without it", name,
                               std::string(to_string(row.breaks)), "no rule broken",
                               fmt::format("pageproof receive simulate --mutant {}", name)});
  }
  return result;
}

CheckResult run_logs(const CheckOptions& options) {
  CheckResult result;
  for (const sim::WorldOptions& world : settings()) {
    sim::RoundOptions round{.world = world, .seed = options.seed, .requests = options.quick ? 200U : 2000U};
    round.world.bytes = false;
    const sim::Round ran = sim::run_round(round);
    const auto checked = receive_log::check_log(sim::event_log(ran.records, round.world), "log");
    result.cases += checked.events;
    if (!checked.broken && checked.complete()) continue;
    result.failures.push_back({"receive.log_checker", "the log of a run that keeps the rules keeps them",
                               sim::to_string(sim::setting_of(round)), "holds",
                               checked.broken ? checked.broken->rule + ": " + checked.broken->what
                                              : pageproof::to_string(checked.refused.front()),
                               "pageproof receive simulate --log FILE, receive check FILE"});
  }
  return result;
}

const Registered kProof({.name = "receive.rules_proved",
                         .claim = "the rules of the receive path hold for any number of reads, layers and "
                                  "workers, every request ends, and no guard can be left out",
                         .run = run_proof});
const Registered kSimulation(
    {.name = "receive.simulated",
     .claim = "simulated requests with every fault on keep the rules, end, and decode the "
              "bytes that the oracle's writer would have written",
     .run = run_simulation});
const Registered kMutants({.name = "receive.mutants",
                           .claim = "in the simulation every guard left out breaks the rule named for it",
                           .run = run_mutants});
const Registered kLogs(
    {.name = "receive.log_checker",
     .claim = "the checker of logs, which knows order and not the model, agrees with the simulation",
     .run = run_logs});

}  // namespace
}  // namespace pageproof::reports
