// The RFC's handshake: one verdict for one remote engine, from tags, rules and today's checks, in that order:
//
//   tag missing            accepted as standard where the local pages are standard, else rejected
//   tags equal             today's checks and the match rules; permuting also needs a local LBNHC cache of
//                          standard pages
//   standard -> CPU_ATTN   the existing repack, now decided by tags
//   else                   the conversion rules; then today's checks on the remote's virtual halves
//
// A verdict belongs to its remote engine. Nothing is set on the worker, so nothing sticks (trap T7), and
// nothing is recorded before the verdict stands (trap T8).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/handshake/extra.hpp"
#include "model/handshake/facts.hpp"
#include "model/handshake/reason.hpp"
#include "model/handshake/rejection.hpp"
#include "model/handshake/side.hpp"
#include "model/handshake/today.hpp"

namespace pageproof::handshake {

// The knob: a key of kv_connector_extra_config, named after the tag, off by default, read by the decoder.
inline constexpr const char* kKnob = "convert_page_format";

enum class Outcome : std::uint8_t { match, convert, repack, rejected };

struct Verdict {
  Outcome outcome = Outcome::rejected;
  Reason reason = Reason::none;
  std::string rule = "";   // the condition that failed, with its values: "local.tokens (64) = 16 or ..."
  std::string local = "";  // the two values
  std::string remote = "";
  std::string change = "";                 // what to change
  std::optional<Rejection> check = {};     // where one of today's checks rejected
  std::vector<std::string> warnings = {};  // reader traps
  Extras extras = {};                      // what this conversion needs beside the first version's
  bool permutes = false;                   // the receive side permutes this remote's pages, and only its
  AgentMetadata seen = {};  // the remote as descriptors see it: virtual halves where it converts

  bool accepted() const { return outcome != Outcome::rejected; }
};

struct Policy {
  bool strict_reader = false;  // a reader trap rejects
  bool match_rules = true;     // beside today's checks, where tags are equal
  Extras allowed = {};         // conversions beside the first version's
};

Verdict negotiate(const EngineSide& local, const AgentMetadata& remote, const RemoteKnowledge& known,
                  const Policy& policy = {});

// The remote's regions as the split read sees them: each twice, half a block long, under the decoder's layout
// name.
// @pre regions_of(remote) has a value
AgentMetadata virtual_metadata(const AgentMetadata& remote, region::Layout local_layout);

// Two descriptions, as if both engines ran the RFC's connector: hashes are compared, tags are sent.
Verdict meet_proposed(const EngineSide& local, const EngineSide& remote, const Policy& policy = {});

// The whole exchange with the replies of all remote ranks. What was accepted is kept by engine id; a
// rejection leaves `accepted` as it was.
struct Acceptance {
  Outcome outcome = Outcome::match;
  bool permutes = false;
  std::map<std::uint64_t, AgentMetadata> seen = {};  // by rank

  friend bool operator==(const Acceptance&, const Acceptance&) = default;
};
using Acceptances = std::map<std::string, Acceptance>;

struct ProposedAttempt {
  Acceptances accepted = {};
  Verdict verdict = {};
  // The steps taken: "decode payload", "hash", ..., "negotiate", "tags compared", ..., "ready" or "rejected".
  std::vector<std::string> trace = {};
};
// Called before each step, and at the end, with what is accepted by then.
using ProposedWatch = std::function<void(const std::string& step, const Acceptances& accepted)>;

ProposedAttempt handshake_proposed(const EngineSide& local, const Acceptances& before,
                                   std::span<const Reply> replies, const std::string& expected_engine_id,
                                   std::uint64_t remote_tp_size, const Policy& policy = {},
                                   const ProposedWatch& watch = {});

// The table of steps that handshake_proposed() runs; negotiate() runs a part of it.
Outline outline_proposed(region::Behaviour behaviour, const Policy& policy = {});

// How the steps of that table are named: the arcs of "tags compared", and the rules of the scope, such as
// "scope: tokens_unequal".
inline constexpr const char* kTagsEqual = "equal, or none and standard here";
inline constexpr const char* kTagsRepack = "standard to CPU_ATTN";
inline constexpr const char* kTagsDiffer = "different";
inline constexpr const char* kScopePrefix = "scope: ";

// "rejected (tokens_out_of_scope): the decoder's pages hold ...: local 64, remote 16; use ..." or "accepted,
// converts".
std::string to_string(const Verdict& verdict);
std::string_view to_string(Outcome outcome);

// The entry of the knob for the compatibility docs, in Markdown, with the scope as the rules have it.
std::string knob_entry();

}  // namespace pageproof::handshake
