// An error as a value, in one call: how every source of this room refuses.
#pragma once

#include <limits>
#include <string>
#include <utility>

#include "model/page/plain/error.hpp"

namespace pageproof::serving {

inline constexpr double kNever = std::numeric_limits<double>::infinity();  // a time that does not come

inline std::unexpected<Error> refuse(std::string subject, std::string field, std::string value,
                                     std::string problem) {
  return std::unexpected(Error{std::move(subject), std::move(field), std::move(value), std::move(problem)});
}

}  // namespace pageproof::serving
