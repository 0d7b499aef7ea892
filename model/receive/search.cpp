#include "model/receive/search.hpp"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace pageproof::receive {
namespace {

void append(std::string& key, int number) {
  key += static_cast<char>(number);
}

// A state in bytes: no number of a small request leaves them.
std::string key_of(const System& system) {
  std::string key;
  const auto add = [&](const char*, int number) { append(key, number); };
  visit_fields_of_setting(system.given, add);
  for (const Life<int>& life : system.lives) visit_fields_of_life(life, add);
  for (const Tie<int>& tie : system.ties) visit_fields_of_tie(tie, add);
  visit_fields_of_page(system.page, add);
  return key;
}

template <class Visit>
void visit_moves_of(const System& system, std::size_t who, const Fault& fault, Visit&& visit) {
  const Life<int>& life = system.lives[who];
  const Tie<int>& tie = system.ties[who];
  const bool settled = !((tie.own == 1 || tie.shares == 1) && system.page.finished < system.page.started);
  visit_steps(system.given, life, settled,
              [&](Step step, bool place, const auto& guards, const auto& effect) {
                if (!place || std::ranges::find(fault.never, step) != fault.never.end()) return;
                for (const Guarded<bool>& guard : guards) {
                  if (!guard.holds && guard.guard != fault.without) return;
                }
                System next = system;
                effect(next.lives[who]);
                if (step != Step::allocate) {
                  touch(step, life, fault.without, next.ties[who], next.page);
                  visit(Move{who, step, Take::nothing}, std::move(next));
                  return;
                }
                for (const Take how : {Take::nothing, Take::own, Take::share}) {
                  const Guarded<bool> may = guard_of<bool>(how, system.page);
                  if (!may.holds && may.guard != fault.without) continue;
                  System taken = next;
                  take(how, life, taken.ties[who], taken.page);
                  visit(Move{who, step, how}, std::move(taken));
                }
              });
}

struct Came {
  std::string from;
  Move by;
};

// Breadth first from one start; nothing at `depth` or beyond.
using IsBad = std::function<bool(const System&)>;
std::optional<Found> search_from(const System& start, const IsBad& is_bad, const Fault& fault,
                                 std::uint32_t depth, Searched& searched) {
  std::unordered_map<std::string, Came> seen;
  std::vector<System> here{start};
  seen.try_emplace(key_of(start));
  for (std::uint32_t length = 0; length <= depth && !here.empty(); ++length) {
    std::vector<System> next;
    for (const System& system : here) {
      if (is_bad(system)) {
        Found found{start, {}, {}};
        for (std::string at = key_of(system); at != key_of(start); at = seen.at(at).from) {
          found.moves.insert(found.moves.begin(), seen.at(at).by);
        }
        System state = start;
        for (const Move& move : found.moves) {
          visit_moves(state, fault, [&, done = false](const Move& one, const System& then) mutable {
            if (done || one.who != move.who || one.step != move.step || one.take != move.take) return;
            done = true;
            found.states.push_back(then);
          });
          state = found.states.back();
        }
        searched.states += seen.size();
        return found;
      }
      if (length == depth) continue;
      const std::string from = key_of(system);
      visit_moves(system, fault, [&](const Move& move, System then) {
        searched.taken[static_cast<std::size_t>(move.step)] = true;
        if (seen.try_emplace(key_of(then), Came{from, move}).second) next.push_back(std::move(then));
      });
    }
    here = std::move(next);
  }
  searched.states += seen.size();
  return std::nullopt;
}

std::vector<System> starts(bool two) {
  std::vector<System> all;
  const auto add = [&](int side, int layers, int reads, int others, const Life<int>& common) {
    System system;
    system.given = {.side = side, .deferred = 1, .layers = layers};
    Life<int> life = common;
    life.turn = 1;
    life.reads = reads;
    life.others = others;
    system.lives.push_back(life);
    if (two) system.lives.push_back(life);
    system.ties.resize(system.lives.size());
    all.push_back(system);
  };
  for (const int verdict : {kMatch, kConvert, kRejected}) {
    for (const int side : {1, 0}) {
      Life<int> life{};
      life.verdict = verdict;
      life.engine = kReady;
      life.steps = 1;
      if (two) {
        life.steps = 0;
        add(side, 1, 0, 0, life);
        continue;
      }
      for (const int engine : {kReady, kDone, kAbsent}) {
        for (const int policy : {0, 1}) {
          for (const int reads : {0, 1, 2}) {
            for (const int others : {0, 1}) {
              life.engine = engine;
              life.policy = policy;
              life.duplicate = 1;
              add(side, reads == 2 ? 2 : 1, reads, others, life);
            }
          }
        }
      }
    }
  }
  return all;
}

}  // namespace

template <class Visit>
void visit_moves(const System& system, const Fault& fault, Visit&& visit) {
  for (std::size_t who = 0; who < system.lives.size(); ++who) visit_moves_of(system, who, fault, visit);
}

std::string to_string(const Move& move) {
  std::string text = move.who == 0 ? "A " : "B ";
  text += to_string(move.step);
  if (move.take == Take::own) text += " (the block)";
  if (move.take == Take::share) text += " (the block as a prefix)";
  return text;
}

bool breaks(const System& system, Rule rule) {
  Other<bool> other{false, false, false, false};
  if (system.lives.size() > 1) other = other_of(system.lives[1], system.ties[1]);
  bool found = false;
  visit_rules(system.given, system.lives[0], system.ties[0], system.page, other,
              [&](Rule one, bool broken) { found = found || (one == rule && broken); });
  return found;
}

bool is_dead_end(const System& system, const Fault& fault) {
  if (std::ranges::all_of(system.lives, [](const Life<int>& life) { return life.phase == kEnded; })) {
    return false;
  }
  bool stuck = true;
  for (const int turn : {0, 1}) {
    System there = system;
    for (Life<int>& life : there.lives) life.turn = turn;
    visit_moves(there, fault,
                [&](const Move& move, const System&) { stuck = stuck && move.step == Step::forward; });
  }
  return stuck;
}

Searched search(std::optional<Rule> rule, const Fault& fault, bool two, std::uint32_t depth) {
  Searched searched;
  const IsBad is_bad = [&](const System& system) {
    return rule ? breaks(system, *rule) : is_dead_end(system, fault);
  };
  for (const System& start : starts(two)) {
    auto found = search_from(start, is_bad, fault, depth, searched);
    if (!found) continue;
    if (found->moves.empty()) return searched;  // the start itself: no trace to show
    depth = static_cast<std::uint32_t>(found->moves.size()) - 1;
    searched.found = std::move(found);
  }
  return searched;
}

Searched exhaust() {
  Searched searched;
  const IsBad is_bad = [](const System& system) {
    bool broken = is_dead_end(system, {});
    const Other<bool> nobody{false, false, false, false};
    visit_rules(system.given, system.lives[0], system.ties[0], system.page, nobody,
                [&](Rule, bool one) { broken = broken || one; });
    return broken;
  };
  for (const System& start : starts(false)) {
    auto found = search_from(start, is_bad, {}, UINT32_MAX, searched);
    if (found) searched.found = std::move(found);
  }
  return searched;
}

bool needs_two(Guard guard) {
  return guard == Guard::block_is_free || guard == Guard::prefix_is_published ||
         guard == Guard::own_blocks_only;
}

}  // namespace pageproof::receive
