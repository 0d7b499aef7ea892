#include "reports/structure/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reports/structure/flow.hpp"
#include "reports/structure/mutants.hpp"

namespace pageproof::structure {
namespace {

constexpr std::size_t kColumns = 104;

std::vector<const Transition*> ways_on(const Graph& graph, std::size_t state) {
  std::vector<const Transition*> arcs;
  for (const Transition& arc : graph.arcs) {
    if (arc.from == state && !arc.failure) arcs.push_back(&arc);
  }
  return arcs;
}

std::string_view kind_of(const Graph& graph, std::size_t state) {
  if (graph.states[state].can_fail) return "check";
  return ways_on(graph, state).size() > 1 ? "choice" : "step";
}

// Under which head the state may share a line with its neighbours; empty where it has something to say.
std::string_view run_of(const Graph& graph, std::size_t state) {
  if (graph.is_sink_by_name(state)) return "";
  const auto arcs = ways_on(graph, state);
  if (arcs.size() != 1 || arcs.front()->to != state + 1) return "";
  if (graph.states[state].scratch) return "scratch";
  return graph.states[state].leaves.empty() ? kind_of(graph, state) : "";
}

// "  checks     a, b, c", broken at kColumns.
void add_wrapped(std::string& text, const std::string& head, const std::vector<std::string>& words) {
  std::string line = fmt::format("  {:<10}", head);
  bool first = true;
  for (const std::string& word : words) {
    if (!first && line.size() + 2 + word.size() > kColumns) {
      text += line + ",\n";
      line = std::string(12, ' ') + word;
      continue;
    }
    line += first ? word : ", " + word;
    first = false;
  }
  text += line + "\n";
}

std::string described(const Graph& graph, std::size_t state) {
  const State& here = graph.states[state];
  std::string text = here.name;
  for (const Transition* arc : ways_on(graph, state)) {
    if (arc->to != state + 1 || !arc->on.empty()) {
      text += fmt::format("   {}-> {}", arc->on.empty() ? "" : arc->on + " ", graph.states[arc->to].name);
    }
  }
  for (const Mark mark : here.leaves) {
    text += fmt::format("   {}: {}", here.scratch ? "scratch" : "leaves", to_string(mark));
  }
  return text;
}

std::vector<std::string> names_of(const Graph& graph, const std::vector<std::size_t>& states) {
  std::vector<std::string> names;
  for (const std::size_t state : states) names.push_back(graph.states[state].name);
  return names;
}

// Those of the dominators of `ready` that can reject or choose.
std::vector<std::string> gates(const Graph& graph) {
  std::vector<std::size_t> path = dominators(graph, graph.ready);
  std::erase_if(path, [&](std::size_t state) {
    return !graph.states[state].can_fail && ways_on(graph, state).size() < 2;
  });
  return names_of(graph, path);
}

std::string_view trap_of(const Leak& leak) {
  const auto found = std::ranges::find(known_leaks(), leak, &KnownLeak::leak);
  return found == known_leaks().end() ? "new" : found->trap;
}

std::string leaks_text(const Graph& graph) {
  const std::vector<Leak> leaks = leaks_of(graph);
  if (leaks.empty()) return "  stays      nothing\n";
  std::string text;
  for (const Leak& leak : leaks) {
    text += fmt::format("  stays      {:<9} {:<3} {}{}\n", leak.step, trap_of(leak), to_string(leak.mark),
                        leak.later_rank_only ? " (where a later rank fails)" : "");
  }
  return text;
}

std::string head_of(const Handshake& h) {
  const auto checks = std::ranges::count_if(h.graph.states, &State::can_fail);
  return fmt::format("{}: {} states, {} arcs, {} checks\n", h.name, h.graph.states.size(),
                     h.graph.arcs.size(), checks);
}

std::string summary_of(const Handshake& h) {
  std::string text;
  add_wrapped(text, "passed", gates(h.graph));
  if (h.order == Order::proposed) {
    const std::vector<std::string> always = gates(h.graph);
    std::vector<std::string> also = gates(where_tags_differ(h.graph));
    std::erase_if(also, [&](const std::string& name) { return std::ranges::count(always, name) != 0; });
    add_wrapped(text, "differing", also);
  }
  return text + leaks_text(h.graph);
}

}  // namespace

std::string to_text(const Handshake& h) {
  std::string text = head_of(h);
  const Graph& graph = h.graph;
  for (std::size_t state = 0; !graph.is_sink_by_name(state);) {
    std::vector<std::string> run;
    const std::string_view head = run_of(graph, state);
    for (; !head.empty() && run_of(graph, state) == head; ++state) run.push_back(graph.states[state].name);
    if (run.empty()) {
      text += fmt::format("  {:<10}{}\n", kind_of(graph, state), described(graph, state));
      ++state;
    } else {
      add_wrapped(text, std::string(head), run);
    }
  }
  return text + summary_of(h);
}

std::string to_text(const std::vector<Handshake>& handshakes) {
  std::string text =
      "passed     what every path to ready passes (dominators)\n"
      "differing  what every path passes besides, where the page-format tags differ\n"
      "scratch    steps on a worker that is thrown away\n"
      "stays      what a step leaves in the decoder although the handshake can fail after it; the trap\n\n";
  for (const Handshake& h : handshakes) text += to_text(h) + "\n";
  if (handshakes.size() > 1) {
    text +=
        "Today no path compares page formats, and once an engine is ready A0 leads past every numbered "
        "check.\n"
        "In the RFC's order the same steps run on a scratch worker before anything is recorded.\n";
  }
  return text;
}

std::string to_dot(const Handshake& h) {
  const Graph& graph = h.graph;
  const std::vector<Leak> leaks = leaks_of(graph);
  std::string text = fmt::format(
      "digraph \"{}\" {{\n  node [fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\"];\n", h.name);
  for (std::size_t i = 0; i < graph.states.size(); ++i) {
    const State& state = graph.states[i];
    const std::string_view kind = kind_of(graph, i);
    const char* shape = graph.is_sink_by_name(i) ? "doublecircle"
                        : kind == "check"        ? "box"
                        : kind == "choice"       ? "diamond"
                                                 : "ellipse";
    std::string label = state.name;
    for (const Mark mark : state.leaves) label += fmt::format("\\n{}", to_string(mark));
    text += fmt::format("  s{} [label=\"{}\", shape={}{}{}];\n", i, label, shape,
                        state.scratch ? ", style=dashed" : "",
                        std::ranges::count(leaks, state.name, &Leak::step) != 0 ? ", color=red" : "");
  }
  for (const Transition& arc : graph.arcs) {
    text += fmt::format("  s{} -> s{}", arc.from, arc.to);
    if (arc.failure) {
      text += " [style=dotted]";
    } else if (!arc.on.empty()) {
      text += fmt::format(" [label=\"{}\"]", arc.on);
    }
    text += ";\n";
  }
  return text + "}\n";
}

nlohmann::ordered_json to_json(const Handshake& h) {
  using nlohmann::ordered_json;
  ordered_json states = ordered_json::array();
  for (std::size_t i = 0; i < h.graph.states.size(); ++i) {
    const State& state = h.graph.states[i];
    ordered_json marks = ordered_json::array();
    for (const Mark mark : state.leaves) marks.push_back(to_string(mark));
    states.push_back({{"name", state.name},
                      {"kind", h.graph.is_sink_by_name(i) ? "end" : kind_of(h.graph, i)},
                      {"scratch", state.scratch},
                      {"leaves", marks}});
  }
  ordered_json arcs = ordered_json::array();
  for (const Transition& arc : h.graph.arcs) {
    arcs.push_back({{"from", h.graph.states[arc.from].name},
                    {"to", h.graph.states[arc.to].name},
                    {"on", arc.on},
                    {"failure", arc.failure}});
  }
  ordered_json stays = ordered_json::array();
  for (const Leak& leak : leaks_of(h.graph)) {
    stays.push_back({{"step", leak.step},
                     {"trap", trap_of(leak)},
                     {"what", to_string(leak.mark)},
                     {"later_rank_only", leak.later_rank_only}});
  }
  return {{"name", h.name},
          {"states", states},
          {"arcs", arcs},
          {"on_every_path_to_ready", names_of(h.graph, dominators(h.graph, h.graph.ready))},
          {"stays_after_failure", stays}};
}

}  // namespace pageproof::structure
