#include "model/receive/search.hpp"

#include <functional>
#include <span>

namespace pageproof::receive {
namespace {

// A state in half a byte a number: no number of a small request leaves it but those that only count how often
// a fault has struck.
using Key = std::array<std::uint64_t, 6>;

Key key_of(const System& system) {
  Key key{};
  std::size_t place = 0;
  visit_numbers(system, [&](const int& number) {
    key[place / 16] |= static_cast<std::uint64_t>(std::min(number, 15)) << (place % 16 * 4);
    ++place;
  });
  return key;
}

System system_of(const Key& key, std::size_t count) {
  System system;
  system.count = count;
  std::size_t place = 0;
  visit_numbers(system, [&](int& number) {
    number = static_cast<int>(key[place / 16] >> (place % 16 * 4) & 15);
    ++place;
  });
  return system;
}

// States in the order in which they were reached, each once.
class Reached {
 public:
  struct State {
    Key key;
    std::uint32_t from;
    Move by;
  };
  Reached() : table_(1 << 12) {}

  const std::vector<State>& states() const { return states_; }
  void add(const State& state) {
    if (states_.size() * 2 >= table_.size()) grow();
    std::uint32_t& slot = find(state.key);
    if (slot != 0) return;
    states_.push_back(state);
    slot = static_cast<std::uint32_t>(states_.size());
  }

 private:
  std::uint32_t& find(const Key& key) {
    std::uint64_t hash = 0;
    for (const std::uint64_t word : key) hash = (hash ^ word) * 0x9e3779b97f4a7c15 ^ hash >> 29;
    std::size_t at = hash >> 7 & (table_.size() - 1);
    while (table_[at] != 0 && states_[table_[at] - 1].key != key) at = (at + 1) & (table_.size() - 1);
    return table_[at];
  }
  void grow() {
    table_.assign(table_.size() * 4, 0);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      find(states_[i].key) = static_cast<std::uint32_t>(i + 1);
    }
  }

  std::vector<State> states_;
  std::vector<std::uint32_t> table_;  // 1 + place of a state; 0: none
};

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
using IsBad = std::function<bool(const System&)>;
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

Searched exhaust(bool two) {
  Searched all;
  for (const System& start : starts(two)) {
    const Fault fault{Guard::none, left_out(start)};
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
    if (one.found) all.found = std::move(one.found);
  }
  return all;
}

}  // namespace pageproof::receive
