// Pairs of engines that take a handshake through as many of its arcs as they can: small engines, each changed
// in one way on the decoder's side and in one on the wire. Inner part of this room.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/handshake/side.hpp"
#include "model/handshake/today.hpp"

namespace pageproof::structure {

struct Meeting {
  std::string name;
  handshake::EngineSide decoder;
  std::vector<handshake::Reply> replies;
  std::string expected_engine_id = "prefill";
  std::uint64_t remote_tp = 1;
};

// Calls `visit` with one after the other. `tagged` prefills send their page format.
void visit_meetings(region::Behaviour behaviour, bool tagged,
                    const std::function<void(const Meeting&)>& visit);

}  // namespace pageproof::structure
