#include "model/page/plain/failure.hpp"

#include <fmt/format.h>

namespace pageproof {

std::string to_string(const Failure& failure) {
  std::string text = fmt::format("REFUTED   {}\nClaim     {}\nExample   {}\nExpected  {:<20} Got  {}\n",
                                 failure.name, failure.claim, failure.example, failure.expected, failure.got);
  if (!failure.replay.empty()) text += fmt::format("Replay    {}\n", failure.replay);
  return text;
}

}  // namespace pageproof
