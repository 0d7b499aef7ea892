// An engine's description in JSON, and everything that follows from it.
#include <nlohmann/json.hpp>

#include "fuzz/decoders/decoder.hpp"
#include "fuzz/decoders/engines.hpp"
#include "model/region/engine_json.hpp"

namespace pageproof::fuzz {

void decode_one(Bytes input) {
  const auto engine = decoded(input, [&] { return region::read_engine(text_of(input), "input"); });
  if (!engine) return;
  must(text_of(input).find('\0') == std::string_view::npos, "JSON has no NUL byte");
  must(region::checked(*engine, "input").has_value(), "what is read is an engine that can be");
  const nlohmann::json fields = region::to_json(*engine);
  const nlohmann::json read = nlohmann::json::parse(text_of(input));
  for (const auto& [key, value] : read.items()) {
    must(fields.contains(key), "every key that was read is a field");
  }
  const auto again = region::read_engine(region::to_json(*engine).dump(), "input");
  must(again && *again == *engine, "a description comes back from JSON");
  judge_engine(*engine);
}

}  // namespace pageproof::fuzz
