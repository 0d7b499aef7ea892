// A prefill's handshake listener on loopback, as the connector has it: a ROUTER socket in a thread that
// answers requests. What it answers is the test's to say.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace pageproof::fetch {

using Bytes = std::vector<std::byte>;
using Parts = std::vector<Bytes>;

class Peer {
 public:
  // Answers each request with the parts; nothing: no answer.
  using Reply = std::function<std::optional<Parts>(const Bytes& request)>;
  explicit Peer(Reply reply, const std::string& bind = "tcp://127.0.0.1:*");
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer();

  bool listens() const { return port_ != 0; }
  std::uint16_t port() const { return port_; }
  std::string at(const std::string& host = "127.0.0.1") const { return host + ":" + std::to_string(port_); }
  // From within a reply: the listener ends, and its connections with it.
  void hang_up() { ends_ = true; }

 private:
  void listen();
  void answer(const Bytes& who, const Parts& parts);

  Reply reply_;
  void* context_ = nullptr;
  void* socket_ = nullptr;
  std::uint16_t port_ = 0;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

// Something that listens and is no ZeroMQ peer: sends the text to whoever connects and closes; without a text
// it never accepts.
class PlainListener {
 public:
  explicit PlainListener(std::optional<std::string> text);
  PlainListener(const PlainListener&) = delete;
  PlainListener& operator=(const PlainListener&) = delete;
  ~PlainListener();
  std::string at() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  int socket_ = -1;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace pageproof::fetch
