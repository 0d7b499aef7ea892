#include "oracle/proof/negotiation/cores.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <set>

#include "oracle/proof/jobs.hpp"
#include "oracle/proof/solver.hpp"

namespace pageproof::proof {
namespace {

using handshake::Reason;
using Numbers = std::set<std::size_t>;  // of rules, in the order of the table

// Asks each set once.
class Asker {
 public:
  Asker(const RuleTheorem& theorem, std::uint32_t seed) : theorem_(theorem), seed_(seed) {}

  bool implied_by(const Numbers& numbers) {
    const auto [entry, fresh] = answers_.try_emplace(numbers, false);
    if (fresh) {
      Rules rules;
      for (const std::size_t i : numbers) rules.push_back(theorem_.rules[i]);
      const Solved solved =
          solve(question_of(theorem_, rules, theorem_.name), seed_, kResourceLimit, Effort::search);
      entry->second = solved.answer == Answer::unsat;
      if (solved.answer == Answer::unknown) why_ = solved.why;
    }
    return entry->second;
  }
  // Why some question had no answer; empty where all had.
  const std::string& why() const { return why_; }

 private:
  const RuleTheorem& theorem_;
  std::uint32_t seed_;
  std::map<Numbers, bool> answers_;
  std::string why_;
};

// @pre asker.implied_by(numbers)
Numbers shrunk(Asker& asker, Numbers numbers) {
  for (const std::size_t i : Numbers(numbers)) {
    numbers.erase(i);
    if (!asker.implied_by(numbers)) numbers.insert(i);
  }
  return numbers;
}

bool disjoint(const Numbers& a, const Numbers& b) {
  return std::ranges::none_of(a, [&](std::size_t i) { return b.contains(i); });
}

}  // namespace

Expected<std::vector<Core>> minimal_cores(const RuleTheorem& theorem, std::uint32_t seed) {
  Asker asker(theorem, seed);
  std::set<Numbers> found;
  std::set<Numbers> tried;
  std::deque<Numbers> left_out{{}};
  while (!left_out.empty()) {
    const Numbers out = left_out.front();
    left_out.pop_front();
    if (!tried.insert(out).second) continue;
    auto core = std::ranges::find_if(found, [&](const Numbers& known) { return disjoint(known, out); });
    if (core == found.end()) {
      Numbers rest;
      for (std::size_t i = 0; i < theorem.rules.size(); ++i) {
        if (!out.contains(i)) rest.insert(i);
      }
      if (!asker.implied_by(rest)) continue;
      core = found.insert(shrunk(asker, std::move(rest))).first;
    }
    for (const std::size_t i : *core) {
      Numbers more = out;
      more.insert(i);
      left_out.push_back(std::move(more));
    }
  }
  if (!asker.why().empty()) return std::unexpected(Error{"cores", theorem.name, "unknown", asker.why()});
  if (found.empty()) {
    return std::unexpected(Error{"cores", theorem.name, "sat", "the rules together do not imply it"});
  }
  std::vector<Core> cores;
  for (const Numbers& numbers : found) {
    Core& core = cores.emplace_back();
    for (const std::size_t i : numbers) core.push_back(theorem.rules[i].reason);
  }
  std::ranges::sort(
      cores, [](const Core& a, const Core& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; });
  return cores;
}

Expected<std::vector<TheoremCores>> all_cores(std::uint32_t threads, std::uint32_t seed) {
  const std::vector<RuleTheorem>& theorems = rule_theorems();
  std::vector<Expected<std::vector<Core>>> found(theorems.size());
  std::vector<std::function<void()>> jobs;
  for (std::size_t i = 0; i < theorems.size(); ++i) {
    jobs.emplace_back([&, i] { found[i] = minimal_cores(theorems[i], seed); });
  }
  run_jobs(jobs, threads);
  std::vector<TheoremCores> all;
  for (std::size_t i = 0; i < theorems.size(); ++i) {
    if (!found[i]) return std::unexpected(found[i].error());
    all.push_back({&theorems[i], *std::move(found[i])});
  }
  return all;
}

bool needed(const std::vector<TheoremCores>& cores, Reason reason) {
  return std::ranges::any_of(cores, [&](const TheoremCores& one) {
    return std::ranges::any_of(
        one.cores, [&](const Core& core) { return std::ranges::find(core, reason) != core.end(); });
  });
}

}  // namespace pageproof::proof
