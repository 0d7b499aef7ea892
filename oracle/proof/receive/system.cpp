#include "oracle/proof/receive/system.hpp"

#include <algorithm>
#include <utility>

namespace pageproof::proof::receive_proof {
namespace {

using z3::expr;

template <template <class> class T, std::size_t... I>
T<expr> filled(const expr& value, std::index_sequence<I...>) {
  return T<expr>{(static_cast<void>(I), value)...};
}
// Every field the same number; the fields are counted by what the plain struct holds.
template <template <class> class T>
T<expr> blank(z3::context& context) {
  return filled<T>(context.int_val(0), std::make_index_sequence<sizeof(T<int>) / sizeof(int)>{});
}

// Every field of a state with its name.
template <class AnyState, class Visit>
void visit_state(AnyState& state, Visit&& visit) {
  const auto under = [&](const std::string& prefix) {
    return [&visit, prefix](const char* name, auto& number) { visit(prefix + name, number); };
  };
  rx::visit_fields_of_setting(state.given, under("given."));
  for (std::size_t i = 0; i < state.engines.size(); ++i) {
    rx::visit_fields_of_engine(state.engines[i], under(i == 0 ? "E." : "F."));
  }
  for (std::size_t i = 0; i < state.lives.size(); ++i) {
    const std::string who = i == 0 ? "A." : "B.";
    rx::visit_fields_of_life(state.lives[i], under(who));
    rx::visit_fields_of_tie(state.ties[i], under(who));
  }
  rx::visit_fields_of_page(state.page, under("page."));
}

State blank_state(z3::context& context, Size size) {
  State state{blank<rx::Setting>(context), {}, {}, {}, blank<rx::Page>(context)};
  for (std::size_t i = 0; i < size.engines; ++i) state.engines.push_back(blank<rx::Engine>(context));
  for (std::size_t i = 0; i < size.lives; ++i) {
    state.lives.push_back(blank<rx::Life>(context));
    state.ties.push_back(blank<rx::Tie>(context));
  }
  return state;
}

// What any further request leaves in a block that neither of the two holds: it was given the block, filled it
// or not, and gave it back. Published: as a prefix that may be shared from the pool.
void append_others(std::vector<Transition>& all, const State& state) {
  struct Left {
    int published, wanted, converted, local;
  };
  constexpr Left kLeft[] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 1, 1, 0},
                            {1, 1, 1, 0}, {1, 1, 0, 1}, {1, 1, 1, 1}, {1, 0, 0, 1}};
  for (const Left& left : kLeft) {
    State next = state;
    rx::put(next.page.published, left.published);
    rx::put(next.page.wanted, left.wanted);
    rx::put(next.page.started, left.converted);
    rx::put(next.page.finished, left.converted);
    rx::put(next.page.local, left.local);
    all.push_back({2, rx::Step::allocate, rx::Take::own, state.page.refs == 0, std::move(next)});
  }
}

}  // namespace

State variables(Size size, const std::string& suffix, const z3::sort& sort) {
  z3::context& context = sort.ctx();
  State state = blank_state(context, size);
  visit_state(state, [&](const std::string& name, expr& number) {
    number = context.constant((name + suffix).c_str(), sort);
  });
  return state;
}

std::vector<expr> numbers_of(const State& state) {
  std::vector<expr> numbers;
  visit_state(state, [&](const std::string&, const expr& number) { numbers.push_back(number); });
  return numbers;
}

std::size_t engine_of(const State& state, std::size_t who) {
  return std::min(who, state.engines.size() - 1);
}

