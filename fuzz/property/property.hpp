// Properties, as a registry: a property is one object in a file of its own, and `pageproof fuzz`, the rows of
// `pageproof verify` and the tests all read the same list.
//
//   const RegisteredProperty kMine({.name = "convert.inverse_undoes_convert", .claim = "...", .run = run,
//   ...});
//
// A property makes its case from Choices (fuzz/generate/choices.hpp) and says whether the claim holds for it.
// Each has mutants: the same property over something faulty, which it must refute. A property that refutes
// nothing is a defect.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/generate/choices.hpp"
#include "model/page/plain/failure.hpp"

namespace pageproof::fuzz {

// small: every case can be made in seconds (Odometer); wide: what random cases are drawn from.
enum class Domain : std::uint8_t { small, wide };

// Makes a case and checks it. The Failure has the property's name; `replay` is filled in by who runs it.
using RunCase = std::function<std::optional<Failure>(Choices& choices, Domain domain)>;

struct Mutant {
  std::string name;   // "last_token_forgotten"
  std::string fault;  // in a few words
  RunCase run;
};

// Random cases of a quick check; a full one takes ten times as many.
inline constexpr std::uint64_t kQuickCases = 300;

struct Property {
  std::string name;   // "room.law"
  std::string claim;  // one sentence
  RunCase run;
  // The case that `run` makes of the same choices, as values. @post makes the same choices as `run`
  std::function<nlohmann::json(Choices& choices, Domain domain)> describe;
  std::vector<Mutant> mutants;
  bool has_small = true;                    // false: nothing to enumerate
  std::uint64_t quick_cases = kQuickCases;  // fewer where a case is costly
};

// Adds a property to the registry for the life of the program. Its object file must be linked as an object,
// not out of an archive.
class RegisteredProperty {
 public:
  explicit RegisteredProperty(Property property);
};

// All properties, by name.
const std::vector<Property>& all_properties();

}  // namespace pageproof::fuzz
