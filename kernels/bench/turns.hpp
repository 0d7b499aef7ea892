// Things to be timed against each other in one run. Their repetitions take turns in random order, so that a
// slow minute hits all alike, and the median of each counts.
//
//   Turns turns;
//   turns.add("copy", 9, 1, [&] { return copy(); });
//   std::map<std::string, double> seconds = turns.run();
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace pageproof::bench {

class Turns {
 public:
  Turns();  // @pre no other Turns is there
  ~Turns();
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  // Timed here: `iterations` calls in a row are one repetition. False: it could not be done, and it has no
  // time.
  void add(const std::string& name, std::uint32_t repetitions, std::uint32_t iterations,
           std::function<bool()> work);
  // Timed by itself: the seconds of one repetition.
  void add_timed(const std::string& name, std::uint32_t repetitions,
                 std::function<std::optional<double>()> work);

  // Median seconds of one call, by name; what could not be done is missing. Prints nothing.
  std::map<std::string, double> run();
};

}  // namespace pageproof::bench
