#include "model/handshake/rejection.hpp"

#include <fmt/format.h>

#include <array>

#include "model/page/plain/error.hpp"

namespace pageproof::handshake {

std::string to_string(Exception exception) {
  constexpr std::array names = {"AssertionError", "RuntimeError", "NotImplementedError", "ValueError"};
  return names[static_cast<std::size_t>(exception)];
}

std::string to_string(const Rejection& r) {
  std::string line = fmt::format("{}: {}: {}", r.at, to_string(r.exception), r.message);
  if (!r.local.empty() || !r.remote.empty()) {
    line += fmt::format(": local {}, remote {}", printable(r.local), printable(r.remote));
  }
  if (!r.change.empty()) line += "; " + r.change;
  return line;
}

}  // namespace pageproof::handshake
