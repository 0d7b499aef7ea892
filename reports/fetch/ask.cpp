#include "reports/fetch/ask.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <zmq.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "model/handshake/wire.hpp"
#include "reports/fetch/resolve.hpp"

namespace pageproof::fetch {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kMonitor = "inproc://connection";
constexpr std::size_t kExpectedParts = 2;
constexpr long kSliceMs = 20;  // between looks at how much memory the parts take

struct CloseContext {
  void operator()(void* context) const { ::zmq_ctx_term(context); }
};
struct CloseSocket {
  void operator()(void* socket) const { ::zmq_close(socket); }
};
using Context = std::unique_ptr<void, CloseContext>;
using Socket = std::unique_ptr<void, CloseSocket>;  // declared behind its context, so closed before it

Socket socket_of(const Context& context, int type) {
  Socket socket(::zmq_socket(context.get(), type));
  const int none = 0;
  if (socket) ::zmq_setsockopt(socket.get(), ZMQ_LINGER, &none, sizeof none);
  return socket;
}

// Bytes of memory that this process holds.
std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  std::size_t resident = 0;
  file >> pages >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// How far the connection got, as its monitor tells.
enum class Stage : std::uint8_t { unconnected, connected, speaks_zeromq, not_zeromq, closed };

// One event of the monitor: two frames, the first begins with the event's number.
Stage after_event(void* monitor, Stage stage) {
  std::array<std::byte, 16> frame{};
  std::uint16_t event = 0;
  if (::zmq_recv(monitor, frame.data(), frame.size(), ZMQ_DONTWAIT) >= 2) {
    std::memcpy(&event, frame.data(), sizeof event);
  }
  ::zmq_recv(monitor, frame.data(), frame.size(), ZMQ_DONTWAIT);
  switch (event) {
    case ZMQ_EVENT_CONNECTED:
      return stage == Stage::unconnected ? Stage::connected : stage;
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
      return Stage::speaks_zeromq;
    case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
    case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
    case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
      return Stage::not_zeromq;
    case ZMQ_EVENT_DISCONNECTED:
      return stage == Stage::speaks_zeromq ? Stage::closed : Stage::not_zeromq;
    default:
      return stage;
  }
}

std::string why_no_reply(Stage stage, std::chrono::milliseconds timeout, std::uint64_t tp_rank) {
  const std::string in_time = fmt::format("within {:g} s", static_cast<double>(timeout.count()) / 1000);
  switch (stage) {
    case Stage::unconnected:
      return "no connection " + in_time;
    case Stage::connected:
      return "something accepts the connection, but does not speak ZeroMQ " + in_time;
    case Stage::not_zeromq:
      return "what listens there does not speak ZeroMQ";
    case Stage::closed:
      return fmt::format("closed the connection without a reply, or sent a part above {} MiB",
                         kLargestPart >> 20);
    case Stage::speaks_zeromq:
      break;
  }
  return fmt::format(
      "connected, but no reply {}: an engine without TP rank {} ends its listener over the question", in_time,
      tp_rank);
}

// All parts of the message that has arrived. Empty: there is none.
std::vector<std::vector<std::byte>> received_parts(void* socket) {
  std::vector<std::vector<std::byte>> parts;
  int more = 1;
  while (more != 0 && parts.size() <= kExpectedParts) {
    zmq_msg_t message;
    ::zmq_msg_init(&message);
    if (::zmq_msg_recv(&message, socket, ZMQ_DONTWAIT) < 0) {
      ::zmq_msg_close(&message);
      break;
    }
    const auto* bytes = static_cast<const std::byte*>(::zmq_msg_data(&message));
    parts.emplace_back(bytes, bytes + ::zmq_msg_size(&message));
    more = ::zmq_msg_more(&message);
    ::zmq_msg_close(&message);
  }
  return parts;
}

// What a decoder would compute with: any finite number.
std::optional<double> clock_of(std::span<const std::byte> part) {
  const Expected<nlohmann::json> value = handshake::parse_msgpack(part, "");
  if (!value || !value->is_number()) return std::nullopt;
  const double seconds = value->get<double>();
  return std::isfinite(seconds) ? std::optional(seconds) : std::nullopt;
}

void append_whole(std::uint64_t value, std::vector<std::byte>& out) {
  const auto big_endian = [&](int marker, int bytes) {
    out.push_back(static_cast<std::byte>(marker));
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
      out.push_back(static_cast<std::byte>(value >> shift));
  };
  if (value < 0x80) {
    out.push_back(static_cast<std::byte>(value));
  } else if (value <= 0xff) {
    big_endian(0xcc, 1);
  } else if (value <= 0xffff) {
    big_endian(0xcd, 2);
  } else if (value <= 0xffffffff) {
    big_endian(0xce, 4);
  } else {
    big_endian(0xcf, 8);
  }
}

}  // namespace

