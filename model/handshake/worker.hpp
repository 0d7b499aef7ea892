// What a decode worker keeps between handshakes, as a value. A handshake takes a worker and gives the worker
// after it, also when it fails: nothing is rolled back there (traps T7, T8), and the next attempt starts from
// what was left.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/region/tp_mapping.hpp"

namespace pageproof::handshake {

// The topology entry of a remote engine. Registering it again changes nothing: the first values win.
struct Topology {
  std::uint64_t tp_size = 1;
  std::uint64_t dcp_size = 1;
  std::uint64_t block_size = 0;
  std::uint64_t blocks_per_logical_block = 1;

  friend bool operator==(const Topology&, const Topology&) = default;
};

struct RemoteEngine {
  std::optional<Topology> topology = {};
  std::optional<region::TpMapping> mapping = {};
  std::set<std::uint64_t> loaded_agents = {};    // ranks whose NIXL agent was added
  std::optional<std::uint64_t> num_blocks = {};  // dst_num_blocks: of the first rank
  std::vector<std::uint64_t> region_num_blocks = {};
  std::vector<std::int64_t> region_group_ids = {};
  std::vector<std::string> region_mem_types = {};
  std::map<std::uint64_t, std::vector<std::uint64_t>> bases = {};  // by rank
  std::set<std::uint64_t> remote_handles = {};                     // ranks with a prepared descriptor list
  std::set<std::uint64_t> ready =
      {};  // ranks in _remote_agents; filled only when the whole handshake succeeded

  friend bool operator==(const RemoteEngine&, const RemoteEngine&) = default;
};

struct Worker {
  bool permute =
      false;  // enable_permute_local_kv, the attribute: set by check 10, never cleared, for all remotes
  bool repack = false;  // enable_heterogeneous_attn_post_process: set by check 11, the same
  std::map<std::string, RemoteEngine> remotes = {};
  std::set<std::uint64_t> local_handles =
      {};  // block sizes besides its own that have a local descriptor list
  std::set<std::pair<std::int64_t, std::uint64_t>> split_handles = {};  // (tp_ratio, remote block size)

  friend bool operator==(const Worker&, const Worker&) = default;
};

}  // namespace pageproof::handshake
