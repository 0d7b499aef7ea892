#include "tests/reports/fetch/peer.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zmq.h>

#include <cstdlib>
#include <string_view>
#include <utility>

namespace pageproof::fetch {
namespace {

constexpr int kSliceMs = 10;

Parts received(void* socket) {
  Parts parts;
  int more = 1;
  while (more != 0) {
    zmq_msg_t message;
    ::zmq_msg_init(&message);
    if (::zmq_msg_recv(&message, socket, 0) < 0) {
      ::zmq_msg_close(&message);
      return {};
    }
    const auto* bytes = static_cast<const std::byte*>(::zmq_msg_data(&message));
    parts.emplace_back(bytes, bytes + ::zmq_msg_size(&message));
    more = ::zmq_msg_more(&message);
    ::zmq_msg_close(&message);
  }
  return parts;
}

}  // namespace

Peer::Peer(Reply reply, const std::string& bind) : reply_(std::move(reply)) {
  context_ = ::zmq_ctx_new();
  socket_ = ::zmq_socket(context_, ZMQ_ROUTER);
  const int none = 0;
  const int ipv6 = bind.find('[') != std::string::npos ? 1 : 0;
  const int slice = kSliceMs;
  const int send_slice = 2000;
  ::zmq_setsockopt(socket_, ZMQ_LINGER, &none, sizeof none);
  ::zmq_setsockopt(socket_, ZMQ_IPV6, &ipv6, sizeof ipv6);
  ::zmq_setsockopt(socket_, ZMQ_RCVTIMEO, &slice, sizeof slice);
  ::zmq_setsockopt(socket_, ZMQ_SNDTIMEO, &send_slice, sizeof send_slice);
  if (::zmq_bind(socket_, bind.c_str()) != 0) return;
  char endpoint[256] = {};
  std::size_t size = sizeof endpoint;
  ::zmq_getsockopt(socket_, ZMQ_LAST_ENDPOINT, endpoint, &size);
  const std::string_view text(endpoint);
  port_ = static_cast<std::uint16_t>(std::atoi(endpoint + text.rfind(':') + 1));
  thread_ = std::thread([this] { listen(); });
}

Peer::~Peer() {
  ends_ = true;
  if (thread_.joinable()) thread_.join();
  if (socket_ != nullptr) ::zmq_close(socket_);
  ::zmq_ctx_term(context_);
}

void Peer::listen() {
  while (!ends_) {
    // Who asks, an empty frame, the request: REQ's envelope.
    const Parts parts = received(socket_);
    if (parts.size() != 3 || !parts[1].empty()) continue;
    const std::optional<Parts> reply = reply_(parts[2]);
    if (reply) answer(parts[0], *reply);
  }
  ::zmq_close(std::exchange(socket_, nullptr));
}

void Peer::answer(const Bytes& who, const Parts& parts) {
  ::zmq_send(socket_, who.data(), who.size(), ZMQ_SNDMORE);
  ::zmq_send(socket_, "", 0, parts.empty() ? 0 : ZMQ_SNDMORE);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    ::zmq_send(socket_, parts[i].data(), parts[i].size(), i + 1 < parts.size() ? ZMQ_SNDMORE : 0);
  }
}

PlainListener::PlainListener(std::optional<std::string> text) {
  socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address);
  ::listen(socket_, 4);
  socklen_t size = sizeof address;
  ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  if (!text) return;
  thread_ = std::thread([this, said = *text] {
    while (true) {
      const int client = ::accept(socket_, nullptr, nullptr);
      if (client < 0) return;
      static_cast<void>(::send(client, said.data(), said.size(), MSG_NOSIGNAL));
      ::close(client);
    }
  });
}

PlainListener::~PlainListener() {
  ::shutdown(socket_, SHUT_RDWR);
  if (thread_.joinable()) thread_.join();
  ::close(socket_);
}

}  // namespace pageproof::fetch
