#include "model/handshake/side.hpp"

#include <nlohmann/json.hpp>

#include "model/handshake/wire.hpp"

namespace pageproof::handshake {

HandshakePayload EngineSide::payload() const {
  return {hash, encode(metadata, engine.behaviour)};
}

Expected<EngineSide> side_with_layout(const region::Engine& engine, region::Layout layout,
                                      BackendInHash backend) {
  Expected<region::Registration> registration = region::register_engine(engine, layout);
  if (!registration) return std::unexpected(registration.error());
  EngineSide side{.engine = engine,
                  .layout = layout,
                  .registration = *std::move(registration),
                  .metadata = {},
                  .hash = ""};
  side.metadata = metadata_of(engine, layout, side.registration);
  side.hash = compatibility_hash(hash_factors(engine, backend));
  return side;
}

Expected<EngineSide> side_of(const region::Engine& engine, region::LayoutRequest request,
                             BackendInHash backend) {
  const Expected<region::Resolution> resolution = region::resolve_layout(engine, request);
  if (!resolution) return std::unexpected(resolution.error());
  return side_with_layout(engine, resolution->layout, backend);
}

}  // namespace pageproof::handshake
