// What the page says, as plain values: no other room's types. Everything is optional; a section whose values
// are missing is left out, and the page says which document would bring it. read.hpp fills this from JSON
// documents, page.hpp prints it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pageproof::page {

// More than this is refused, with a line that says so: a page that nobody can read helps nobody.
inline constexpr std::size_t kMostCells = 4096;
inline constexpr std::size_t kMostDocuments = 64;
inline constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // of a document
inline constexpr std::size_t kMostRows = 20'000;                  // of any other list in a document
inline constexpr std::size_t kMostRepeats = 1000;                 // of one setup in one cell
// Charts of one kind that are drawn; the tables hold every cell.
inline constexpr std::size_t kMostPanels = 8;

// A square of the map: each has a letter of its own, so that colour says nothing that the letter does not.
enum class Mark : std::uint8_t {
  win,             // W
  loss,            // L
  small,           // S  tie: ranges apart, gain too small
  noisy,           // N  tie: gain enough, ranges overlap
  null,            // =  tie: neither
  pass,            // P  a rule holds
  fail,            // F
  open,            // ?  decidable, but not known
  missing,         // M  no file of one side
  insufficient,    // I  too few valid runs
  kernel_unknown,  // K
  unreachable,     // U  the decode batch that ran is below the planned one
  infeasible,      // X  does not fit into memory
  decisive,        // D  of a plan: a run would tell
  undecidable,     // ~  of a plan: nothing would count
};
inline constexpr std::size_t kMarks = 15;
char letter_of(Mark mark);
std::string_view class_of(Mark mark);    // of the style sheet
std::string_view meaning_of(Mark mark);  // "won: at least the needed gain, all repeats better"

struct Reason {
  std::string code;  // "RULE_A"; may be empty
  std::string text;
};

// A setup over all cells.
struct SetupVerdict {
  std::string setup;
  std::string against;
  std::string word;  // "GO"
  std::uint64_t passed = 0, failed = 0, open = 0, undecidable = 0, infeasible = 0;
  std::vector<std::string> reasons;
};

struct LeftOut {
  std::string what;  // a file, or a run in it
  std::string why;
};

// One measure of one setup in one cell.
struct Measured {
  std::string metric;  // "tpot"
  std::string unit;    // "ms"
  double centre = 0;
  std::vector<double> runs;
  bool higher_better = false;
};

struct SetupCell {
  std::string setup;
  std::vector<Measured> measured;
  std::optional<double> batch;  // requests that ran together in the decoder

  const Measured* find(std::string_view metric) const;
};

// Square::by of what all rules together come to.
inline constexpr std::string_view kAllRules = "rules, all";

// A square of the map: `setup` against `comparator`, by a rule or by one metric.
struct Square {
  std::string setup;
  std::string comparator;
  std::string by;  // "rule A", "tpot"
  Mark mark = Mark::open;
  std::optional<double> gain;  // a share of the comparator's centre; positive is better
  std::string why;
};

// What arrivals cost the requests that already run: `setup` less `comparator`.
struct ArrivalCost {
  std::string setup, comparator;
  double delta_ms = 0;                    // gaps with an arrival, less gaps without
  std::optional<double> arrival_ms = {};  // of one arrival
};

struct Cell {
  std::string model, workload, pd;
  std::uint64_t isl = 0, osl = 0;
  std::string load;  // "c64": 64 requests at once; "r6": 6 a second
  std::vector<SetupCell> setups = {};
  std::vector<Square> squares = {};
  std::string why = {};  // it is not decidable; may be empty
  std::vector<std::string> notes = {};
  std::vector<ArrivalCost> arrivals = {};
  bool simulated = false;  // by a document of simulate: no cell of the judgement
};

struct Choice {
  std::string flag, value, meaning;
};

// A number with its formula.
struct Figure {
  std::string name;
  std::optional<double> value;
  std::optional<double> most = {};  // of a range that begins at value
  std::string text;                 // where it, or the end of its range, is no number: "never"
  std::string unit;
  std::string formula;
  std::string note;
};
struct FigureTable {
  std::string title;
  std::vector<Figure> figures;
};

