// The finite space in which silent pairs are looked for: for each model shape every decode engine and every
// prefill engine that can start and can read its own pages. A pair is one of each; the two share the model.
//
//   backends and pages   standard (four backends), AITER-shuffled, gluon, ROCM_ATTN, CPU_ATTN, page-16,
//   latent x KV-cache layouts   all six: a configured layout wins over what a backend declares x TP sizes,
//   block sizes (manager / kernel), dtypes
//
// The pools of the two sides never have equally many blocks, and the block ids of a request are scattered and
// differ: an exchange of the two sides' numbers cannot hide.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/handshake/side.hpp"
#include "model/region/descriptor.hpp"
#include "reports/silent/cache.hpp"

namespace pageproof::silent {

// quick: the same kinds of engines, fewer sizes.
enum class Extent : std::uint8_t { quick, full };

// One engine of the space. Two engines with equal ids of a kind are the same for whoever asks for that kind.
struct Candidate {
  handshake::EngineSide side;       // permute off, hash with the backend's name
  handshake::EngineSide permuting;  // the same with enable_permute_local_kv
  std::shared_ptr<const Cache> cache;
  std::uint32_t bytes = 0;      // equal: the same bytes at the same places, for the same ranks
  std::uint32_t checks = 0;     // equal: also the same to today's checks, but for the backend's name
  std::uint32_t rules = 0;      // equal: also the same to the RFC's rules
  std::uint32_t hash = 0;       // equal: equal compatibility hashes (across both sides of a model)
  std::uint32_t open_hash = 0;  // the same without the backend's name

  const region::Engine& engine() const { return side.engine; }
};

struct ModelSpace {
  std::string name;  // "8 KV heads"
  region::Model model;
  std::vector<Candidate> decode;
  std::vector<Candidate> prefill;
  std::map<std::string, std::uint64_t> left_out;  // engines that are none, by why; of one side
};

inline constexpr std::uint64_t kDecodeBlocks = 37;  // manager blocks of the pools
inline constexpr std::uint64_t kPrefillBlocks = 41;

// An engine as a candidate of its own, its ids all 0. Refused: an engine that cannot start, or whose own
// pages it cannot read.
Expected<Candidate> candidate_of(const region::Engine& engine, region::Layout layout);

// What the space is made of, a line a kind of engine: "ROCM_AITER_FA aiter-shuffled: 16, 32, 64/16".
std::vector<std::string> kinds_of_engines();

// One model after the other, so that the largest space is never held whole.
std::size_t models_of(Extent extent);
ModelSpace model_space(Extent extent, std::size_t model);

// Logical block ids of a request whose tokens fill whole blocks of both sides, two or more of each.
struct Request {
  region::BlockGroups local = {};
  region::BlockGroups remote = {};
};
Request request_of(const region::Engine& local, const region::Engine& remote);

}  // namespace pageproof::silent