std::vector<Transition> transitions(const State& state, const Fault& fault) {
  std::vector<Transition> all;
  for (std::size_t who = 0; who < state.lives.size(); ++who) {
    const rx::Life<expr>& life = state.lives[who];
    const rx::Tie<expr>& tie = state.ties[who];
    const std::size_t engine = engine_of(state, who);
    expr busy = state.given.side.ctx().bool_val(false);
    for (std::size_t other = 0; other < state.lives.size(); ++other) {
      if (other != who && engine_of(state, other) == engine) busy = state.lives[other].outstanding > 0;
    }
    const expr settled = !((tie.own == 1 || tie.shares == 1) && state.page.finished < state.page.started);
    const rx::Here<expr> here{state.given, life, state.engines[engine], {settled, busy}};
    const auto add = [&](rx::Step step, const expr& place, const auto& guards, const auto& effect) {
      if (std::ranges::find(fault.never, step) != fault.never.end()) return;
      expr guard = place;
      for (const rx::Guarded<expr>& one : guards) {
        if (one.guard != fault.without) guard = guard && one.holds;
      }
      State next = state;
      effect(next.lives[who], next.engines[engine]);
      if (step != rx::Step::allocate) {
        rx::touch(step, life, fault.without, next.ties[who], next.page);
        all.push_back({who, step, rx::Take::nothing, guard, std::move(next)});
        return;
      }
      for (const rx::Take take : {rx::Take::nothing, rx::Take::own, rx::Take::share}) {
        State taken = next;
        rx::take(take, life, taken.ties[who], taken.page);
        const rx::Guarded<expr> may = rx::guard_of<expr>(take, state.page);
        const bool out = may.guard == rx::Guard::none || may.guard == fault.without;
        all.push_back({who, step, take, out ? guard : guard && may.holds, std::move(taken)});
      }
    };
    rx::visit_steps(here, add);
  }
  if (state.lives.size() > 1) append_others(all, state);
  return all;
}

expr initial(const State& state) {
  const auto within = [](const expr& number, int most) { return number >= 0 && number <= most; };
  expr start = within(state.given.side, 1) && within(state.given.deferred, 1) && state.given.layers >= 1 &&
               state.page.layer >= 0 && state.page.layer < state.given.layers && state.page.refs == 0 &&
               state.page.published == 0 && state.page.started == 0 && state.page.finished == 0 &&
               state.page.wanted == 0 && state.page.local == 0;
  for (const rx::Engine<expr>& engine : state.engines) {
    start = start && within(engine.state, rx::kReady) && engine.losses >= 0 && engine.strangers >= 0 &&
            within(engine.inside, 1) && within(engine.sticky, 1) && engine.overlaps == 0;
  }
  for (std::size_t who = 0; who < state.lives.size(); ++who) {
    const rx::Life<expr>& life = state.lives[who];
    const rx::Tie<expr>& tie = state.ties[who];
    start = start && tie.own == 0 && tie.shares == 0 && tie.holds == 0;
    rx::visit_fields_of_life(life, [&](const std::string& name, const expr& number) {
      if (name == "reads" || name == "others" || name == "steps") {
        start = start && number >= 0;
      } else if (name == "verdict") {
        start = start && within(number, rx::kConvert);
      } else if (name == "prefill") {
        start = start && within(number, rx::kExpired);
      } else if (name == "turn" || name == "policy" || name == "duplicate") {
        start = start && within(number, 1);
      } else {
        start = start && number == 0;
      }
    });
  }
  return start;
}

expr invariant(const State& state) {
  expr all = state.page.refs.ctx().bool_val(true);
  for (std::size_t who = 0; who < state.lives.size(); ++who) {
    rx::visit_invariant(state.given, state.lives[who], state.engines[engine_of(state, who)], state.ties[who],
                        [&](const expr& fact) { all = all && fact; });
  }
  if (state.lives.size() > 1) {
    rx::visit_block_invariant(state.given, state.page, state.lives[0], state.ties[0], state.lives[1],
                              state.ties[1], [&](const expr& fact) { all = all && fact; });
  }
  return all;
}

expr broken(const State& state, rx::Rule rule) {
  z3::context& context = state.page.refs.ctx();
  const expr no = context.bool_val(false);
  rx::Other<expr> other = rx::nobody(no);
  if (state.lives.size() > 1) other = rx::other_of(state.lives[1], state.ties[1]);
  expr found = no;
  rx::visit_rules(state.given, state.lives[0], state.engines[0], state.ties[0], state.page, other,
                  [&](rx::Rule one, const expr& breaks) {
                    if (one == rule) found = breaks;
                  });
  return found;
}

bool by_induction(rx::Rule rule) {
  using enum rx::Rule;
  switch (rule) {
    case unconverted_scheduled:
    case unconverted_decoded:
    case freed_while_touched:
    case freed_while_zeroed:
    case reused_while_held:
    case converted_while_read:
    case converted_twice:
    case match_converted:
    case recomputed_while_touched:
    case unknown_engine_posts:
      return true;
    default:
      return false;
  }
}

}  // namespace pageproof::proof::receive_proof
