// What is ordered before what, as a graph: the worker's thread from line to line, each stream from kernel to
// kernel, each READ from its post to the moment it is seen DONE, an event from its record to whoever waits. A
// kernel that uses bytes without a path from what wrote them is a race, whatever the clock says.
//
// Thread and streams are chains; a node knows which chains' ends it has a path to. A new end marks what is
// newly behind it and nothing twice, so a log of n lines costs n steps a chain.
// Boost.Graph's headers stay in this room.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace pageproof::receive_log {

inline constexpr std::size_t kMostStreams = 63;

class Order {
 public:
  using Node = std::size_t;

  Order();
  ~Order();
  Order(const Order&) = delete;
  Order& operator=(const Order&) = delete;

  bool knows(const std::string& stream);   // false: more than kMostStreams; else streams may be used below
  Node thread();                           // what this thread does now, behind what it did before
  Node kernel(const std::string& stream);  // enqueued now: behind the thread and the stream
  Node landing(Node post);                 // a READ on its way, behind its post
  Node thread_after(Node node);            // what this thread does now, behind `node` as well
  void record(const std::string& name, const std::string& stream);
  bool wait(const std::string& name, const std::string& stream);  // false: nothing was recorded
  bool sync_event(const std::string& name);
  bool sync_stream(const std::string& stream);

  bool before_thread(Node node) const;  // is there a path to what the thread did last?
  bool before_stream(Node node, const std::string& stream) const;  // and to the stream's last kernel?

 private:
  struct Graph;
  std::unique_ptr<Graph> graph_;
  std::map<std::string, std::size_t, std::less<>> chains_;  // of streams; 0 is the thread
  std::map<std::string, Node, std::less<>> events_;
};

}  // namespace pageproof::receive_log
