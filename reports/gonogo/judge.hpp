// The judge: result files of the RFC's measurement in, GO, NO-GO or INCONCLUSIVE out, with everything that a
// reader needs to disagree. One value, `Judgement`, holds it all; words.hpp and document.hpp only print it.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/page/plain/error.hpp"
#include "reports/gonogo/cells.hpp"
#include "reports/gonogo/choices.hpp"
#include "reports/gonogo/gaps.hpp"
#include "reports/gonogo/power.hpp"
#include "reports/gonogo/rule.hpp"

namespace pageproof::gonogo {

enum class CellStatus : std::uint8_t {
  decidable,
  missing,         // no file of one side
  insufficient,    // fewer valid runs than needed on one side
  kernel_unknown,  // with Kernel::require
  unreachable,     // the decode batch that ran is below the planned one
  infeasible,      // the plan says so
};
std::string_view to_string(CellStatus status);  // "DECIDABLE", ...

// One metric of one setup in one cell: a value a valid run that has it.
struct Sample {
  std::vector<double> values = {};       // in the order of runs
  std::vector<std::size_t> of_run = {};  // index into Judgement::runs
};

// One measure that the reports show. `rule`: the rules look at it.
struct Metric {
  std::string name = {};  // "tpot"
  std::string unit = {};  // "ms"
  Better better = Better::lower;
  bool rule = false;
};
std::span<const Metric> metrics();

struct SetupCell {
  std::string setup = {};
  std::size_t files = 0;
  std::size_t valid = 0;
  bool kernel_unknown = false;
  bool kernel_wrong = false;
  std::map<std::string, Sample> samples = {};  // by Metric::name; absent: no valid run has it
  std::optional<double> effective_batch = {};  // median over runs
  std::string batch_source = {};               // "sidecar", "requests", "throughput x TPOT"
  std::optional<GapCost> gaps = {};            // pooled over runs with per-request arrays
};

// Power of one comparison: P(the rule counts a win | the observed CVs).
struct Power {
  double treated_cv = 0;
  double comparator_cv = 0;
  double at_observed = 0;  // if the observed gain were the true one; 0 for a gain of the wrong sign
  double false_win = 0;    // if there were none
};

struct Compared {
  std::string metric = {};
  Comparison comparison = {};
  Power power = {};
};

// A rule against one comparator.
struct Question {
  char rule = 'A';
  std::string comparator = {};
  CellStatus status = CellStatus::decidable;
  std::string status_why = {};
  RuleVerdict verdict = {};             // holds is unknown where the status is not DECIDABLE
  std::vector<Compared> compared = {};  // metrics that both sides have, also of undecided questions
};

// A candidate setup in a cell.
struct Decision {
  std::string setup = {};
  std::string against = {};  // as SetupVerdict::against
  Truth holds = Truth::unknown;
  Truth rule_a = Truth::unknown;
  Truth rule_b = Truth::unknown;
  bool rule_b_applies = true;  // not to e: no setup that shuffles both sides can exist
  CellStatus status = CellStatus::decidable;
  std::vector<Question> questions = {};  // those of rule A, then that of rule B
  bool noisy = false;                    // fails for overlapping ranges alone
  std::string why = {};
};

struct Cell {
  CellKey key = {};
  std::optional<double> planned_batch = {};
  std::string infeasible = {};  // the plan's reason; empty: feasible
  std::vector<SetupCell> setups = {};
  std::vector<Decision> decisions = {};
  std::vector<GapDifference> differences = {};  // c - a1, c - b ...: what arrivals cost the running requests

  const SetupCell* find(std::string_view setup) const;
};

// A candidate over all cells.
struct SetupVerdict {
  std::string setup = {};
  std::string against = {};  // "a1+a2", "a1", "a2", "best"; Against::each: one verdict for a1 and one for a2
  Truth go = Truth::unknown;
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::size_t open = 0;         // decidable, but the rules cannot say
  std::size_t undecidable = 0;  // and feasible
  std::size_t infeasible = 0;
  std::size_t noisy = 0;           // failed by overlapping ranges alone
  std::size_t kernel_unknown = 0;  // cells
  std::size_t fragile = 0;         // pass, with a guard that other repeats could have failed
  bool covered = false;
  std::vector<std::string> reasons = {};

  std::size_t feasible() const { return passed + failed + open + undecidable; }
  std::size_t decidable() const { return passed + failed + open; }
};

// Run-to-run noise of a setup, pooled over its cells.
struct Noise {
  std::string setup = {};
  std::string metric = {};
  double cv = 0;  // share of the mean; sample deviation, pooled
  std::size_t cells = 0;
  std::size_t runs = 0;
};

// What the rule can see at one level of noise.
struct PowerRow {
  double cv = 0;
  std::uint32_t runs = 3;
  double gain = 0;
  Probability win = {};
  Repeats repeats = {};
};

struct Planned {
  CellKey key = {};
  std::optional<double> batch = {};
  std::string infeasible = {};
};

struct Input {
  std::span<const results::Run> runs = {};
  std::span<const Error> refused = {};   // files that could not be read
  std::span<const Error> left_out = {};  // files that are known and no runs
  std::span<const Planned> plan = {};    // empty: the cells that were seen are all there are
  Keys keys = {};
  Choices choices = {};
  bool power = true;  // false: no probabilities, which take most of the time
};

struct Reason {
  std::string code = {};  // "RULE_A", "COVERAGE", ...: documented in docs/gonogo.md
  std::string text = {};
};

struct Judgement {
  Truth go = Truth::unknown;          // yes: GO, no: NO-GO, unknown: INCONCLUSIVE
  std::vector<Reason> reasons = {};   // in the order a decision maker reads
  std::vector<Reason> warnings = {};  // drift, mixed versions, what was left out
  std::vector<SetupVerdict> setups = {};
  std::vector<Cell> cells = {};
  std::vector<Placed> runs = {};
  std::vector<Error> refused = {};
  std::vector<Error> left_out = {};
  std::vector<Noise> noise = {};
  std::vector<PowerRow> power = {};
  std::optional<double> smallest_gain = {};  // that is counted with choices.power at that noise
  std::size_t comparisons = 0;
  double expected_false_wins = 0;
  Choices choices = {};
  Keys keys = {};
};
std::string_view verdict_word(Truth go);  // "GO", "NO-GO", "INCONCLUSIVE"

// The runs must outlive the judgement.
Judgement judge(const Input& input, const Terms& terms = kLaw);

}  // namespace pageproof::gonogo
