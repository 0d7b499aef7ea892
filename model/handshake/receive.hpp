// What a read of an accepted engine copies where, and what runs on the received blocks afterwards, as today's
// code has it. From this and the page formats follows what a decoder would read. Source: connector spec §4,
// §5.3 to §5.6, §7.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/handshake/metadata.hpp"
#include "model/handshake/rejection.hpp"
#include "model/handshake/side.hpp"
#include "model/page/plain/error.hpp"
#include "model/region/descriptor.hpp"

namespace pageproof::handshake {

struct Copy {
  std::uint64_t local = 0;   // address in the decoder
  std::uint64_t remote = 0;  // address in the prefill rank `source`
  std::uint64_t bytes = 0;
  std::uint64_t source = 0;

  friend bool operator==(const Copy&, const Copy&) = default;
};

// What runs on the received blocks. A step that is off does nothing; both transposing steps off is a plain
// read.
struct PostProcess {
  bool permutes = false;       // kv_postprocess_layout_on_receive
  std::uint64_t regroups = 1;  // r: kv_postprocess_blksize_on_receive where above 1
  bool repacks = false;        // pack_kv_cache of CPU_ATTN

  friend bool operator==(const PostProcess&, const PostProcess&) = default;
};

struct PlannedRead {
  std::vector<Copy> copies = {};
  PostProcess after = {};
  std::optional<Rejection> refused = {};  // what the read raises instead of posting anything
};

// Reads remote logical blocks into local logical blocks, one list a transfer group, paired by position;
// `sources` are the metadata of the ranks in tp_mapping().sources, by rank. `permute` and `repack` are the
// flags in force (of the worker today, of the remote engine as proposed). Refused: ranks that are missing,
// blocks beyond a pool, lists of unequal length, more than 2^22 copies.
Expected<PlannedRead> planned_read(const EngineSide& local,
                                   const std::map<std::uint64_t, AgentMetadata>& sources,
                                   std::uint64_t remote_tp_size, const region::BlockGroups& local_blocks,
                                   const region::BlockGroups& remote_blocks, bool permute, bool repack);

// How the transposing steps move the rows of one received block. Rows are (head slot, token) in logical
// order, row = slot · N + token; entry i is the row that row i is taken from. The code was written for views
// with tokens before heads; on today's [B, H, N, C] it is wrong unless H == N or H == 1 (trap T11), and a
// shape that does not divide raises. @pre slots, tokens >= 1; slots · tokens < 2^31
std::vector<std::uint32_t> permute_rows(std::uint64_t slots, std::uint64_t tokens);
Expected<std::vector<std::uint32_t>> regroup_rows(std::uint64_t slots, std::uint64_t tokens,
                                                  std::uint64_t ratio);
// Both at once, as one step.
Expected<std::vector<std::uint32_t>> permute_and_regroup_rows(std::uint64_t slots, std::uint64_t tokens,
                                                              std::uint64_t ratio);

}  // namespace pageproof::handshake
