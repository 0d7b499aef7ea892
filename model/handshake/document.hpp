// A file that says something about an engine: its description (JSON), a captured handshake payload, or its
// metadata alone (both as MessagePack or JSON). Which it is, is read off its keys.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "model/handshake/metadata.hpp"
#include "model/handshake/side.hpp"
#include "model/page/plain/error.hpp"
#include "model/region/engine.hpp"

namespace pageproof::handshake {

using Document = std::variant<region::Engine, HandshakePayload, AgentMetadata>;

inline constexpr std::size_t kLargestDocument = std::size_t{64} << 20;  // bytes

// Refused: larger files, neither JSON nor MessagePack, no keys of any of the three, and whatever the reader
// of the one it is refuses. The metadata inside a payload is not looked at.
Expected<Document> read_document(std::span<const std::byte> bytes, region::Behaviour behaviour,
                                 const std::string& subject);
Expected<Document> read_document_file(const std::string& path, region::Behaviour behaviour);

// An engine as far as its metadata tells: layout, blocks, regions, backend name. Its options are not on the
// wire and take their defaults, its model's sizes neither: `kv_heads` (for unequal TP) and `tp_size` are the
// caller's.
struct CaptureAssumptions {
  std::uint64_t tp_size = 1;
  std::uint64_t kv_heads = 8;
};
Expected<EngineSide> side_of_capture(const AgentMetadata& metadata, const std::optional<std::string>& hash,
                                     const CaptureAssumptions& assumed, const std::string& subject);

}  // namespace pageproof::handshake
