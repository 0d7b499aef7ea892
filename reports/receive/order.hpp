// What is ordered before what, as a graph: each thread of the host from line to line, each stream from kernel
// to kernel, a READ from its post to the moment it is seen DONE, an event from its record to whoever waits, a
// message from its sending to its receipt. A kernel that uses bytes without a path from what wrote them is a
// race, whatever the clock says.
//
// Threads and streams are chains; a node knows which chains' ends it has a path to. A new end marks what is
// newly behind it and nothing twice, so a log of n lines costs n steps a chain.
// Boost.Graph's headers stay in this room.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace pageproof::receive_log {

inline constexpr std::size_t kMostChains = 64;  // threads and streams together

class Order {
 public:
  using Node = std::size_t;
  using Chain = std::size_t;

  Order();
  ~Order();
  Order(const Order&) = delete;
  Order& operator=(const Order&) = delete;

  // The thread that does what follows. False: more than kMostChains.
  bool on_thread(const std::string& thread);
  bool knows(const std::string& stream);          // false likewise; else the stream may be used below
  Chain thread_chain() const { return thread_; }  // of the thread that acts now
  Chain stream_chain(const std::string& stream) const { return streams_.at(stream); }

  Node thread();                           // what this thread does now, behind what it did before
  Node kernel(const std::string& stream);  // enqueued now: behind the thread and the stream
  Node landing(Node post);                 // a READ on its way, behind its post
  Node thread_after(Node node);            // what this thread does now, behind `node` as well
  void record(const std::string& name, const std::string& stream);
  bool wait(const std::string& name, const std::string& stream);  // false: nothing was recorded
  bool sync_event(const std::string& name);                       // false likewise
  bool sync_stream(const std::string& stream);                    // false: nothing was enqueued on it
  void sync_device();                                             // every stream
  void send(const std::string& name);
  bool receive(const std::string& name);  // false: nothing was sent

  bool before(Node node, Chain chain) const;  // is there a path to what the chain did last?

 private:
  using Named = std::map<std::string, std::size_t, std::less<>>;
  struct Graph;

  bool chain_of(const std::string& name, Named& chains, Chain& chain);

  std::unique_ptr<Graph> graph_;
  Named threads_;
  Named streams_;
  Named events_;    // nodes
  Named messages_;  // nodes
  Chain thread_ = 0;
};

}  // namespace pageproof::receive_log
