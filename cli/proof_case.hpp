// A counterexample of an obligation or of a mutant as a file: the name of the false claim and the numbers
// that break it. Replaying asks no solver: assumptions and claim are evaluated with plain integers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "model/page/plain/error.hpp"
#include "oracle/proof/run.hpp"

namespace pageproof::cli {

// Takes this folder's name for "write no case files".
inline constexpr const char* kNoCases = "none";

// Writes the case of each refuted query, and of each mutant where `mutants`, as FOLDER/NAME.json; puts the
// command that replays it into its failure. A file that cannot be written is said there instead.
void write_cases(proof::ObligationResult& result, const std::string& folder, bool mutants);

struct Replayed {
  std::string name;     // of the query or the mutant
  std::string example;  // its numbers, as they are shown
  std::optional<Failure> failure;
};

// Refused: no case file, an obligation that is not among these, a name that it does not have, numbers that
// are missing, not whole, or break what the claim assumes.
Expected<Replayed> replay_case(std::span<const proof::Obligation> obligations, const std::string& path);

}  // namespace pageproof::cli
