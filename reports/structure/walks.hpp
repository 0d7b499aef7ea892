// Handshakes as they are executed, laid over the graph: every trace is a way through it, every step leaves in
// the worker what its marks say and nothing else, and of today's graph every arc is taken.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "reports/structure/laws.hpp"

namespace pageproof::structure {

struct Walked {
  std::uint64_t handshakes = 0;
  std::uint64_t steps = 0;
  std::vector<Broken> broken;            // the first few
  std::vector<std::string> never_taken;  // arcs, as "A12 fails -> rejected"
  std::vector<std::string>
      never_marked;  // marks that no handshake left, as "check 10 leaves the permute flag"
};

// Runs some ten thousand pairs of engines, with fresh workers and with workers that failed before.
Walked walk(Order order, region::Behaviour behaviour);

// Arcs that were not taken although something can take them, or that were although nothing should: of the
// RFC's graph some checks cannot fail, since an earlier step asked the same (walks.cpp lists them, with why).
std::vector<std::string> surprising(const Handshake& handshake, const Walked& walked);

// What differs between two workers, as marks.
std::set<Mark> marks_between(const handshake::Worker& before, const handshake::Worker& after);

}  // namespace pageproof::structure
