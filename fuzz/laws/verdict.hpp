// What the laws share: running a converter that must accept, and putting a difference into words.
#pragma once

#include "fuzz/laws/laws.hpp"
#include "fuzz/laws/memory.hpp"

namespace pageproof::fuzz {

// A refutation when the converter refuses a job that it must take. `what` names the call.
Verdict accepts(const Convert& convert, const ConvertJob& job, const std::string& what);

// A refutation when it takes a job that it must refuse.
Verdict refuses(const Convert& convert, const ConvertJob& job, const std::string& what);

Verdict same(const std::optional<Difference>& difference, const std::string& what);

}  // namespace pageproof::fuzz
