// pageproof_generate_fixtures FOLDER [--full]: the generator by itself, linked with the oracle and nothing
// that ships.
#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include "golden/formats/generate.hpp"
#include "golden/pages/generate.hpp"

int main(int count, char** arguments) {
  const bool full = count == 3 && std::string_view(arguments[2]) == "--full";
  if (count != 2 && !full) {
    fmt::print(stderr, "usage: pageproof_generate_fixtures FOLDER [--full]\n");
    return 2;
  }
  for (const auto& report : {pageproof::golden::generate_fixtures(arguments[1], {.full = full}),
                             pageproof::golden::formats::generate_fixtures(arguments[1])}) {
    if (!report) {
      fmt::print(stderr, "{}\n", to_string(report.error()));
      return 2;
    }
    fmt::print("{} tests in {} files, {} bytes\n", report->tests, report->files, report->bytes);
  }
  return 0;
}
