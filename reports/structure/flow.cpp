#include "reports/structure/flow.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <boost/graph/reverse_graph.hpp>
#include <boost/property_map/property_map.hpp>

namespace pageproof::structure {
namespace {

using Boost = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
using BoostVertex = boost::graph_traits<Boost>::vertex_descriptor;

Boost boost_of(const Graph& graph) {
  Boost out(graph.states.size());
  for (const Transition& arc : graph.arcs) boost::add_edge(arc.from, arc.to, out);
  return out;
}

template <class AnyGraph>
void mark_reached(const AnyGraph& graph, std::size_t from, std::vector<bool>& reached) {
  std::vector<boost::default_color_type> colours(boost::num_vertices(graph), boost::white_color);
  const auto map = boost::make_iterator_property_map(colours.begin(), boost::get(boost::vertex_index, graph));
  boost::queue<BoostVertex> queue;
  boost::breadth_first_visit(graph, from, queue, boost::default_bfs_visitor(), map);
  for (std::size_t i = 0; i < colours.size(); ++i) {
    if (colours[i] != boost::white_color) reached[i] = true;
  }
}

}  // namespace

std::vector<bool> reached_from(const Graph& graph, std::size_t from) {
  std::vector<bool> reached(graph.states.size(), false);
  mark_reached(boost_of(graph), from, reached);
  return reached;
}

std::vector<bool> reaches_an_end(const Graph& graph) {
  const Boost forward = boost_of(graph);
  std::vector<bool> reaches(graph.states.size(), false);
  for (const std::size_t end : {graph.ready, graph.rejected}) {
    mark_reached(boost::make_reverse_graph(forward), end, reaches);
  }
  return reaches;
}

std::vector<std::size_t> dominators(const Graph& graph, std::size_t state) {
  // Without the arcs of states that are not reached: the algorithm takes them for ways from nowhere.
  const std::vector<bool> reached = reached_from(graph, Graph::kStart);
  Graph alive = graph;
  std::erase_if(alive.arcs, [&](const Transition& arc) { return !reached[arc.from]; });
  const Boost boost_graph = boost_of(alive);
  const BoostVertex none = boost::graph_traits<Boost>::null_vertex();
  std::vector<BoostVertex> above(graph.states.size(), none);  // the immediate dominators
  const auto map =
      boost::make_iterator_property_map(above.begin(), boost::get(boost::vertex_index, boost_graph));
  boost::lengauer_tarjan_dominator_tree(boost_graph, BoostVertex{Graph::kStart}, map);
  std::vector<std::size_t> path;
  if (state != Graph::kStart && above[state] == none) return path;
  for (BoostVertex at = state; at != none; at = above[at]) path.push_back(at);
  std::ranges::reverse(path);
  return path;
}

}  // namespace pageproof::structure
