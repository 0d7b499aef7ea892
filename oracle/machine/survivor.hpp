// Why a mutant that no launch refutes may live.
#pragma once

#include <functional>
#include <optional>

#include "oracle/machine/mutants.hpp"

namespace pageproof::machine {

struct Survivor {
  const Program& original;
  const Program& mutant;
  std::uint32_t at;  // byte of the code where the changed instruction begins
};

// `proved` runs the mutant's launches with hooks, and says whether none was refuted.
std::optional<Rule> explain(const Survivor& survivor, const std::function<bool(const Hooks&)>& proved);

}  // namespace pageproof::machine
