// The wire forms of a handshake. MessagePack as msgspec encodes dataclasses: a map with string keys in the
// order of the fields, unknown keys ignored, a missing required key an error, bytes as bin, None as nil. JSON
// the same, bytes as base64. Reading is in two phases: the payload first, its metadata only when asked.
// Source: connector spec §1.1, §1.2.
//
// Whatever the bytes are: one error with the path of the field, no recursion beyond 32 levels, no allocation
// beyond a constant factor of the input.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/handshake/metadata.hpp"
#include "model/page/plain/error.hpp"
#include "model/region/engine.hpp"

namespace pageproof::handshake {

// Whose dataclass decides which keys are required: S0 has no block_strides.
using region::Behaviour;

Expected<HandshakePayload> decode_payload(std::span<const std::byte> msgpack, const std::string& subject);
Expected<AgentMetadata> decode_metadata(std::span<const std::byte> msgpack, Behaviour behaviour,
                                        const std::string& subject);

std::vector<std::byte> encode(const HandshakePayload& payload);
// Keys that S0's dataclass lacks are not written where the value is absent.
std::vector<std::byte> encode(const AgentMetadata& metadata, Behaviour behaviour);

// The same as JSON values. Reading takes base64 where bytes belong.
nlohmann::ordered_json to_json(const HandshakePayload& payload);
nlohmann::ordered_json to_json(const AgentMetadata& metadata, Behaviour behaviour);
Expected<HandshakePayload> payload_from_json(const nlohmann::json& json, const std::string& subject);
Expected<AgentMetadata> metadata_from_json(const nlohmann::json& json, Behaviour behaviour,
                                           const std::string& subject);

// MessagePack bytes as a JSON value (bin as binary), after scan_msgpack().
Expected<nlohmann::json> parse_msgpack(std::span<const std::byte> bytes, const std::string& subject);

std::string base64(std::span<const std::byte> bytes);
// Refuses what is not canonical base64 with padding.
Expected<std::vector<std::byte>> from_base64(std::string_view text, const std::string& subject,
                                             const std::string& field);

}  // namespace pageproof::handshake
