// What `pageproof handshake check` does with a decoded peer, against fixed decoders of our own: today's
// handshake, the proposed one, and the read that follows an accepted one.
#pragma once

#include <optional>
#include <string>

#include "fuzz/decoders/decoder.hpp"
#include "model/handshake/metadata.hpp"
#include "model/region/engine.hpp"

namespace pageproof::fuzz {

// The bytes as the answer of a remote rank, whatever they are.
void judge_reply(Bytes payload);
void judge_metadata(const handshake::AgentMetadata& metadata, const std::optional<std::string>& hash);
// As a decoder and as a prefill. Engines of more than 256 regions are left to the tests.
void judge_engine(const region::Engine& engine);

}  // namespace pageproof::fuzz
