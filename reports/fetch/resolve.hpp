// The numeric address of a host, within a given time. Inner part of this room.
#pragma once

#include <chrono>
#include <string>

#include "model/page/plain/error.hpp"
#include "reports/fetch/address.hpp"

namespace pageproof::fetch {

// "127.0.0.1" or "::1". A name's first IPv4 address stands before its IPv6 ones: engines bind names so.
struct Resolved {
  std::string numeric;
  bool ipv6 = false;
};
Expected<Resolved> resolve(const Address& address, std::chrono::milliseconds timeout);

}  // namespace pageproof::fetch
