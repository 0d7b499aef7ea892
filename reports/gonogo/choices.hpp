// What the RFC's decision rules leave open, each with the reading that is taken unless the person who judges
// says otherwise. A report prints all of them: two people who choose differently must be able to see it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reports/results/run.hpp"

namespace pageproof::gonogo {

enum class Against : std::uint8_t {
  both,  // rule A must hold against a1 and against a2: the faster of the two is beaten
  a1,
  a2,
  best,  // against the one with the better TPOT in the cell
  each,  // a1 and a2 are two questions, each with its own count of cells
};
enum class Rules : std::uint8_t { both, a, b };  // which of the two a cell must pass
enum class Guard : std::uint8_t { median, strict };
enum class Ttft : std::uint8_t { not_worse, two_sided };
enum class Statistic : std::uint8_t { mean, median };
enum class Aggregation : std::uint8_t { any, majority, all, weights };
enum class Doubt : std::uint8_t { counts_not, unknown };  // of what was not settled, or not measured
enum class Kernel : std::uint8_t { flag, require };
enum class Partner : std::uint8_t { e0, unshuffled };  // what e is compared with

// Medians of one metric further apart than this in one cell are of different units, or of no use.
inline constexpr double kMostApart = 30;

// Keys whose values are the same throughout a cell, unless `--differ` says otherwise.
const std::vector<std::string>& same_by_default();

struct Choices {
  double win_share = 0.03;      // theta: "counts only if it is >= 3 %"
  double ttft_share = 0.03;     // tau: how much worse a TTFT is still equal
  double guard_share = 0.02;    // "TPOT no more than 2 % worse"
  double tolerance = 1e-9;      // of the comparator's centre: rounding of decimal inputs
  std::uint32_t runs = 3;       // "at least 3 repeats"
  double failed_share = 0;      // of a run's requests that may have failed
  double output_share = 0.005;  // by which the tokens made may differ from requests x osl
  double input_share = 0.01;    // and the prompt tokens from requests x isl
  double coverage = 0.8;        // of the feasible cells that must be decidable
  double reach = 0.9;           // of the planned decode batch that must be running
  double power = 0.8;           // asked of "how many repeats"
  Against against = Against::both;
  Rules rules = Rules::both;
  Guard guard = Guard::median;
  Ttft ttft = Ttft::not_worse;
  Statistic tpot_statistic = Statistic::mean;    // which TPOT of a run is compared
  Statistic ttft_statistic = Statistic::median;  // which TTFT
  Aggregation aggregation = Aggregation::majority;
  std::map<std::string, double> weights = {};  // by cell, with Aggregation::weights
  Doubt noisy = Doubt::counts_not;             // a gain of 3 % whose ranges overlap: no win, or not known
  Doubt unmeasured = Doubt::counts_not;        // an alternative metric of a rule that no file has
  Kernel kernel = Kernel::flag;                // a cell in which nobody recorded the decode kernel
  Partner partner = Partner::e0;               // `unshuffled`: a1 and a2, whose prefills are AMD's
  std::string decides = "c";                   // the setup whose verdict is the program's
  std::vector<std::string> same = same_by_default();
  results::Objectives objectives = {};  // of a goodput that is shown beside the rules; none: not shown
};

// The tags that hold each part. Where the tag is absent: model is the file's model_id, load its
// max_concurrency or else its request_rate; workload and pd are unstated; without setup, isl or osl a run has
// no place.
struct Keys {
  std::string setup = "setup";
  std::string model = "model";
  std::string workload = "workload";
  std::string isl = "isl";
  std::string osl = "osl";
  std::string load = "load";
  std::string pd = "pd";
  std::string batch = "batch";    // the planned decode batch
  std::string kernel = "kernel";  // the decode kernel that ran; a sidecar's word comes first
};

// As the flags that give them, in a fixed order.
struct Choice {
  std::string flag = {};     // "--theta"
  std::string value = {};    // "0.03"
  std::string meaning = {};  // a sentence
};
std::vector<Choice> stated(const Choices& choices);

}  // namespace pageproof::gonogo
