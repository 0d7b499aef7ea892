// handshake_v1.json: pairs of engines with what a negotiation must say of them, for a connector's own tests.
// One rejected pair a reason, the smallest, found by the solver; accepted pairs; and pairs that today's
// checks judge differently. A suite in Wycheproof's shape: groups, flags, notes.
//
// Written from what judge() says of the documents; that each reason comes out is checked on the way, so a
// suite that contradicts the model cannot be written.
#pragma once

#include <filesystem>
#include <string>

#include "model/page/plain/error.hpp"

namespace pageproof::golden {

inline constexpr const char* kHandshakeFile = "handshake_v1.json";
inline constexpr const char* kHandshakeSchemaFile = "schema/handshake_v1_schema.json";

// The whole file's text, the same every time. An Error is a pair that does not come out as it must.
Expected<std::string> handshake_suite();

// Writes folder/handshake_v1.json; how many tests. Refused with the path that cannot be written.
Expected<std::size_t> write_handshake_suite(const std::filesystem::path& folder);

}  // namespace pageproof::golden
