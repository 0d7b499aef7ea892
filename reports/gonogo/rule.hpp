// The RFC's decision rules over the repeats of two setups in one cell (simulation notes §3):
//
//   gain G = o (med T - med C) / med C          always relative to the comparator; o = -1 where lower is
//   better WIN    G >= theta and every repeat of T is better than every repeat of C (strictly); LOSS is its
//   mirror TIE    otherwise: SMALL (ranges apart, gain too small), NOISY (gain enough, ranges overlap), NULL
//   (neither)
//
//   rule A  TTFT equal, and TPOT or output throughput wins while the other does not lose: that must be known,
//           so a win beside a metric that was not measured leaves the rule open
//   rule B  TTFT or prefill throughput wins, and TPOT is at most 2 % worse
//
// What is not known stays unknown: `and`, `or` are those of three truth values. The rules are made of small
// named terms; laws.hpp replaces them one at a time and shows that each replacement is noticed.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/gonogo/choices.hpp"
#include "reports/results/run.hpp"

namespace pageproof::gonogo {

enum class Better : std::uint8_t { lower, higher };
enum class Truth : std::uint8_t { no, unknown, yes };
enum class Outcome : std::uint8_t { win, loss, tie };
enum class Tie : std::uint8_t { none, small, noisy, null };

std::string_view to_string(Better better);    // "lower", "higher"
std::string_view to_string(Truth truth);      // "FAIL", "UNKNOWN", "PASS"
std::string_view to_string(Outcome outcome);  // "WIN", "LOSS", "TIE"
std::string_view to_string(Tie tie);          // "", "SMALL", "NOISY", "NULL"

Truth both(Truth one, Truth other);
Truth either(Truth one, Truth other);

// One side of a comparison.
struct Range {
  double centre = 0;
  double low = 0;
  double high = 0;
  std::size_t runs = 0;
};

struct Comparison {
  Better better = Better::lower;
  Range treated = {};
  Range comparator = {};
  double gain = 0;  // a share of the comparator's centre; positive is better
  int apart = 0;    // +1: T's range wholly better, -1: wholly worse, 0: they touch or overlap
  Outcome outcome = Outcome::tie;
  Tie tie = Tie::none;
};

struct TtftVerdict {
  Truth equal = Truth::unknown;
  std::string why = {};
};

struct GuardVerdict {
  Truth holds = Truth::unknown;
  double worse = 0;      // w = med T / med C - 1
  double least = 0;      // min T / max C - 1
  double most = 0;       // max T / min C - 1
  bool fragile = false;  // [least, most] has the limit inside it
};

// The terms of the rules. kLaw is what the RFC says.
struct Terms {
  double (*centre)(std::span<const double> values);                         // the median
  double (*advantage)(Better better, double treated, double comparator);    // o (T - C)
  double (*base)(double treated, double comparator);                        // what a share is of
  bool (*reaches)(double share, double needed, double tolerance);           // >=
  bool (*separate)(double lowest_of_upper, double highest_of_lower);        // >
  bool (*counts)(bool large_enough, bool apart);                            // and
  double (*worse)(double treated, double comparator);                       // w of the guard
  Truth (*doubtful_ttft)(bool apart);                                       // too far, ranges overlap
  bool (*equal_ttft)(Outcome outcome, bool within);                         // not LOSS, and within tau
  Truth (*rule_a)(Truth ttft, Truth wins);                                  // and
  Truth (*rule_b)(Truth wins, Truth guard);                                 // and
  Truth (*wins_beside)(const Comparison* metric, const Comparison* other);  // WIN, the other no LOSS
  Truth (*over_comparators)(Truth one, Truth other);                        // and
  bool (*enough)(std::size_t runs, std::uint32_t needed);                   // >=
  bool (*may_judge)(const results::Run& run);                               // valid
  bool (*kernel_is_shuffled)(std::string_view kernel);                      // asm
  bool (*kernel_is_unshuffled)(std::string_view kernel);                    // any other
  bool (*has_as_siblings)(bool has, bool sibling_has);                      // has, where one of them has
  bool (*one_unit)(double least, double most);                              // at most 30 times apart
  bool (*fastest_is_known)(bool one_enough, bool other_enough);             // and
  bool (*needs_partner)(std::string_view setup, Partner partner);           // e, unless it is said otherwise
  bool (*most)(double passed, double of);                                   // more than half
  bool (*covered)(double decidable, double feasible, double needed);        // >=
};
extern const Terms kLaw;

Range range_of(std::span<const double> values, const Terms& terms);

// Both sides have a value or more, all finite and above zero.
Comparison compare(std::span<const double> treated, std::span<const double> comparator, Better better,
                   const Choices& choices, const Terms& terms = kLaw);

TtftVerdict equal_ttft(const Comparison& ttft, const Choices& choices, const Terms& terms = kLaw);
GuardVerdict tpot_guard(const Comparison& tpot, const Choices& choices, const Terms& terms = kLaw);

// What a rule is told of a pair of setups in a cell: nothing where there were too few runs with the metric.
struct Evidence {
  std::optional<Comparison> ttft = {};
  std::optional<Comparison> tpot = {};
  std::optional<Comparison> output_throughput = {};
  std::optional<Comparison> prefill_throughput = {};
};

struct RuleVerdict {
  Truth holds = Truth::unknown;
  TtftVerdict ttft = {};    // rule A
  GuardVerdict guard = {};  // rule B
  bool noisy = false;       // no win, but for overlapping ranges
  std::string why = {};     // a sentence for a person: the part that decided
};
RuleVerdict rule_a(const Evidence& evidence, const Choices& choices, const Terms& terms = kLaw);
RuleVerdict rule_b(const Evidence& evidence, const Choices& choices, const Terms& terms = kLaw);

// Verdicts of cells, with their weights, made one.
struct Weighed {
  Truth truth = Truth::unknown;
  double weight = 1;
};
Truth over_cells(std::span<const Weighed> cells, Aggregation aggregation, const Terms& terms = kLaw);

}  // namespace pageproof::gonogo
