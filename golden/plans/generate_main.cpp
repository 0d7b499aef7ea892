// pageproof_generate_plans FOLDER: the generator by itself, linked with the model and the oracle and nothing
// that ships.
#include <fmt/format.h>

#include <cstdio>

#include "golden/plans/check.hpp"

int main(int count, char** arguments) {
  if (count != 2) {
    fmt::print(stderr, "usage: pageproof_generate_plans FOLDER\n");
    return 2;
  }
  const auto tests = pageproof::golden::plans::generate_plans(arguments[1]);
  if (!tests) {
    fmt::print(stderr, "{}\n", to_string(tests.error()));
    return 2;
  }
  fmt::print("{} plans\n", *tests);
  return 0;
}
