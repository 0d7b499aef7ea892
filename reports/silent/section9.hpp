// The pairs that the connector's description lists with today's result, as data: which engines meet, and what
// is said of them. Nothing of the search knows this table; it is what the search's judgement is held against.
// Source: nixl_connector.md §9.
#pragma once

#include <span>
#include <string>

#include "reports/silent/bytes.hpp"
#include "reports/silent/judge.hpp"

namespace pageproof::silent {

struct Described {
  const char* name;
  region::Engine decode;
  region::Layout decode_layout;
  region::Engine prefill;
  region::Layout prefill_layout;
  Fate fate;                    // of today
  const char* at;               // where it is rejected: "check 10 RuntimeError"; empty otherwise
  bool leaves_permute = false;  // the rejected attempt leaves the worker's permute flag on
};
std::span<const Described> described_pairs();

struct Judged {
  Fate fate = Fate::rejected;
  std::string at = "";
  bool leaves_permute = false;
  BytesOf bytes = {};
};
// The whole handshake of today, then the bytes. Refused: an engine that cannot start.
Expected<Judged> judged_today(const region::Engine& decode, region::Layout decode_layout,
                              const region::Engine& prefill, region::Layout prefill_layout);

// "wrong", "right", "rejected at check 14 AssertionError, permute flag left on".
std::string to_string(const Judged& judged);
std::string said_of(const Described& pair);

}  // namespace pageproof::silent
