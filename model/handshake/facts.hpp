// What the rules look at, gathered from the decoder and from what it knows of one prefill: its metadata, its
// TP size (which comes with the request), and what an equal compatibility hash implies. What is not known
// fails every rule that needs it, with the words "not known".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/handshake/metadata.hpp"
#include "model/handshake/rules.hpp"
#include "model/handshake/side.hpp"
#include "model/handshake/told.hpp"

namespace pageproof::handshake {

// What a decoder knows of a prefill beside its metadata.
struct RemoteKnowledge {
  std::uint64_t tp_size = 1;
  bool hash_matched = false;                  // then model, dtype, heads and head_dim are the decoder's own
  std::optional<region::Engine> engine = {};  // a description, where one is at hand; stands above the hash
};

using Facts = PairFacts<std::uint64_t, bool>;
using ToldFacts = PairFacts<Term, Told>;

Facts facts_of(const EngineSide& local, const AgentMetadata& remote, const RemoteKnowledge& known);
// The same facts with their names and how they read.
ToldFacts told_facts(const EngineSide& local, const AgentMetadata& remote, const RemoteKnowledge& known);

// Dtypes beside those of the rules, as facts number them.
inline constexpr std::uint64_t kDtypeFp8 = 4;
inline constexpr std::uint64_t kDtypeFp8E4m3 = 5;
inline constexpr std::uint64_t kDtypeFp8E4m3fn = 6;
inline constexpr std::uint64_t kDtypeFp8E4m3fnuz = 7;

// The tag of all regions: empty where none is sent; "mixed" where they differ.
std::string tag_of(const AgentMetadata& metadata);

}  // namespace pageproof::handshake
