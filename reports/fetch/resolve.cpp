#include "reports/fetch/resolve.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>

#include <memory>

namespace pageproof::fetch {
namespace {

// What the resolver's thread reads and writes; it outlives us where the time ends first.
struct Lookup {
  std::string host;
  addrinfo hints = {};
  gaicb request = {};
};

std::string numeric_of(const addrinfo& found) {
  char text[NI_MAXHOST] = {};
  const int failed =
      ::getnameinfo(found.ai_addr, found.ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  return failed == 0 ? text : "";
}

}  // namespace

Expected<Resolved> resolve(const Address& address, std::chrono::milliseconds timeout) {
  const auto refuse = [&](std::string problem) {
    return std::unexpected(Error{to_string(address), "host", address.host, std::move(problem)});
  };
  if (address.kind == Address::Kind::ipv4) return Resolved{address.host, false};
  if (address.kind == Address::Kind::ipv6) return Resolved{address.host, true};

  auto lookup = std::make_unique<Lookup>();
  lookup->host = address.host;
  lookup->hints.ai_family = AF_UNSPEC;
  lookup->hints.ai_socktype = SOCK_STREAM;
  lookup->request.ar_name = lookup->host.c_str();
  lookup->request.ar_request = &lookup->hints;
  gaicb* list[] = {&lookup->request};
  if (const int failed = ::getaddrinfo_a(GAI_NOWAIT, list, 1, nullptr); failed != 0) {
    return refuse(fmt::format("cannot be looked up: {}", ::gai_strerror(failed)));
  }
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (::gai_error(&lookup->request) == EAI_INPROGRESS) {
    const auto left =
        std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - std::chrono::steady_clock::now())
            .count();
    if (left <= 0) {
      if (::gai_cancel(&lookup->request) == EAI_NOTCANCELED) lookup.release();
      return refuse("not looked up in time");
    }
    const timespec wait{.tv_sec = left / 1'000'000'000, .tv_nsec = left % 1'000'000'000};
    const gaicb* const waiting[] = {&lookup->request};
    ::gai_suspend(waiting, 1, &wait);
  }
  if (const int failed = ::gai_error(&lookup->request); failed != 0) {
    return refuse(fmt::format("does not resolve: {}", ::gai_strerror(failed)));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> results(lookup->request.ar_result,
                                                                     &::freeaddrinfo);
  for (const int family : {AF_INET, AF_INET6}) {
    for (const addrinfo* found = results.get(); found != nullptr; found = found->ai_next) {
      if (found->ai_family != family) continue;
      std::string numeric = numeric_of(*found);
      if (!numeric.empty()) return Resolved{std::move(numeric), family == AF_INET6};
    }
  }
  return refuse("has no IP address");
}

}  // namespace pageproof::fetch
