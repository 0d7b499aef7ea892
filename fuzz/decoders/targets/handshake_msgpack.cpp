// The two phases of a reply: the payload, then the metadata inside it.
#include <nlohmann/json.hpp>

#include "fuzz/decoders/decoder.hpp"
#include "fuzz/decoders/engines.hpp"
#include "model/handshake/msgpack_scan.hpp"
#include "model/handshake/wire.hpp"

namespace pageproof::fuzz {
namespace {

using namespace handshake;
using nlohmann::json;

constexpr const char* kSubject = "input";

std::size_t depth_of(const json& value) {
  if (!value.is_structured()) return 0;
  std::size_t deepest = 0;
  for (const json& element : value) deepest = std::max(deepest, depth_of(element));
  return deepest + 1;
}

void decode_as_metadata(Bytes input, const std::optional<std::string>& hash) {
  for (const Behaviour behaviour : {Behaviour::s0, Behaviour::s2}) {
    const auto metadata = decoded(input, [&] { return decode_metadata(input, behaviour, kSubject); });
    if (!metadata) continue;
    const auto again = decode_metadata(encode(*metadata, behaviour), behaviour, kSubject);
    must(again && *again == *metadata, "metadata comes back from MessagePack");
    const auto from_json = metadata_from_json(json(to_json(*metadata, behaviour)), behaviour, kSubject);
    must(from_json && *from_json == *metadata, "metadata comes back from JSON");
    judge_metadata(*metadata, hash);
  }
}

}  // namespace

void decode_one(Bytes input) {
  const auto value = decoded(input, [&] { return parse_msgpack(input, kSubject); });
  must(value.has_value() == scan_msgpack(input, kSubject).has_value(),
       "the scan and the decoder agree on what MessagePack is");
  if (value) must(depth_of(*value) <= kDeepestNesting, "no value is nested deeper than the bound");
  if (!value) must(value.error().field.starts_with("$"), "an error has the path of the value");

  decode_as_metadata(input, std::nullopt);
  const auto payload = decoded(input, [&] { return decode_payload(input, kSubject); });
  if (payload) {
    const auto again = decode_payload(encode(*payload), kSubject);
    must(again && *again == *payload, "a payload comes back from MessagePack");
    const auto from_json = payload_from_json(json(to_json(*payload)), kSubject);
    must(from_json && *from_json == *payload, "a payload comes back from JSON");
    decode_as_metadata(payload->agent_metadata_bytes, payload->compatibility_hash);
  }
  judge_reply(input);
}

}  // namespace pageproof::fuzz
