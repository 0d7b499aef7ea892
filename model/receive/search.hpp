// Bounded model checking with plain numbers: every state that requests of a few reads, layers and workers can
// reach, breadth first, until a rule is broken. So what is found first is shortest; and what is not found
// within the sizes does not exist within them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/receive/names.hpp"

namespace pageproof::receive {

// A fault: a guard left out, or steps that never happen.
struct Fault {
  Guard without = Guard::none;
  std::vector<Step> never = {};
};

// One request, or a second one that may be given the same block; and one layer of that block.
struct System {
  Setting<int> given = {};
  std::vector<Life<int>> lives = {};
  std::vector<Tie<int>> ties = {};
  Page<int> page = {};
};

struct Move {
  std::size_t who = 0;
  Step step = Step::forward;
  Take take = Take::nothing;
};
std::string to_string(const Move& move);  // "A allocate (the block as a prefix)"

// Calls visit(move, next) for every step that can be taken.
template <class Visit>
void visit_moves(const System& system, const Fault& fault, Visit&& visit);

// Does the state break the rule, as the first request sees it?
bool breaks(const System& system, Rule rule);
// No step but the runner's turn can be taken, in either half of it, and a request has not ended.
bool is_dead_end(const System& system, const Fault& fault);

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

// No rule: looks for a dead end. `two`: with the second request, of no reads.
Searched search(std::optional<Rule> rule, const Fault& fault, bool two, std::uint32_t depth);

// Every state of the same small requests, without a fault: found is a broken rule or a dead end.
Searched exhaust();

// Which faults only two requests can show.
bool needs_two(Guard guard);

}  // namespace pageproof::receive
