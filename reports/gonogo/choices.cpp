#include "reports/gonogo/choices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "reports/results/goodput.hpp"

namespace pageproof::gonogo {
namespace {

std::string_view word(Against against) {
  switch (against) {
    case Against::a1:
      return "a1";
    case Against::a2:
      return "a2";
    case Against::best:
      return "best";
    case Against::each:
      return "each";
    case Against::both:
      break;
  }
  return "both";
}

std::string_view word(Aggregation aggregation) {
  switch (aggregation) {
    case Aggregation::any:
      return "any";
    case Aggregation::all:
      return "all";
    case Aggregation::weights:
      return "weights";
    case Aggregation::majority:
      break;
  }
  return "majority";
}

std::string_view word(Doubt doubt) {
  return doubt == Doubt::unknown ? "unknown" : "fail";
}

std::string_view word(Statistic statistic) {
  return statistic == Statistic::mean ? "mean" : "median";
}

std::string_view word(Rules rules) {
  return rules == Rules::both ? "both" : rules == Rules::a ? "a" : "b";
}

std::string number(double value) {
  return fmt::format("{:g}", value);
}

}  // namespace

const std::vector<std::string>& same_by_default() {
  static const std::vector<std::string> kSame = {"model_id", "request_rate", "burstiness", "max_concurrency",
                                                 "num_prompts"};
  return kSame;
}

std::vector<Choice> stated(const Choices& choices) {
  const auto text = [](std::string_view value) { return std::string(value); };
  std::vector<Choice> out = {
      {"--decides", choices.decides, "the setup whose verdict is the answer"},
      {"--rules", text(word(choices.rules)), "the rules that a cell must pass (e: rule A alone)"},
      {"--vs", text(word(choices.against)),
       "rule A's comparator: both of a1 and a2, one of them, the faster in the "
       "cell, or each by itself"},
      {"--theta", number(choices.win_share),
       "a gain counts from this share of the comparator's median on (inclusive)"},
      {"--tau", number(choices.ttft_share), "a median TTFT worse by no more than this share is equal"},
      {"--equal-ttft", choices.ttft == Ttft::two_sided ? "two-sided" : "not-worse",
       "a better TTFT is equal too (not-worse), or not (two-sided)"},
      {"--guard-share", number(choices.guard_share), "rule B: how much worse TPOT may be"},
      {"--guard", choices.guard == Guard::strict ? "strict" : "median",
       "the guard looks at medians, or at the worst pair of repeats (strict)"},
      {"--repeats", fmt::format("{}", choices.runs), "valid runs needed on both sides"},
      {"--tpot", text(word(choices.tpot_statistic)), "which TPOT of a run is compared"},
      {"--ttft", text(word(choices.ttft_statistic)), "which TTFT of a run is compared"},
      {"--failed", number(choices.failed_share), "share of a run's requests that may fail"},
      {"--output-tolerance", number(choices.output_share), "total_output_tokens against completed x osl"},
      {"--input-tolerance", number(choices.input_share), "total_input_tokens against completed x isl"},
      {"--over-cells", text(word(choices.aggregation)), "how cells make a verdict; the RFC does not say"},
      {"--coverage", number(choices.coverage), "share of the feasible cells that must be decidable"},
      {"--reach", number(choices.reach), "share of the planned decode batch that must have run"},
      {"--noisy", text(word(choices.noisy)),
       "a gain that is large enough in overlapping ranges: no win, or open"},
      {"--unmeasured", text(word(choices.unmeasured)),
       "an alternative metric that no file has: no win, or open"},
      {"--kernel", choices.kernel == Kernel::require ? "require" : "flag",
       "an unrecorded decode kernel is flagged, or makes the cell undecidable"},
      {"--e-partner", choices.partner == Partner::e0 ? "e0" : "unshuffled",
       "e is compared with e0, or with a1 and a2"},
      {"--power", number(choices.power), "asked of the number of repeats"},
      {"--same", fmt::format("{}", fmt::join(choices.same, ",")), "keys that must be equal in a cell"},
  };
  std::vector<std::string> differ;
  for (const std::string& key : same_by_default()) {
    if (std::ranges::find(choices.same, key) == choices.same.end()) differ.push_back(key);
  }
  if (!differ.empty()) {
    out.push_back({"--differ", fmt::format("{}", fmt::join(differ, ",")), "keys that may differ in a cell"});
  }
  const std::string objectives = results::to_string(choices.objectives);
  if (!objectives.empty()) {
    out.push_back({"--goodput", objectives, "requests a second within these ms: shown, not judged"});
  }
  return out;
}

}  // namespace pageproof::gonogo
