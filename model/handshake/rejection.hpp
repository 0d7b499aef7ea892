// Why a handshake ended: where, with which Python exception, the two values that disagreed and what to
// change. Asserts vanish under `python -O`, so the class matters (trap T27).
#pragma once

#include <cstdint>
#include <string>

namespace pageproof::handshake {

enum class Exception : std::uint8_t { assertion_error, runtime_error, not_implemented_error, value_error };

struct Rejection {
  std::string at = "";      // "hash", "A3", "check 10"
  std::uint32_t check = 0;  // 1 to 19 for a numbered check of §2.2; 0: none
  Exception exception = Exception::assertion_error;
  std::string message = "";  // what the exception says, as far as it is fixed
  std::string local = "";    // the two values
  std::string remote = "";
  std::string change = "";  // what to change

  friend bool operator==(const Rejection&, const Rejection&) = default;
};

std::string to_string(Exception exception);  // "AssertionError"
// "check 10: RuntimeError: Heterogeneous TP expects ...: local LHBNC, remote LBHNC; <what to change>"
std::string to_string(const Rejection& rejection);

}  // namespace pageproof::handshake
