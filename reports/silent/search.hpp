// Every pair of the space, judged three times: as today, under the RFC's rules, and under them with the
// backend's name out of the compatibility hash. Work is shared: engines that are the same to the checks, to
// the rules or to the bytes are decided once, and two threads take groups of decode engines.
//
// A pair is counted once for each setting of the flags that changes something for it:
// enable_permute_local_kv where the layouts differ and the prefill's is LBHNC, enforce_handshake_compat where
// the hashes differ.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "reports/silent/causes.hpp"
#include "reports/silent/judge.hpp"
#include "reports/silent/space.hpp"

namespace pageproof::silent {

struct Counts {
  std::array<std::uint64_t, kFates> of = {};

  std::uint64_t operator[](Fate fate) const { return of[static_cast<std::size_t>(fate)]; }
  std::uint64_t all() const { return of[0] + of[1] + of[2] + of[3]; }
  friend bool operator==(const Counts&, const Counts&) = default;
};

// One pair, by its place in the space: enough to make it again.
struct PairId {
  std::uint32_t model = 0;
  std::uint32_t decode = 0;
  std::uint32_t prefill = 0;
  Flags flags = {};

  auto order() const { return std::tuple(model, flags.unchecked, flags.permute, decode, prefill); }
  bool operator<(const PairId& other) const { return order() < other.order(); }
};

struct Tally {
  std::uint64_t pairs = 0;
  PairId first = {};
};

struct ModelCounts {
  std::string name;
  std::uint64_t decode = 0;  // engines
  std::uint64_t prefill = 0;
  std::uint64_t geometries = 0;  // distinct pairs as far as their bytes and ranks go
  std::uint64_t pairs = 0;
  std::uint64_t left_out = 0;  // engines of one side that cannot start or cannot read their own pages
};

// Which backends a gained pair is of: prefill, decode, and how it is accepted ("match", "convert", "repack").
using GainKey = std::tuple<std::string, std::string, std::string>;

struct SilentSet {
  Extent extent = Extent::quick;
  std::vector<ModelCounts> models;
  std::map<std::string, std::uint64_t> left_out;  // by why
  std::uint64_t pairs = 0;
  std::uint64_t geometries = 0;

  Counts today;
  std::array<Counts, 4> today_by_flags = {};  // none, permute, unchecked, both
  Counts proposed;                            // the RFC's rules, the backend's name in the hash
  Counts open;                                // the same, the name out of it
  Counts
      untagged;  // the RFC's decoder, hash check off, a prefill that sends no tag; once a setting of permute

  std::vector<Seen> seen;        // accepted today and read, by what they look like
  std::vector<PairId> examples;  // of each, the first wrong pair, else the first
  Cover cover;

  std::map<std::string, Tally> lost;    // accepted and right today, refused under the RFC, by the rule
  std::map<std::string, Tally> mended;  // accepted and wrong today: refused by which rule, or how accepted
  std::map<GainKey, Tally> gained;      // refused today, accepted and right under the RFC
  std::map<GainKey, Tally> opened;      // refused under the RFC, accepted and right once the name is out
  std::vector<PairId> proposed_silent;  // at most kShownPairs
  std::vector<PairId> open_silent;
  double seconds = 0;
};
inline constexpr std::size_t kShownPairs = 8;

// `only`: one model of the space, by its place.
SilentSet find_silent(Extent extent, unsigned threads, Fault fault = Fault::none,
                      std::optional<std::size_t> only = {});

// A pair again, with its bytes in full.
struct Example {
  handshake::EngineSide local;
  handshake::EngineSide remote;
  BytesOf bytes;
};
Example example_of(Extent extent, const PairId& id);

}  // namespace pageproof::silent
