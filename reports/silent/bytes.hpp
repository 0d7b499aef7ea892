// The byte oracle. For every byte of a request's blocks on one decode rank: which byte of which prefill rank
// arrives there, and is it the byte of the element that the decoder's reader looks for there? Decided from
// the writer's places on both sides (cache.hpp), the copies of the read and what runs on the blocks
// afterwards. Tags are not asked.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "model/handshake/receive.hpp"
#include "model/region/descriptor.hpp"
#include "model/region/tp_mapping.hpp"
#include "reports/silent/cache.hpp"

namespace pageproof::silent {

// What runs on the received blocks, in this order.
struct Steps {
  bool permutes = false;       // rows of a block, as code written for [B, N, H, C] views moves them
  std::uint64_t regroups = 1;  // r: the same for blocks of different sizes
  bool repacks = false;        // pack_kv_cache: standard rows become CPU_ATTN's runs
  bool converts = false;       // as the RFC proposes: the landed page halves become shuffled planes

  friend bool operator==(const Steps&, const Steps&) = default;
};

// One decode rank's read of one request.
struct Reading {
  const Cache& local;
  const Cache& remote;
  region::TpPair ranks;
  const region::BlockGroups& local_blocks;   // kernel block ids, a list for each group
  const region::BlockGroups& remote_blocks;  // of the same tokens, in the same order
  std::span<const handshake::Copy> copies;
  Steps steps = {};
  bool same_encoding = true;  // do both sides' elements stand for numbers in the same way?
};

// The first byte that is wrong, in the order layer, token, head, side, dim.
struct Wrong {
  std::string place;     // "decode rank 0, layer 0, token 0, head 0, side K, dim 0, byte 0"
  std::string expected;  // the element that the reader looks for
  std::string got;       // what arrived
};

// @pre both lists name as many tokens a group. Refused: a step that cannot run on these blocks (vLLM: an
// exception).
Expected<std::optional<Wrong>> first_wrong(const Reading& reading);

}  // namespace pageproof::silent
