// Bounded model checking with plain numbers: every state that requests of a few reads, layers and workers can
// reach, breadth first, until a rule is broken. So what is found first is shortest; and what is not found
// within the sizes does not exist within them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/receive/moves.hpp"

namespace pageproof::receive {

// Does the state break the rule, as the given request sees it?
bool breaks(const System& system, Rule rule, std::size_t who = 0);
// A request has not ended, and no request can take a step that is promised, in either half of the runner's
// turn. So nothing but a failure, an abort or a lease's end, if they come, can bring it to its end.
bool is_dead_end(const System& system, const Fault& fault);
// Of the first request.
bool is_stuck_as(const System& system, Stuck stuck);

struct Found {
  System start;
  std::vector<Move> moves;     // shortest first; empty where none was found
  std::vector<System> states;  // behind each move
};
struct Searched {
  std::optional<Found> found;
  std::uint64_t states = 0;
  std::array<bool, kSteps> taken = {};  // steps that some state reached could take
};

// The small requests that are looked at, before their first step: both places of the conversion, both orders
// of the runner, any verdict, engine, policy and hold of the prefill, up to two reads and layers and one
// other worker. `two`: with a second request that may be given the same block.
std::vector<System> starts(bool two);
// Those that a guard left out is looked for from: of two requests where one alone cannot show it, few.
std::vector<System> starts_for(Guard guard);

// The shortest way into a state that breaks the rule. @pre the starts have the same number of requests
Searched search(Rule rule, const Fault& fault, std::span<const System> starts, std::uint32_t depth);
// The shortest way into a dead end of such requests.
Searched search_dead_end(Stuck stuck, const Fault& fault, std::uint32_t depth);

// The shortest way into a state of which `is_bad` is true.
using IsBad = std::function<bool(const System&)>;
Searched search_for(const IsBad& is_bad, const Fault& fault, std::span<const System> starts,
                    std::uint32_t depth);

// Every state of the same small requests: found is a broken rule or a dead end. Of two requests some steps
// are left out, for the number of states. A fault: for the mutants of this search itself.
Searched exhaust(bool two, const Fault& fault = {});
std::vector<Step> left_out(const System& start);

}  // namespace pageproof::receive
