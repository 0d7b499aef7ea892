// What is ordered before what, as a graph: the worker's thread from line to line, each stream from kernel to
// kernel, each READ from its post to the moment it is seen DONE, an event from its record to whoever waits. A
// kernel that uses bytes without a path from what wrote them is a race, whatever the clock says.
//
// Boost.Graph's headers stay in this room.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pageproof::receive_log {

class Order {
 public:
  using Node = std::size_t;

  Node thread();                           // what this thread does now, behind what it did before
  Node kernel(const std::string& stream);  // enqueued now: behind the thread and the stream
  Node landing(Node post);                 // a READ on its way, behind its post
  void edge(Node before, Node after);
  void record(const std::string& name, const std::string& stream);
  bool wait(const std::string& name, const std::string& stream);  // false: nothing was recorded
  bool sync_event(const std::string& name);
  bool sync_stream(const std::string& stream);

  // Which of `before` have no path to `after`.
  std::vector<Node> without_path(const std::vector<Node>& before, Node after) const;

 private:
  Node add();

  std::vector<std::vector<Node>> into_;  // for each node, what is directly before it
  std::map<std::string, Node, std::less<>> last_on_stream_;
  std::map<std::string, Node, std::less<>> events_;
  Node last_of_thread_ = 0;
  bool started_ = false;
};

}  // namespace pageproof::receive_log
