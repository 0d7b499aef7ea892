// A file that says something about an engine, whichever of the three it is and in either form.
#include <nlohmann/json.hpp>

#include "fuzz/decoders/decoder.hpp"
#include "fuzz/decoders/engines.hpp"
#include "model/handshake/document.hpp"
#include "model/handshake/wire.hpp"
#include "model/region/engine_json.hpp"

namespace pageproof::fuzz {
namespace {

using namespace handshake;
using region::Behaviour;

constexpr const char* kSubject = "input";

std::string text_again(const Document& document, Behaviour behaviour) {
  if (const auto* engine = std::get_if<region::Engine>(&document)) return region::to_json(*engine).dump();
  if (const auto* payload = std::get_if<HandshakePayload>(&document)) return to_json(*payload).dump();
  return to_json(std::get<AgentMetadata>(document), behaviour).dump();
}

void judge(const Document& document) {
  if (const auto* engine = std::get_if<region::Engine>(&document)) return judge_engine(*engine);
  if (const auto* payload = std::get_if<HandshakePayload>(&document)) return judge_reply(encode(*payload));
  judge_metadata(std::get<AgentMetadata>(document), std::nullopt);
}

}  // namespace

void decode_one(Bytes input) {
  for (const Behaviour behaviour : {Behaviour::s0, Behaviour::s2}) {
    const auto document = decoded(input, [&] { return read_document(input, behaviour, kSubject); });
    if (!document) continue;
    const std::string text = text_again(*document, behaviour);
    const auto again = read_document(std::as_bytes(std::span(text)), behaviour, kSubject);
    must(again && *again == *document, "a document comes back from JSON");
    judge(*document);
  }
}

}  // namespace pageproof::fuzz
