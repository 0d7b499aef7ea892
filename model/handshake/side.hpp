// One engine as a party to a handshake: the description, and what follows from it once its KV cache is
// registered.
#pragma once

#include <string>

#include "model/handshake/hash.hpp"
#include "model/handshake/metadata.hpp"
#include "model/page/plain/error.hpp"
#include "model/region/engine.hpp"
#include "model/region/registration.hpp"
#include "model/region/resolve.hpp"

namespace pageproof::handshake {

struct EngineSide {
  region::Engine engine;
  region::Layout layout = region::Layout::lbhnc;
  region::Registration registration;
  AgentMetadata metadata;
  std::string hash;  // of its compatibility factors

  HandshakePayload payload() const;  // as it would be served
};

// Resolves, allocates and registers. Refused as the engine would refuse to start: see resolve_layout(),
// allocate().
Expected<EngineSide> side_of(const region::Engine& engine,
                             region::LayoutRequest request = region::LayoutRequest::today,
                             BackendInHash backend = BackendInHash::yes);
// The same with a layout that is given, not resolved.
Expected<EngineSide> side_with_layout(const region::Engine& engine, region::Layout layout,
                                      BackendInHash backend = BackendInHash::yes);

}  // namespace pageproof::handshake
