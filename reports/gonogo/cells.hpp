// Runs into cells and setups. A cell is one load on one model: (model, workload, isl, osl, load, P:D); a
// setup is what is compared in it (a1, a2, b, c, d, e; e0 is the unshuffled partner of e). Both are read from
// a run's tags, whose keys can be named. A run that cannot be placed, or must not be judged, is kept with the
// reason.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reports/gonogo/choices.hpp"
#include "reports/gonogo/rule.hpp"
#include "reports/results/run.hpp"

namespace pageproof::gonogo {

// load: "c64" for a concurrency of 64, "r6" for 6 requests a second. Unstated parts are "-".
struct CellKey {
  std::string model = {};
  std::string workload = {};
  std::string pd = {};
  std::uint64_t isl = 0;
  std::uint64_t osl = 0;
  char load_kind = 'c';
  double load = 0;

  auto operator<=>(const CellKey&) const = default;
};
std::string load_of(const CellKey& cell);    // "c64"
std::string to_string(const CellKey& cell);  // "Qwen3-8B cold isl4096 osl512 c64 pd1:1"

// The setups that this judge knows, in the order of reports.
std::span<const std::string> known_setups();

// A tag that is a finite number above 0.
std::optional<double> number_tag(const results::Run& run, std::string_view tag);

// What a run says of itself, or its tag; the throughput of runs of one output token is not here.
std::optional<double> stated_prefill_throughput(const results::Run& run);

enum class RunStatus : std::uint8_t { valid, invalid, unplaced };
std::string_view to_string(RunStatus status);

struct Placed {
  const results::Run* run = nullptr;
  RunStatus status = RunStatus::valid;
  std::vector<std::string> reasons = {};  // each names the key and the value
  std::optional<CellKey> cell = {};
  std::string setup = {};
  bool kernel_unknown = false;  // of a setup whose decoder reads shuffled pages
};

// In the order of `runs`, which must outlive the answer. A run that its reader found invalid stays so; what
// is judged here is in consistency.hpp. Source: simulation notes §3.
std::vector<Placed> place(std::span<const results::Run> runs, const Keys& keys, const Choices& choices,
                          const Terms& terms = kLaw);

// The value of a key that has to be equal throughout a cell, in words; "unknown" where the file has none.
std::string value_of(const results::Run& run, const std::string& key);

}  // namespace pageproof::gonogo
