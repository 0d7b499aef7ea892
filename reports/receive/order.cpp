#include "reports/receive/order.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>

namespace pageproof::receive_log {

Order::Node Order::add() {
  into_.emplace_back();
  return into_.size() - 1;
}

void Order::edge(Node before, Node after) {
  into_[after].push_back(before);
}

Order::Node Order::thread() {
  const Node node = add();
  if (started_) edge(last_of_thread_, node);
  started_ = true;
  last_of_thread_ = node;
  return node;
}

Order::Node Order::kernel(const std::string& stream) {
  const Node enqueued = thread();
  const Node node = add();
  edge(enqueued, node);
  if (const auto last = last_on_stream_.find(stream); last != last_on_stream_.end()) edge(last->second, node);
  last_on_stream_[stream] = node;
  return node;
}

Order::Node Order::landing(Node post) {
  const Node node = add();
  edge(post, node);
  return node;
}

void Order::record(const std::string& name, const std::string& stream) {
  events_[name] = kernel(stream);
}

bool Order::wait(const std::string& name, const std::string& stream) {
  const auto event = events_.find(name);
  if (event == events_.end()) return false;
  edge(event->second, kernel(stream));
  return true;
}

bool Order::sync_event(const std::string& name) {
  const auto event = events_.find(name);
  if (event == events_.end()) return false;
  edge(event->second, thread());
  return true;
}

bool Order::sync_stream(const std::string& stream) {
  const Node node = thread();
  const auto last = last_on_stream_.find(stream);
  if (last == last_on_stream_.end()) return false;
  edge(last->second, node);
  return true;
}

std::vector<Order::Node> Order::without_path(const std::vector<Node>& before, Node after) const {
  if (before.empty()) return {};
  // Every edge leads to a later node, so nothing before the earliest asked for matters: the graph is cut
  // there, and turned round.
  const Node first = *std::ranges::min_element(before);
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
  Graph graph(after - first + 1);
  for (Node node = first; node <= after; ++node) {
    for (const Node from : into_[node]) {
      if (from >= first) boost::add_edge(node - first, from - first, graph);
    }
  }
  std::vector<boost::default_color_type> colours(boost::num_vertices(graph), boost::white_color);
  boost::breadth_first_visit(graph, after - first,
                             boost::color_map(boost::make_iterator_property_map(
                                 colours.begin(), boost::get(boost::vertex_index, graph))));
  std::vector<Node> missing;
  for (const Node node : before) {
    if (node > after || colours[node - first] != boost::black_color) missing.push_back(node);
  }
  return missing;
}

}  // namespace pageproof::receive_log
