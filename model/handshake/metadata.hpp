// What a prefill engine tells a decoder: NixlHandshakePayload, and inside it, encoded on its own,
// NixlAgentMetadata, so that a foreign schema is never decoded before the compatibility hashes were compared.
//
// Field names are those on the wire. An optional field that is absent here is absent there: that a peer sends
// no page formats is itself a fact that the negotiation decides on. Source: connector spec §1.1, §1.2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/page/plain/error.hpp"
#include "model/region/engine.hpp"
#include "model/region/registration.hpp"

namespace pageproof::handshake {

// The key of the page-format tags (#59110): one for each region, in region order. No released connector sends
// it.
inline constexpr const char* kPageFormatsKey = "region_page_formats";

struct AgentMetadata {
  std::string engine_id = "";
  std::vector<std::byte> agent_metadata = {};  // opaque to the connector
  std::vector<std::uint64_t> kv_caches_base_addr = {};
  std::uint64_t device_id = 0;
  std::uint64_t num_blocks = 0;  // kernel blocks
  std::vector<std::uint64_t> block_lens = {};
  std::optional<std::vector<std::uint64_t>> block_strides =
      {};  // absent in S0: stride = len; required from version 9
  std::string kv_cache_layout = "";
  std::uint64_t block_size = 0;  // tokens of a kernel block
  std::pair<std::uint64_t, std::uint64_t> ssm_sizes = {0, 0};
  std::string attn_backend_name = "";
  std::uint64_t physical_blocks_per_logical_kv_block = 1;
  std::optional<std::vector<std::uint64_t>> region_num_blocks = {};
  std::optional<std::vector<std::int64_t>> region_group_ids = {};  // −1: shared by several groups
  std::optional<std::vector<std::string>> region_names = {};
  std::optional<std::vector<std::string>> region_mem_types = {};
  std::uint64_t dcp_size = 1;
  std::uint64_t pcp_size = 1;
  std::vector<std::vector<std::string>> region_members = {};
  std::optional<std::vector<std::string>> region_page_formats = {};

  friend bool operator==(const AgentMetadata&, const AgentMetadata&) = default;
};

struct HandshakePayload {
  std::string compatibility_hash = "";
  std::vector<std::byte> agent_metadata_bytes = {};

  friend bool operator==(const HandshakePayload&, const HandshakePayload&) = default;
};

// What an engine with this layout would send. The page formats are left out unless it announces them.
AgentMetadata metadata_of(const region::Engine& engine, region::Layout layout,
                          const region::Registration& registration);

// The regions that the metadata describes; absent lists take the defaults that the receiver would take.
// Refused: lists of unequal length, a region that leaves 64 bits.
Expected<std::vector<region::Region>> regions_of(const AgentMetadata& metadata, const std::string& subject);

}  // namespace pageproof::handshake
