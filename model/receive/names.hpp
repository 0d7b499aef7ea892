// The words of the receive model: steps, guards and rules by name, the claim of each rule, which rule breaks
// when a guard is left out, and which requests never end when a step never comes.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "model/receive/rules.hpp"
#include "model/receive/steps.hpp"

namespace pageproof::receive {

std::string_view to_string(Step step);
std::string_view to_string(Guard guard);
std::string_view to_string(Rule rule);
std::string_view claim_of(Rule rule);  // "no block is freed or reused while ..."
std::string_view phase_name(int phase);

std::optional<Guard> find_guard(std::string_view name);

// Where the conversion has to be for a guard to matter: stream order is enough on the step path, a completed
// event is on a side stream.
enum class Shows : std::uint8_t { anywhere, side_stream, step_path };

// A guard, the care that it stands for, and the rule that breaks without it: the check that has to find the
// mutant.
struct GuardRow {
  Guard guard;
  Rule breaks;
  std::string_view care;
  std::string_view source;  // of the spec or of a public report
  Shows shows = Shows::anywhere;
};
std::span<const GuardRow> guard_table();
const GuardRow& row_of(Guard guard);  // @pre guard is not none

// Steps that somebody has to take, for a request to end: where they never come, it is stuck. `assumed`: the
// program does not take them itself, so that they come is assumed (SOUNDNESS.md).
enum class Stuck : std::uint8_t { any, aborted, failed, served };
struct EndingRow {
  std::string_view name;
  std::span<const Step> never;
  Stuck stuck;  // which requests are looked for
  bool assumed;
  std::string_view care;
  std::string_view source;
};
std::span<const EndingRow> ending_table();
const EndingRow* find_ending(std::string_view name);  // or nullptr

}  // namespace pageproof::receive
