// Asks a running prefill engine for its handshake payload, as a decoder does: a ZeroMQ REQ socket, one
// message of MessagePack [bin "get_meta_msg", pp_rank, tp_rank], and two parts in reply: the payload, and the
// engine's performance counter. Source: connector spec §1.5. ZeroMQ's headers stay in this room.
//
// Whatever answers, and however long it takes: an Answer or one Error, within the time given. Nothing that
// came is decoded here but the counter.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/page/plain/error.hpp"
#include "reports/fetch/address.hpp"

namespace pageproof::fetch {

inline constexpr std::size_t kLargestPart = std::size_t{64} << 20;  // bytes; ZMQ_MAXMSGSIZE
inline constexpr std::size_t kMostHeld = std::size_t{256} << 20;    // bytes that all parts may take
inline constexpr std::chrono::seconds kDecoderWaits = std::chrono::seconds(5);

struct Question {
  Address address;
  std::uint64_t pp_rank = 0;
  std::uint64_t tp_rank = 0;
  std::chrono::milliseconds timeout = kDecoderWaits;  // for all of it: the name, the connection, the reply
};

struct Answer {
  std::vector<std::byte> payload;  // MessagePack of NixlHandshakePayload, or so it should be
  double remote_clock = 0;         // seconds, of the engine's time.perf_counter()
  double round_trip = 0;           // seconds
};

// Refused: a name that does not resolve; no connection, no ZeroMQ at the other end, no reply in time; a
// connection closed without one; other than two parts; parts beyond the limits; a counter that is no number.
Expected<Answer> ask(const Question& question);

// The request on the wire.
std::vector<std::byte> request_of(std::uint64_t pp_rank, std::uint64_t tp_rank);

}  // namespace pageproof::fetch
