// The graphs of states as a person reads them, and as Graphviz draws them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "reports/structure/laws.hpp"

namespace pageproof::structure {

// The steps in order with what they lead to, the states that every path to `ready` passes, and what stays
// after a failed handshake. Runs of plain checks share a line.
std::string to_text(const Handshake& handshake);
// One after the other, with a legend, and what differs between them.
std::string to_text(const std::vector<Handshake>& handshakes);
// A digraph for `dot`. Checks are boxes, choices diamonds, steps on a scratch copy dashed; what leaks is red.
std::string to_dot(const Handshake& handshake);
nlohmann::ordered_json to_json(const Handshake& handshake);

}  // namespace pageproof::structure
