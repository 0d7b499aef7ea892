// The handshake as a graph of states: its laws, their mutants, and that the graph is what is executed.
#include <fmt/format.h>

#include "reports/structure/laws.hpp"
#include "reports/structure/walks.hpp"
#include "reports/verify/check.hpp"

namespace pageproof::reports {
namespace {

constexpr const char* kReplay = "pageproof handshake states";

CheckResult run_laws(const CheckOptions&) {
  CheckResult result;
  for (const structure::Handshake& handshake : structure::all_handshakes()) {
    for (const structure::Law& law : structure::laws()) {
      if (law.proposed_only && handshake.order == structure::Order::today) continue;
      ++result.cases;
      const auto broken = law.broken(handshake.graph, handshake.order);
      if (!broken) continue;
      result.failures.push_back({fmt::format("handshake.structure.{}", law.name), std::string(law.claim),
                                 fmt::format("{}: {}", handshake.name, broken->example), broken->expected,
                                 broken->got, kReplay});
    }
  }
  return result;
}

CheckResult run_mutants(const CheckOptions&) {
  CheckResult result;
  for (const structure::Handshake& handshake : structure::all_handshakes()) {
    for (const structure::Law& law : structure::laws()) {
      if (law.proposed_only && handshake.order == structure::Order::today) continue;
      for (const structure::Mutant& mutant : law.mutants(handshake.graph, handshake.order)) {
        ++result.cases;
        if (law.broken(mutant.graph, handshake.order)) continue;
        result.failures.push_back(
            {fmt::format("handshake.structure.{}", law.name), "every mutant of a law breaks it",
             fmt::format("{}: {}", handshake.name, mutant.name), "refused", "holds", kReplay});
      }
    }
  }
  return result;
}

CheckResult run_walks(const CheckOptions&) {
  using enum region::Behaviour;
  constexpr const char* name = "handshake.structure_walked";
  CheckResult result;
  using enum structure::Order;
  for (const auto& [order, behaviour] : {std::pair{today, s0}, {today, s2}, {proposed, s2}}) {
    const structure::Handshake handshake = structure::handshake_of(order, behaviour);
    const structure::Walked walked = structure::walk(order, behaviour);
    result.cases += walked.handshakes;
    const std::string& what = handshake.name;
    for (const structure::Broken& broken : walked.broken) {
      result.failures.push_back({name, "an executed handshake is a way through the graph",
                                 fmt::format("{}: {}", what, broken.example), broken.expected, broken.got,
                                 kReplay});
    }
    for (const std::string& mark : walked.never_marked) {
      result.failures.push_back(
          {name, "every mark is left by some handshake", what + ": " + mark, "left", "never", kReplay});
    }
    for (const std::string& arc : structure::surprising(handshake, walked)) {
      result.failures.push_back({name, "every arc is taken, except those that nothing can take",
                                 what + ": " + arc, "as listed", "otherwise", kReplay});
    }
  }
  return result;
}

const Registered kLaws({.name = "handshake.structure",
                        .claim = "in the graph of the handshake's states the tag comparison and the scope "
                                 "dominate ready, and no failure leads there",
                        .run = run_laws});
const Registered kMutants({.name = "handshake.structure_mutants",
                           .claim = "a state or an arc taken away or moved breaks its law",
                           .run = run_mutants});
const Registered kWalks({.name = "handshake.structure_walked",
                         .claim = "executed handshakes are ways through that graph and leave what it says",
                         .run = run_walks});

}  // namespace
}  // namespace pageproof::reports
