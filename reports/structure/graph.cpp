#include "reports/structure/graph.hpp"

#include <algorithm>

namespace pageproof::structure {
namespace {

using handshake::StepOutline;

// Appends the outline's states and arcs; its end is the state `end`. Answers with its first state.
struct Expander {
  Graph& graph;

  // States first, so that arcs can name them: the places of the outline's own steps, inner ones behind each.
  struct Placed {
    std::vector<std::size_t> steps;
    std::vector<Placed> inner;  // one a step; empty where it has none
  };

  Placed place(const Outline& outline, const std::string& prefix, bool scratch) {
    Placed placed;
    for (const StepOutline& step : outline.steps) {
      placed.steps.push_back(graph.states.size());
      // A step that runs a machine fails where that machine fails, not by itself.
      graph.states.push_back(
          {prefix + step.name, step.can_fail && step.inner == nullptr, step.leaves, scratch});
      Placed& inner = placed.inner.emplace_back();
      if (step.inner != nullptr) inner = place(*step.inner, prefix + step.prefix, scratch || step.scratch);
    }
    return placed;
  }

  void connect(const Outline& outline, const Placed& placed, std::size_t end) {
    const auto place_of = [&](const std::string& name) {
      const auto found = std::ranges::find(outline.steps, name, &StepOutline::name);
      return found == outline.steps.end()
                 ? end
                 : placed.steps[static_cast<std::size_t>(found - outline.steps.begin())];
    };
    for (std::size_t i = 0; i < outline.steps.size(); ++i) {
      const StepOutline& step = outline.steps[i];
      if (step.inner != nullptr) {
        graph.arcs.push_back({placed.steps[i], placed.inner[i].steps.front(), ""});
        connect(*step.inner, placed.inner[i], place_of(step.arcs.front().to));
        continue;
      }
      for (const handshake::Arc& arc : step.arcs) {
        graph.arcs.push_back({placed.steps[i], place_of(arc.to), arc.on});
      }
      if (step.can_fail) graph.arcs.push_back({placed.steps[i], graph.rejected, "fails", true});
    }
  }
};

}  // namespace

std::optional<std::size_t> Graph::find(std::string_view name) const {
  const auto found = std::ranges::find(states, name, &State::name);
  if (found == states.end()) return std::nullopt;
  return static_cast<std::size_t>(found - states.begin());
}

std::optional<std::size_t> Graph::next_of(std::size_t state) const {
  for (const Transition& arc : arcs) {
    if (arc.from == state && !arc.failure) return arc.to;
  }
  return std::nullopt;
}

Graph graph_of(const Outline& outline) {
  Graph graph;
  Expander expander{graph};
  const Expander::Placed placed = expander.place(outline, "", false);
  graph.ready = graph.states.size();
  graph.states.push_back({handshake::kReady});
  graph.rejected = graph.states.size();
  graph.states.push_back({handshake::kRejected});
  expander.connect(outline, placed, graph.ready);
  return graph;
}

}  // namespace pageproof::structure
