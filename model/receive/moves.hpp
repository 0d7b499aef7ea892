// The model with plain numbers as a system that moves: one request or two, to the same remote engine, that
// may be given the same block; and one layer of that block.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/receive/block_steps.hpp"
#include "model/receive/fields.hpp"
#include "model/receive/names.hpp"

namespace pageproof::receive {

// A fault: a guard left out, or steps that never happen.
struct Fault {
  Guard without = Guard::none;
  std::vector<Step> never = {};
  bool lease = false;  // that a lease runs out is promised
};

struct System {
  Setting<int> given = {};
  Engine<int> engine = {};
  std::size_t count = 1;  // of lives
  std::array<Life<int>, 2> lives = {};
  std::array<Tie<int>, 2> ties = {};
  Page<int> page = {};
};

struct Move {
  std::uint8_t who = 0;
  Step step = Step::forward;
  Take take = Take::nothing;
  bool operator==(const Move&) const = default;
};
std::string to_string(const Move& move);  // "A allocate (the block as a prefix)"

// Calls visit(move, next) for every step that a life can take.
template <class Visit>
void visit_moves_of(const System& system, std::uint8_t who, const Fault& fault, Visit&& visit) {
  const Life<int>& life = system.lives[who];
  const Tie<int>& tie = system.ties[who];
  const bool settled = !((tie.own == 1 || tie.shares == 1) && system.page.finished < system.page.started);
  const bool busy = system.count > 1 && system.lives[1U - who].outstanding > 0;
  const Here<int> here{system.given, life, system.engine, {settled, busy}};
  const auto may_be = [&](const Guarded<bool>& guard) { return guard.holds || guard.guard == fault.without; };
  visit_steps(here, [&](Step step, bool place, const auto& guards, const auto& effect) {
    if (!place || !std::ranges::all_of(guards, may_be)) return;
    if (std::ranges::find(fault.never, step) != fault.never.end()) return;
    System next = system;
    effect(next.lives[who], next.engine);
    if (step != Step::allocate) {
      touch(step, life, fault.without, next.ties[who], next.page);
      visit(Move{who, step, Take::nothing}, next);
      return;
    }
    for (const Take how : {Take::nothing, Take::own, Take::share}) {
      if (!may_be(guard_of<bool>(how, system.page))) continue;
      System taken = next;
      take(how, life, taken.ties[who], taken.page);
      visit(Move{who, step, how}, taken);
    }
  });
}

template <class Visit>
void visit_moves(const System& system, const Fault& fault, Visit&& visit) {
  for (std::size_t who = 0; who < system.count; ++who) {
    visit_moves_of(system, static_cast<std::uint8_t>(who), fault, visit);
  }
}

// Every number of the system, in one order.
template <class AnySystem, class Visit>
void visit_numbers(AnySystem& system, Visit&& visit) {
  const auto number = [&](const char*, auto& one) { visit(one); };
  visit_fields_of_setting(system.given, number);
  visit_fields_of_engine(system.engine, number);
  for (std::size_t who = 0; who < system.count; ++who) {
    visit_fields_of_life(system.lives[who], number);
    visit_fields_of_tie(system.ties[who], number);
  }
  visit_fields_of_page(system.page, number);
}

}  // namespace pageproof::receive
