#include "reports/receive/order.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <optional>
#include <vector>

namespace pageproof::receive_log {
namespace {

using Back = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;  // to what is directly before

// The colours of one chain's search, kept from one search to the next: what is marked has been left.
struct Marks {
  using key_type = std::size_t;
  using value_type = boost::default_color_type;
  using reference = boost::default_color_type;
  using category = boost::read_write_property_map_tag;

  std::vector<std::uint64_t>* reaches;
  std::uint64_t chain;

  friend value_type get(const Marks& marks, key_type node) {
    return ((*marks.reaches)[node] & marks.chain) != 0 ? boost::black_color : boost::white_color;
  }
  friend void put(const Marks& marks, key_type node, value_type colour) {
    if (colour != boost::white_color) (*marks.reaches)[node] |= marks.chain;
  }
};

}  // namespace

struct Order::Graph {
  Back back;
  std::vector<std::uint64_t> reaches;     // a node's chains: bit c, it has a path to the end of chain c
  std::vector<std::optional<Node>> ends;  // of the chains

  Node add() {
    reaches.push_back(0);
    return boost::add_vertex(back);
  }
  // The new end of a chain, behind the old one and what else is named.
  void extend(std::size_t chain, Node node) {
    if (ends[chain]) boost::add_edge(node, *ends[chain], back);
    ends[chain] = node;
    boost::breadth_first_visit(back, node, boost::color_map(Marks{&reaches, std::uint64_t{1} << chain}));
  }
};

Order::Order() : graph_(std::make_unique<Graph>()) {}
Order::~Order() = default;

bool Order::chain_of(const std::string& name, Named& chains, Chain& chain) {
  const auto found = chains.find(name);
  if (found == chains.end() && graph_->ends.size() == kMostChains) return false;
  chain = found == chains.end() ? graph_->ends.size() : found->second;
  if (found != chains.end()) return true;
  chains[name] = chain;
  graph_->ends.emplace_back();
  return true;
}

bool Order::on_thread(const std::string& thread) {
  return chain_of(thread, threads_, thread_);
}

bool Order::knows(const std::string& stream) {
  Chain chain = 0;
  return chain_of(stream, streams_, chain);
}

Order::Node Order::thread() {
  const Node node = graph_->add();
  graph_->extend(thread_, node);
  return node;
}

Order::Node Order::thread_after(Node before) {
  const Node node = graph_->add();
  boost::add_edge(node, before, graph_->back);
  graph_->extend(thread_, node);
  return node;
}

Order::Node Order::kernel(const std::string& stream) {
  const Node enqueued = thread();
  const Node node = graph_->add();
  boost::add_edge(node, enqueued, graph_->back);
  graph_->extend(streams_.at(stream), node);
  return node;
}

Order::Node Order::landing(Node post) {
  const Node node = graph_->add();
  boost::add_edge(node, post, graph_->back);
  return node;
}

void Order::record(const std::string& name, const std::string& stream) {
  events_[name] = kernel(stream);
}

bool Order::wait(const std::string& name, const std::string& stream) {
  const auto event = events_.find(name);
  if (event == events_.end()) return false;
  const Node enqueued = thread();
  const Node node = graph_->add();
  boost::add_edge(node, enqueued, graph_->back);
  boost::add_edge(node, event->second, graph_->back);
  graph_->extend(streams_.at(stream), node);
  return true;
}

bool Order::sync_event(const std::string& name) {
  const auto event = events_.find(name);
  if (event == events_.end()) return false;
  thread_after(event->second);
  return true;
}

bool Order::sync_stream(const std::string& stream) {
  const auto chain = streams_.find(stream);
  if (chain == streams_.end() || !graph_->ends[chain->second]) return false;
  thread_after(*graph_->ends[chain->second]);
  return true;
}

void Order::sync_device() {
  for (const auto& [stream, chain] : streams_) {
    if (graph_->ends[chain]) thread_after(*graph_->ends[chain]);
  }
}

void Order::send(const std::string& name) {
  messages_[name] = thread();
}

bool Order::receive(const std::string& name) {
  const auto message = messages_.find(name);
  if (message == messages_.end()) return false;
  thread_after(message->second);
  return true;
}

bool Order::before(Node node, Chain chain) const {
  return (graph_->reaches[node] >> chain & 1) != 0;
}

}  // namespace pageproof::receive_log
