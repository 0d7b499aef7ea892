#include "reports/fetch/address.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace pageproof::fetch {
namespace {

constexpr std::size_t kLongestName = 253;
constexpr std::size_t kLongestLabel = 63;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::optional<std::uint16_t> port_of(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (!whole || port == 0 || text.front() == '0') return std::nullopt;
  return port;
}

// Empty where the name can stand; else what is wrong.
std::string wrong_with_name(std::string_view name) {
  if (name.size() > kLongestName) return fmt::format("longer than {} characters", kLongestName);
  while (true) {
    const std::string_view label = name.substr(0, name.find('.'));
    if (label.empty()) return "an empty label";
    if (label.size() > kLongestLabel) return fmt::format("a label longer than {} characters", kLongestLabel);
    if (label.front() == '-' || label.back() == '-') return "a label that begins or ends with \"-\"";
    const auto known = [](char c) { return is_digit(c) || is_letter(c) || c == '-' || c == '_'; };
    if (!std::ranges::all_of(label, known)) {
      return "neither a host name nor an IP address (an IPv6 address stands in brackets)";
    }
    if (label.size() == name.size()) return "";
    name.remove_prefix(label.size() + 1);
  }
}

template <class Binary>
bool is_address(int family, const std::string& text) {
  Binary binary;
  return ::inet_pton(family, text.c_str(), &binary) == 1;
}

}  // namespace

Expected<Address> parse_address(std::string_view text, const std::string& subject) {
  const auto refuse = [&](const char* field, std::string_view value, std::string problem) {
    return std::unexpected(Error{subject, field, std::string(value), std::move(problem)});
  };
  if (text.find('\0') != std::string_view::npos) return refuse("host", "", "holds a zero byte");
  const bool bracketed = text.starts_with('[');
  const std::size_t closing = bracketed ? text.find(']') : std::string_view::npos;
  if (bracketed && closing == std::string_view::npos) return refuse("host", text, "no closing bracket");
  const std::size_t colon = bracketed ? closing + 1 : text.rfind(':');
  if (colon >= text.size() || text[colon] != ':') {
    return refuse("port", text, "none given: HOST:PORT, as in 10.0.0.7:5600 or [::1]:5600");
  }
  const std::optional<std::uint16_t> port = port_of(text.substr(colon + 1));
  if (!port) return refuse("port", text.substr(colon + 1), "not a number from 1 to 65535");

  Address address{.host = std::string(text.substr(0, colon)), .port = *port};
  if (bracketed) {
    address.host = address.host.substr(1, closing - 1);
    address.kind = Address::Kind::ipv6;
    if (is_address<in6_addr>(AF_INET6, address.host)) return address;
    return refuse("host", address.host, "not an IPv6 address");
  }
  if (address.host.empty()) return refuse("host", text, "none given");
  const auto numeric = [](char c) { return is_digit(c) || c == '.'; };
  if (std::ranges::all_of(address.host, numeric)) {
    address.kind = Address::Kind::ipv4;
    if (is_address<in_addr>(AF_INET, address.host)) return address;
    return refuse("host", address.host, "not an IPv4 address");
  }
  const std::string wrong = wrong_with_name(address.host);
  if (!wrong.empty()) return refuse("host", address.host, wrong);
  return address;
}

std::string to_string(const Address& address) {
  return address.kind == Address::Kind::ipv6 ? fmt::format("[{}]:{}", address.host, address.port)
                                             : fmt::format("{}:{}", address.host, address.port);
}

}  // namespace pageproof::fetch