// Output tokens that a request must have, by bandwidth; nothing where no number of tokens is enough.
struct BreakEvenPoint {
  double bandwidth_tb_s = 0;
  std::optional<double> even, win, guard;
};
struct BreakEvenCurve {
  double traffic = 0;  // bytes moved per KV byte
  std::vector<BreakEvenPoint> points;
};
struct BreakEven {
  std::string title;  // "32 x 4k, against the fastest unshuffled backend"
  std::vector<BreakEvenCurve> curves;
};

struct Prediction {
  std::string cell, setup, metric, unit;
  double predicted = 0, measured = 0;
  bool held_out = false;  // not among the cells that the model was fitted on
  std::string model = {};
  std::size_t document = 0;  // its place among the sources
};

// A parameter moved through its range, all others at their defaults.
struct Swing {
  std::string parameter, unit;
  double low = 0, high = 0;        // of the parameter
  double at_low = 0, at_high = 0;  // of the outcome
};
struct Sensitivity {
  std::string title;
  std::string outcome;  // "TPOT gain of c against a2"
  std::string unit;
  double at_default = 0;
  std::vector<Swing> swings;
};

// Run-to-run noise of a setup, pooled over its cells.
struct Noise {
  std::string setup, metric;
  double cv = 0;  // share of the mean
  std::uint64_t cells = 0, runs = 0;
};
// What the counting rule sees at one level of noise.
struct Power {
  double cv = 0;
  std::uint64_t runs = 0;             // a side
  double gain = 0;                    // true
  double win = 0;                     // probability that it is counted
  std::optional<double> needed = {};  // repeats a side
  double best = 0, best_win = 0;      // where none are enough: those that do best, and how well
};

// Of a plan: the cells (a setup under a load) of one state, and what running all of them would take.
struct PlannedCells {
  std::string state;  // "decisive"
  std::uint64_t cells = 0;
  double gpu_hours = 0;
};
struct PlannedLoad {
  std::string load;
  std::vector<std::string> setups, settles;
  double gpu_hours = 0;
};
struct Plan {
  std::uint64_t repeats = 0;  // of each cell
  double all_gpu_hours = 0;   // of those that can be run as planned
  std::vector<PlannedCells> states;
  std::vector<Cell> loads;  // with one square each
  std::uint64_t runs = 0;   // of the smallest set
  double gpu_hours = 0;
  std::vector<PlannedLoad> smallest;
  std::vector<std::string> open;  // what no run of the plan can settle
};

struct Source {
  std::string name;  // as given
  std::string kind;  // "gonogo"
  std::size_t bytes = 0;
  std::string sha256;
};

struct Content {
  std::string verdict;  // "GO", "NO-GO", "INCONCLUSIVE"; empty: no judgement was given
  std::string decides;  // the setup whose verdict it is
  double win_share = 0.03;
  std::vector<Reason> reasons;
  std::vector<Reason> warnings;
  std::vector<SetupVerdict> setups;
  std::vector<LeftOut> left_out;
  std::uint64_t runs_seen = 0, runs_valid = 0;
  std::uint64_t runs_simulated = 0;  // of the valid ones
  std::vector<Cell> cells;
  std::vector<Choice> choices;
  std::vector<FigureTable> figures;
  std::vector<BreakEven> break_even;
  std::vector<Prediction> predictions;
  std::vector<Sensitivity> sensitivity;
  std::optional<Plan> plan;
  std::vector<Noise> noise;
  std::vector<Power> power;
  std::optional<double> smallest_gain;  // that the rule counts with the power asked for
  std::uint64_t comparisons = 0;
  double expected_false_wins = 0;  // among them, were there no gain at all
  std::string command;             // that makes this page again; empty: not known
  std::vector<Source> sources;
};

}  // namespace pageproof::page