std::vector<std::byte> request_of(std::uint64_t pp_rank, std::uint64_t tp_rank) {
  constexpr std::string_view tag = "get_meta_msg";
  std::vector<std::byte> out = {std::byte{0x93}, std::byte{0xc4}, static_cast<std::byte>(tag.size())};
  for (const char c : tag) out.push_back(static_cast<std::byte>(c));
  append_whole(pp_rank, out);
  append_whole(tp_rank, out);
  return out;
}

Expected<Answer> ask(const Question& question) {
  const auto refuse = [&](const char* field, std::string value, std::string problem) {
    return std::unexpected(Error{to_string(question.address), field, std::move(value), std::move(problem)});
  };
  const auto broken = [&](const char* what) { return refuse(what, "", ::zmq_strerror(::zmq_errno())); };

  const Clock::time_point deadline = Clock::now() + question.timeout;
  const Expected<Resolved> resolved = resolve(question.address, question.timeout);
  if (!resolved) return std::unexpected(resolved.error());

  const Context context(::zmq_ctx_new());
  if (!context) return broken("ZeroMQ");
  const Socket socket = socket_of(context, ZMQ_REQ);
  const Socket monitor = socket_of(context, ZMQ_PAIR);
  if (!socket || !monitor) return broken("ZeroMQ");
  const auto largest = static_cast<std::int64_t>(kLargestPart);
  const int ipv6 = resolved->ipv6 ? 1 : 0;
  ::zmq_setsockopt(socket.get(), ZMQ_MAXMSGSIZE, &largest, sizeof largest);
  ::zmq_setsockopt(socket.get(), ZMQ_IPV6, &ipv6, sizeof ipv6);
  if (::zmq_socket_monitor(socket.get(), kMonitor, ZMQ_EVENT_ALL) != 0 ||
      ::zmq_connect(monitor.get(), kMonitor) != 0) {
    return broken("ZeroMQ");
  }
  const std::string host = resolved->ipv6 ? fmt::format("[{}]", resolved->numeric) : resolved->numeric;
  const std::string endpoint = fmt::format("tcp://{}:{}", host, question.address.port);
  if (::zmq_connect(socket.get(), endpoint.c_str()) != 0) return broken("host");

  const std::size_t held_before = resident_bytes();
  const std::vector<std::byte> request = request_of(question.pp_rank, question.tp_rank);
  const Clock::time_point sent = Clock::now();
  if (::zmq_send(socket.get(), request.data(), request.size(), ZMQ_DONTWAIT) < 0) return broken("request");

  Stage stage = Stage::unconnected;
  std::vector<std::vector<std::byte>> parts;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    std::array<zmq_pollitem_t, 2> items = {
        {{socket.get(), 0, ZMQ_POLLIN, 0}, {monitor.get(), 0, ZMQ_POLLIN, 0}}};
    ::zmq_poll(items.data(), static_cast<int>(items.size()), std::clamp<long>(left, 0, kSliceMs));
    if ((items[0].revents & ZMQ_POLLIN) != 0) parts = received_parts(socket.get());
    if (!parts.empty()) break;
    if ((items[1].revents & ZMQ_POLLIN) != 0) stage = after_event(monitor.get(), stage);
    if (resident_bytes() > held_before + kMostHeld) {
      return refuse("reply", "", fmt::format("its parts take more than {} MiB", kMostHeld >> 20));
    }
    if (left <= 0 || stage == Stage::not_zeromq || stage == Stage::closed) {
      // A reply stands in the queue before the news that its sender has gone.
      parts = received_parts(socket.get());
      if (!parts.empty()) break;
      return refuse("", "", why_no_reply(stage, question.timeout, question.tp_rank));
    }
  }

  const std::chrono::duration<double> round_trip = Clock::now() - sent;
  if (parts.size() != kExpectedParts) {
    return refuse("reply", fmt::format("{}{}", parts.size(), parts.size() > kExpectedParts ? " or more" : ""),
                  "not the two parts that a connector sends: the payload and its clock");
  }
  const std::optional<double> clock = clock_of(parts[1]);
  if (!clock) {
    return refuse("clock", fmt::format("{} B", parts[1].size()), "the second part is no MessagePack number");
  }
  return Answer{.payload = std::move(parts[0]), .remote_clock = *clock, .round_trip = round_trip.count()};
}

}  // namespace pageproof::fetch
