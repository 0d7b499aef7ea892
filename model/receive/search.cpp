#include "model/receive/search.hpp"

#include <span>

#include "model/receive/reached.hpp"

namespace pageproof::receive {
namespace {

// The way to a state, walked again.
Found way_to(const Reached& reached, std::size_t at, std::size_t count, const Fault& fault) {
  Found found;
  for (; reached.states()[at].from != at; at = reached.states()[at].from) {
    found.moves.push_back(reached.states()[at].by);
  }
  std::ranges::reverse(found.moves);
  found.start = system_of(reached.states()[at].key, count);
  System state = found.start;
  for (const Move& move : found.moves) {
    System next = state;
    visit_moves(state, fault, [&](const Move& one, const System& then) {
      if (one == move) next = then;
    });
    state = next;
    found.states.push_back(state);
  }
  return found;
}

// Breadth first from some starts at once, `depth` steps far. A start itself is no find: it has no trace.
Searched search_from(std::span<const System> starts, const IsBad& is_bad, const Fault& fault,
                     std::uint32_t depth) {
  Searched searched;
  Reached reached;
  const std::size_t count = starts.front().count;
  for (const System& start : starts) {
    reached.add({key_of(start), static_cast<std::uint32_t>(reached.states().size()), {}});
  }
  std::size_t level_ends = reached.states().size();
  std::uint32_t length = 0;
  for (std::size_t at = 0; at < reached.states().size() && !searched.found; ++at) {
    if (at == level_ends) {
      level_ends = reached.states().size();
      ++length;
    }
    const System system = system_of(reached.states()[at].key, count);
    if (length > 0 && is_bad(system)) searched.found = way_to(reached, at, count, fault);
    if (length == depth) continue;
    visit_moves(system, fault, [&](const Move& move, const System& then) {
      searched.taken[static_cast<std::size_t>(move.step)] = true;
      reached.add({key_of(then), static_cast<std::uint32_t>(at), move});
    });
  }
  searched.states = reached.states().size();
  return searched;
}

template <class Visit>
void visit_broken(const System& system, std::size_t who, Visit&& visit) {
  Other<bool> other = nobody(false);
  if (system.count > 1) other = other_of(system.lives[1 - who], system.ties[1 - who]);
  visit_rules(system.given, system.lives[who], system.engine, system.ties[who], system.page, other,
              [&](Rule rule, bool broken) {
                if (broken) visit(rule);
              });
}

}  // namespace

std::string to_string(const Move& move) {
  std::string text = move.who == 0 ? "A " : "B ";
  text += to_string(move.step);
  if (move.take == Take::own) text += " (the block)";
  if (move.take == Take::share) text += " (the block as a prefix)";
  return text;
}

bool breaks(const System& system, Rule rule, std::size_t who) {
  bool found = false;
  visit_broken(system, who, [&](Rule one) { found = found || one == rule; });
  return found;
}

bool is_dead_end(const System& system, const Fault& fault) {
  bool ended = true;
  for (std::size_t who = 0; who < system.count; ++who) ended = ended && system.lives[who].phase == kEnded;
  if (ended) return false;
  bool stuck = true;
  for (int turn = 0; turn < 2 && stuck; ++turn) {
    System there = system;
    for (Life<int>& life : there.lives) life.turn = turn;
    visit_moves(there, fault, [&](const Move& move, const System&) {
      stuck = stuck && !is_promised(move.step, there.lives[move.who], fault.lease);
    });
  }
  return stuck;
}

bool is_stuck_as(const System& system, Stuck stuck) {
  const Life<int>& life = system.lives[0];
  const bool failed = life.bad == 1 || life.others_bad == 1;
  switch (stuck) {
    case Stuck::any:
      return true;
    case Stuck::aborted:
      return life.aborted == 1 && !failed;
    case Stuck::failed:
      return life.aborted == 0 && failed;
    case Stuck::served:
      return life.aborted == 0 && !failed && life.phase == kFreed;
  }
  return false;
}

Searched search(Rule rule, const Fault& fault, std::span<const System> starts, std::uint32_t depth) {
  return search_from(starts, [&](const System& system) { return breaks(system, rule); }, fault, depth);
}

Searched search_dead_end(Stuck stuck, const Fault& fault, std::uint32_t depth) {
  const auto is_bad = [&](const System& system) {
    return is_stuck_as(system, stuck) && is_dead_end(system, fault);
  };
  return search_from(starts(false), is_bad, fault, depth);
}

Searched search_for(const IsBad& is_bad, const Fault& fault, std::span<const System> starts,
                    std::uint32_t depth) {
  return search_from(starts, is_bad, fault, depth);
}

Searched exhaust(bool two, const Fault& given) {
  Searched all;
  for (const System& start : starts(two)) {
    Fault fault = given;
    for (const Step step : left_out(start)) fault.never.push_back(step);
    const IsBad is_bad = [&](const System& system) {
      bool broken = is_dead_end(system, fault);
      for (std::size_t who = 0; who < system.count; ++who) {
        visit_broken(system, who, [&](Rule) { broken = true; });
      }
      return broken;
    };
    Searched one = search_from({&start, 1}, is_bad, fault, UINT32_MAX);
    all.states += one.states;
    for (std::size_t step = 0; step < all.taken.size(); ++step) all.taken[step] |= one.taken[step];
    if (!one.found) continue;
    all.found = std::move(one.found);
    break;
  }
  return all;
}

}  // namespace pageproof::receive
