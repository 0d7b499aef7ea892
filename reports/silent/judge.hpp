// What becomes of one pair: refused, read right, read wrong without a word, or an exception at the first
// read. Verdicts and bytes are decided once for engines that are the same to whoever decides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "model/handshake/negotiate.hpp"
#include "reports/silent/bytes.hpp"
#include "reports/silent/space.hpp"

namespace pageproof::silent {

enum class Fate : std::uint8_t { rejected, right, wrong, raises };
inline constexpr std::size_t kFates = 4;
std::string_view to_string(Fate fate);

// Seeded faults of the search, for its tests.
enum class Fault : std::uint8_t {
  none,
  trusts_tags,       // equal tags are taken for right bytes, other tags for wrong ones
  ignores_permute,   // the byte oracle forgets the receive-side permute
  first_block_only,  // compares the first block of each group
  swaps_num_blocks,  // remote descriptor ids are counted with the local pool's blocks
};

// The flags of a pair that its two engines do not have: only those that change something are counted.
struct Flags {
  bool permute = false;    // the decoder's enable_permute_local_kv
  bool unchecked = false;  // the decoder's enforce_handshake_compat is off

  friend bool operator==(const Flags&, const Flags&) = default;
};

// The bytes of an accepted pair, on every decode rank.
struct BytesOf {
  Fate fate = Fate::right;
  Steps steps = {};
  std::optional<Wrong> wrong = {};
  std::string raised = "";
};
BytesOf judge_bytes(const Candidate& local, const Candidate& remote, const handshake::AgentMetadata& seen,
                    const Steps& flags, Fault fault = Fault::none);

bool same_encoding(const region::Engine& a, const region::Engine& b);

// As today: the checks on a fresh worker. `steps` says which of the worker's flags they set.
struct Accepted {
  bool accepted = false;
  Steps steps = {};
  handshake::Reason reason = handshake::Reason::none;  // of the RFC's refusal
  std::uint32_t check = 0;                             // and of today's check in it
  handshake::Outcome outcome = handshake::Outcome::rejected;
};

// Remembers what it decided. One for a thread, over one model.
class Judge {
 public:
  explicit Judge(Fault fault) : fault_(fault) {}

  struct Ruling {
    Fate fate = Fate::rejected;
    bool hash = false;  // refused by the hash
    Accepted verdict = {};
  };
  Ruling today(const Candidate& local, const Candidate& remote, Flags flags);
  // The RFC's connector on both sides, conversion on; `open`: the backend's name is no factor of the hash.
  Ruling proposed(const Candidate& local, const Candidate& remote, Flags flags, bool open);
  // The same decoder, the hash check off, and a prefill of today's connector, which sends no tag.
  Ruling untagged(const Candidate& local, const Candidate& remote, bool permute);

  // The remote's metadata as the descriptors of an accepted pair see it.
  static handshake::AgentMetadata seen_by(const Candidate& local, const Candidate& remote,
                                          const Steps& steps);

 private:
  const Accepted& negotiated(const Candidate& local, const Candidate& remote, bool permute, bool tagged);
  Fate bytes(const Candidate& local, const Candidate& remote, const Steps& steps);

  Fault fault_;
  std::unordered_map<std::uint64_t, Accepted> checks_;
  std::unordered_map<std::uint64_t, Accepted> rules_;
  std::unordered_map<std::uint64_t, Fate> bytes_;
};

}  // namespace pageproof::silent
