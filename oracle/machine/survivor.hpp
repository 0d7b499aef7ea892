// Why a mutant that no launch refutes may live.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "oracle/machine/mutants.hpp"

namespace pageproof::machine {

struct Survivor {
  const Program& original;
  const Program& mutant;
  std::uint32_t at;  // byte of the code where the changed instruction begins
};

// By what the two instructions are; no launch is needed.
std::optional<Rule> explain_by_text(const Survivor& survivor);

// What all launches of a mutant that none refuted have shown.
struct Launches {
  std::vector<bool> executed;                // of each word of the code
  bool alike = false;                        // accesses to memory were the original's
  std::function<bool(const Hooks&)> proved;  // all launches once more, with hooks: none is refuted
};
std::optional<Rule> explain_by_launches(const Survivor& survivor, const Launches& launches);

}  // namespace pageproof::machine
