// One generator, several drivers. A generator asks for numbers below a bound and makes a case of them; who
// answers decides how cases come about:
//
//   seeded(7)           at random, the same every time        Odometer            every case once, smallest
//   first recorded({2,0,1})   the case that these choices made      from_rapidcheck()   at random, and
//   RapidCheck shrinks
//
// So a case is the list of choices made, and that list replays it. 0 is the simplest answer everywhere: a
// generator orders its alternatives so that a case with smaller choices is a smaller case.
#pragma once

#include <cassert>
#include <cstdint>
#include <functional>
#include <iterator>
#include <vector>

namespace pageproof::fuzz {

class Choices {
 public:
  // Answers with a number below the bound (at least 1). A larger answer is taken as bound - 1: RapidCheck
  // keeps old answers while it shrinks the choices that set their bounds.
  using Source = std::function<std::uint64_t(std::uint64_t bound)>;

  explicit Choices(Source source) : source_(std::move(source)) {}

  std::uint64_t below(std::uint64_t bound);

  // Both ends included.
  std::uint64_t between(std::uint64_t low, std::uint64_t high) { return low + below(high - low + 1); }

  bool flag() { return below(2) == 1; }

  // True in one of n cases.
  bool one_in(std::uint64_t n) { return below(n) == n - 1; }

  template <class Elements>
  auto element_of(const Elements& elements) {
    return *std::next(std::begin(elements), static_cast<std::ptrdiff_t>(below(std::size(elements))));
  }

  // `count` different numbers below the bound, in any order; 0, 1, 2 ... when every choice is 0.
  std::vector<std::uint64_t> distinct_below(std::uint64_t count, std::uint64_t bound);

  const std::vector<std::uint64_t>& made() const { return made_; }

 private:
  Source source_;
  std::vector<std::uint64_t> made_;
};

// A hash of two numbers: derives seeds from seeds.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b);

Choices::Source seeded(std::uint64_t seed);

// Plays a list back; beyond its end every answer is 0.
Choices::Source recorded(std::vector<std::uint64_t> choices);

// Counts through every list of choices that a generator can make, the last choice fastest. The number of
// choices and their bounds may depend on earlier ones.
class Odometer {
 public:
  // Of the current case. @pre the odometer outlives it
  Choices::Source source();
  // Moves to the next case; false when every one was made.
  bool next();

 private:
  struct Wheel {
    std::uint64_t value = 0;
    std::uint64_t bound = 1;
  };
  std::vector<Wheel> wheels_;
  std::size_t position_ = 0;
};

// Visits every case of a generator until one answers false. Returns how many were visited.
template <class Visit>
std::uint64_t for_every_case(const Visit& visit) {
  Odometer odometer;
  std::uint64_t visited = 0;
  do {
    Choices choices(odometer.source());
    ++visited;
    if (!visit(choices)) break;
  } while (odometer.next());
  return visited;
}

}  // namespace pageproof::fuzz
