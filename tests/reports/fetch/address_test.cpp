// HOST:PORT as a person types it.
#include "reports/fetch/address.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace pageproof::fetch {
namespace {

using Kind = Address::Kind;

TEST(Address, Good) {
  const std::vector<std::pair<std::string, Address>> good = {
      {"127.0.0.1:5600", {"127.0.0.1", 5600, Kind::ipv4}},
      {"[::1]:5600", {"::1", 5600, Kind::ipv6}},
      {"[fe80::1:2]:1", {"fe80::1:2", 1, Kind::ipv6}},
      {"localhost:65535", {"localhost", 65535, Kind::name}},
      {"prefill-0.pods_x.cluster:5600", {"prefill-0.pods_x.cluster", 5600, Kind::name}},
      {"3com:80", {"3com", 80, Kind::name}},
      {std::string(63, 'a') + ":1", {std::string(63, 'a'), 1, Kind::name}},
  };
  for (const auto& [text, address] : good) {
    const Expected<Address> parsed = parse_address(text, "t");
    ASSERT_TRUE(parsed.has_value()) << to_string(parsed.error());
    EXPECT_EQ(*parsed, address) << text;
    EXPECT_EQ(to_string(*parsed), text);
  }
}

struct Bad {
  std::string text;
  const char* field;
  const char* problem;
};

TEST(Address, Bad) {
  const std::vector<Bad> bad = {
      {"", "port", "none given"},
      {":", "port", "not a number"},
      {":5600", "host", "none given"},
      {"host", "port", "none given"},
      {"host:", "port", "not a number"},
      {"host:0", "port", "not a number"},
      {"host:00", "port", "not a number"},
      {"host:080", "port", "not a number"},
      {"host:65536", "port", "not a number"},
      {"host:18446744073709551616", "port", "not a number"},
      {"host:-1", "port", "not a number"},
      {"host:+1", "port", "not a number"},
      {"host: 1", "port", "not a number"},
      {"host:1 ", "port", "not a number"},
      {"host:0x10", "port", "not a number"},
      {"host:http", "port", "not a number"},
      {"tcp://host:5600", "host", "neither a host name"},
      {"user@host:5600", "host", "neither a host name"},
      {"host/path:5600", "host", "neither a host name"},
      {"ho st:5600", "host", "neither a host name"},
      {"ho\nst:5600", "host", "neither a host name"},
      {"h\xc3\xb6st:5600", "host", "neither a host name"},
      {"*:5600", "host", "neither a host name"},
      {"::1:5600", "host", "in brackets"},
      {"[::1]", "port", "none given"},
      {"[::1]5600", "port", "none given"},
      {"[::1:5600", "host", "no closing bracket"},
      {"[]:5600", "host", "not an IPv6 address"},
      {"[::1%eth0]:5600", "host", "not an IPv6 address"},
      {"[127.0.0.1]:5600", "host", "not an IPv6 address"},
      {"[host]:5600", "host", "not an IPv6 address"},
      {"1.2.3:5600", "host", "not an IPv4 address"},
      {"1.2.3.256:5600", "host", "not an IPv4 address"},
      {"1.2.3.4.5:5600", "host", "not an IPv4 address"},
      {"12:5600", "host", "not an IPv4 address"},
      {".:5600", "host", "not an IPv4 address"},
      {"a..b:5600", "host", "an empty label"},
      {"host.:5600", "host", "an empty label"},
      {".host:5600", "host", "an empty label"},
      {"-host:5600", "host", "begins or ends with"},
      {"host-:5600", "host", "begins or ends with"},
      {std::string(64, 'a') + ":1", "host", "longer than 63"},
      {std::string(300, 'a') + ":1", "host", "longer than 253"},
      {std::string("a\0b:1", 5), "host", "zero byte"},
  };
  for (const Bad& one : bad) {
    const Expected<Address> parsed = parse_address(one.text, "t");
    ASSERT_FALSE(parsed.has_value()) << one.text;
    EXPECT_EQ(parsed.error().field, one.field) << one.text;
    EXPECT_NE(parsed.error().problem.find(one.problem), std::string::npos) << to_string(parsed.error());
  }
}

}  // namespace
}  // namespace pageproof::fetch
