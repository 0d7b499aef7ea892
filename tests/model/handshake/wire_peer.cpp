// The C++ side of tests/python/msgspec_wire.py: decodes what Python encoded and encodes what Python decodes.
//
//   wire_peer metadata   MessagePack of NixlAgentMetadata on stdin -> its JSON on stdout
//   wire_peer payload    the same for NixlHandshakePayload
//   wire_peer encode     JSON of NixlAgentMetadata on stdin -> MessagePack on stdout
// exit 1 with one line on stderr where the input is refused.
#include <fmt/format.h>

#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "model/handshake/wire.hpp"
#include "model/json/strict_json.hpp"

namespace {

using namespace pageproof;

int refuse(const Error& error) {
  fmt::print(stderr, "{}\n", to_string(error));
  return 1;
}

int print(const nlohmann::ordered_json& json) {
  fmt::print("{}\n", json.dump());
  return 0;
}

int encode(const std::string& text) {
  const auto json = parse_strict_json(text, {.subject = "stdin", .field = "", .deepest = 8});
  if (!json) return refuse(json.error());
  const auto metadata = handshake::metadata_from_json(*json, region::Behaviour::s2, "stdin");
  if (!metadata) return refuse(metadata.error());
  const std::vector<std::byte> bytes = handshake::encode(*metadata, region::Behaviour::s2);
  std::cout.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return std::cout.flush() ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc == 2 ? argv[1] : "";
  const std::string input{std::istreambuf_iterator<char>(std::cin), {}};
  const std::span<const std::byte> bytes = std::as_bytes(std::span(input));
  if (mode == "encode") return encode(input);
  if (mode == "metadata") {
    const auto metadata = handshake::decode_metadata(bytes, region::Behaviour::s2, "stdin");
    return metadata ? print(handshake::to_json(*metadata, region::Behaviour::s2)) : refuse(metadata.error());
  }
  if (mode == "payload") {
    const auto payload = handshake::decode_payload(bytes, "stdin");
    return payload ? print(handshake::to_json(*payload)) : refuse(payload.error());
  }
  fmt::print(stderr, "usage: wire_peer metadata|payload|encode\n");
  return 2;
}
