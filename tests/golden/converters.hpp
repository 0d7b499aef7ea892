// Converters for tests of the checker: a sound one made of the oracle, and mutants of it.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "golden/pages/converter.hpp"

namespace pageproof::golden {

// Refuses bad ids, then converts by the oracle.
Expected<void> sound_converter(const ConvertRequest& request);

struct Mutant {
  std::string name;
  std::string failure;  // Failure::name under which it must be reported
  std::string says;     // what the example of one such failure must contain
  Convert convert;

  friend std::ostream& operator<<(std::ostream& out, const Mutant& mutant) { return out << mutant.name; }
};

std::vector<Mutant> mutants();

}  // namespace pageproof::golden
