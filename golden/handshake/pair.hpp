// A decoder and a prefill as the documents that `pageproof handshake check` takes (engine descriptions,
// captured payloads or metadata), and what becomes of them: judged from the documents' text alone.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/handshake/negotiate.hpp"
#include "model/page/plain/error.hpp"

namespace pageproof::golden {

struct Documents {
  nlohmann::ordered_json local;
  nlohmann::ordered_json remote;
  std::uint64_t kv_heads = 8;  // of a captured decoder's model, which does not tell (--kv-heads)
};

struct Judged {
  handshake::EngineSide local;
  handshake::EngineSide remote;
  bool captured = false;  // one of the two is no description
  handshake::Facts facts;
  handshake::Verdict verdict;
  handshake::Attempt today;
};

// Refused with the document's error where one cannot be read.
Expected<Judged> judge(const Documents& documents);

// Which rules of the conversion table fail on these facts.
std::vector<handshake::Reason> failing(const handshake::Facts& facts);

// A description with what is not the default alone: {"backend": ..., "model": {"layers": 1}, ...}.
nlohmann::ordered_json short_description(const region::Engine& engine);

}  // namespace pageproof::golden
