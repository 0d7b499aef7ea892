// The checks of the project, as a registry: a check is one object in a file of its own, and the table that
// `pageproof verify` prints, its JSON and the ctest entries labelled `verify` all read the same list.
//
//   const Registered kThree({.name = "offset.statements_agree", .claim = "...", .run = run});
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "model/page/plain/error.hpp"
#include "model/page/plain/failure.hpp"

namespace pageproof::reports {

struct CheckOptions {
  bool quick = false;              // the quick form; CI runs the full one
  std::filesystem::path fixtures;  // folder of golden fixtures
  std::filesystem::path shared;    // folder with further peer pages; may be absent
  std::uint64_t seed = 1;          // of everything random
  std::function<void(std::uint64_t done, std::uint64_t of)> progress = [](auto, auto) {};
};

// What a check found. No case is not success: a result with 0 cases and no skip is shown as EMPTY and fails.
struct CheckResult {
  std::uint64_t cases = 0;
  std::vector<Failure> failures;
  std::string skipped;  // why nothing could be checked here; empty when it was
};

struct Check {
  std::string name;   // "room.law", also the name of its ctest entry after "verify."
  std::string claim;  // one sentence
  std::function<CheckResult(const CheckOptions&)> run;
};

// Adds a check to the registry for the life of the program.
class Registered {
 public:
  explicit Registered(Check check);
};

// Adds the checks that `make` answers with whenever the list is asked for: for checks made from another
// registry.
class RegisteredMany {
 public:
  explicit RegisteredMany(std::function<std::vector<Check>()> make);
};

// All checks, by name.
std::vector<Check> all_checks();

}  // namespace pageproof::reports
