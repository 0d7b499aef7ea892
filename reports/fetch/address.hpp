// Where an engine listens, as a person types it: HOST:PORT, 10.0.0.7:5600 or [::1]:5600. Nothing else is
// taken, so that a slip is one line that says what slipped, and not a wait of five seconds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/page/plain/error.hpp"

namespace pageproof::fetch {

struct Address {
  std::string host;  // a name, an IPv4 address, or an IPv6 address without its brackets
  std::uint16_t port = 0;
  enum class Kind : std::uint8_t { name, ipv4, ipv6 } kind = Kind::name;

  friend bool operator==(const Address&, const Address&) = default;
};

// Refused, as field "host" or "port": a scheme, an IPv6 address without brackets or with a zone, a dotted
// number that is no IPv4 address, a label of a name that is empty, above 63 characters, begins or ends with
// "-" or has other characters than letters, digits, "-" and "_"; a name above 253 characters; a port that is
// not a decimal number from 1 to 65535 without leading zeros.
Expected<Address> parse_address(std::string_view text, const std::string& subject);

std::string to_string(const Address& address);  // as it was typed

}  // namespace pageproof::fetch
