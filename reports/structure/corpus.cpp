#include "reports/structure/corpus.hpp"

#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>

#include "model/handshake/wire.hpp"

namespace pageproof::structure {
namespace {

using handshake::AgentMetadata;
using handshake::EngineSide;
using region::Engine;
using region::Layout;

using EngineChange = void (*)(Engine&);
using WireChange = void (*)(AgentMetadata&);

void latent(Engine& e) {
  e.model.latent = true;
  e.model.kv_heads = 1;
  e.model.draft_kv_heads = 4;
  e.tp_size = 2;
}
void groups(Engine& e) {
  e.hma = true;
  e.model.groups = 2;
}

void converts(Engine& e) {
  e.shuffle = true;
  e.convert_page_format = true;
}

constexpr EngineChange kDecoders[] = {
    [](Engine&) {},
    [](Engine& e) { e.model.kv_heads = 2; },
    [](Engine& e) { e.dcp_size = 2; },
    [](Engine& e) { e.pcp_size = 2; },
    [](Engine& e) { e.model.mamba = true; },
    latent,
    [](Engine& e) {
      latent(e);
      e.transfer_mode = region::TransferMode::push;
    },
    [](Engine& e) { e.memory = region::MemoryType::dram; },
    groups,
    [](Engine& e) {
      groups(e);
      e.enable_permute_local_kv = true;
    },
    [](Engine& e) {
      groups(e);
      e.backend = region::Backend::cpu_attn;
    },
    [](Engine& e) { e.enable_permute_local_kv = true; },
    [](Engine& e) { e.backend = region::Backend::cpu_attn; },
    [](Engine& e) { e.enforce_handshake_compat = false; },
    [](Engine& e) { e.shuffle = true; },
    converts,
    [](Engine& e) {
      converts(e);
      e.kernel_path = region::KernelPath::gluon;
    },
    [](Engine& e) {
      converts(e);
      e.platform = region::Platform::cuda;
    },
    [](Engine& e) {
      converts(e);
      e.block_size = e.kernel_block_size = 64;
    },
    [](Engine& e) {
      converts(e);
      e.cache_dtype = "fp8";
    },
    [](Engine& e) {
      converts(e);
      e.enforce_handshake_compat = false;
    },
    [](Engine& e) {
      converts(e);
      e.dcp_size = 2;
    },
    [](Engine& e) {
      converts(e);
      latent(e);
    },
    [](Engine& e) {
      converts(e);
      groups(e);
    },
    [](Engine& e) {
      converts(e);
      e.transfer_mode = region::TransferMode::push;
    },
    [](Engine& e) {
      converts(e);
      e.memory = region::MemoryType::dram;
    },
    [](Engine& e) {
      converts(e);
      e.model.mamba = true;
    },
    [](Engine& e) { e.page_format = "aiter-page16"; },
    [](Engine& e) {
      e.backend = region::Backend::cpu_attn;
      e.enforce_handshake_compat = false;
    },
    [](Engine& e) {
      e.backend = region::Backend::cpu_attn;
      e.cache_dtype = "fp8";
      e.enforce_handshake_compat = false;
    },
};

// How the prefill's engine differs from the decoder's.
constexpr EngineChange kPrefills[] = {
    [](Engine&) {},
    [](Engine& e) { e.tp_size = 1; },
    [](Engine& e) { e.tp_size = 2; },
    [](Engine& e) { e.tp_size = 4; },
    [](Engine& e) { e.tp_size = 3; },
    [](Engine& e) { e.block_size = e.kernel_block_size = 8; },
    [](Engine& e) { e.dtype = region::Dtype::float16; },
    [](Engine& e) { e.model.layers = 1; },
};

// With the decoder's page format, or with standard pages.
constexpr EngineChange kPages[] = {
    [](Engine&) {},
    [](Engine& e) {
      e.shuffle = false;
      e.backend = region::Backend::rocm_aiter_fa;
      e.page_format = "";
    },
};

template <class T>
void drop_last(std::optional<std::vector<T>>& list) {
  if (list) list->pop_back();
}

void without_last_region(AgentMetadata& m) {
  m.kv_caches_base_addr.pop_back();
  m.block_lens.pop_back();
  drop_last(m.block_strides);
  drop_last(m.region_num_blocks);
  drop_last(m.region_group_ids);
  drop_last(m.region_names);
  drop_last(m.region_mem_types);
  drop_last(m.region_page_formats);
}

constexpr std::size_t kOtherBlocks = 1;
constexpr WireChange kWires[] = {
    [](AgentMetadata&) {},
    [](AgentMetadata& m) { m.num_blocks = 5; },
    [](AgentMetadata& m) { m.dcp_size = 3; },
    [](AgentMetadata& m) { m.dcp_size = 2; },
    [](AgentMetadata& m) { m.pcp_size = 4, m.dcp_size = 2; },
    [](AgentMetadata& m) { m.physical_blocks_per_logical_kv_block = 2; },
    [](AgentMetadata& m) {
      m.region_group_ids = std::vector<std::int64_t>(m.block_lens.size(), -1);
      m.physical_blocks_per_logical_kv_block = 2;
    },
    [](AgentMetadata& m) { m.block_size = 8; },
    [](AgentMetadata& m) { m.block_size = 32; },
    [](AgentMetadata& m) { m.kv_cache_layout = "LBNHC"; },
    [](AgentMetadata& m) { m.block_lens.back() -= 1; },
    [](AgentMetadata& m) { m.kv_caches_base_addr.pop_back(); },
    [](AgentMetadata& m) {
      if (m.region_num_blocks) m.region_num_blocks->pop_back();
    },
    [](AgentMetadata& m) {
      if (m.block_strides) m.block_strides->back() = 1;
    },
    [](AgentMetadata& m) {
      if (m.region_names) m.region_names->front() = "another layer";
    },
    [](AgentMetadata& m) {
      m.region_mem_types = std::vector<std::string>(m.block_lens.size(), "VRAM");
      m.region_mem_types->back() = "DRAM";
    },
    [](AgentMetadata& m) { m.engine_id = "decode"; },
    [](AgentMetadata& m) {
      m.region_page_formats = std::vector<std::string>(m.block_lens.size(), "another format");
    },
    [](AgentMetadata& m) { m.attn_backend_name = "another backend"; },
    without_last_region,
};

constexpr std::pair<Layout, Layout> kLayouts[] = {{Layout::lbhnc, Layout::lbhnc},
                                                  {Layout::lbnhc, Layout::lbhnc},
                                                  {Layout::lhbnc, Layout::lbhnc},
                                                  {Layout::lbnhc, Layout::lbnhc}};

handshake::Reply reply_of(const EngineSide& prefill, const AgentMetadata& metadata, const std::string& hash,
                          std::uint64_t rank) {
  return {rank, handshake::encode(handshake::HandshakePayload{
                    hash, handshake::encode(metadata, prefill.engine.behaviour)})};
}

// A reply as it is; a second rank that is as it is or has other blocks; and, of an unchanged wire, what is no
// reply at all.
void visit_replies(Meeting meeting, const EngineSide& prefill, std::size_t wire,
                   const std::function<void(const Meeting&)>& visit) {
  AgentMetadata changed = prefill.metadata;
  kWires[wire](changed);
  meeting.expected_engine_id = changed.engine_id;
  meeting.replies = {reply_of(prefill, changed, prefill.hash, 0)};
  visit(meeting);
  if (changed.num_blocks != prefill.metadata.num_blocks || wire == 0) {
    meeting.replies = {reply_of(prefill, prefill.metadata, prefill.hash, 0),
                       reply_of(prefill, changed, prefill.hash, 1)};
    visit(meeting);
  }
  if (wire != 0) return;
  meeting.expected_engine_id = "another";
  meeting.replies = {reply_of(prefill, changed, meeting.decoder.hash, 0)};
  visit(meeting);
  meeting.replies = {reply_of(prefill, changed, "no hash", 0)};
  visit(meeting);
  meeting.replies = {{0, handshake::encode(handshake::HandshakePayload{meeting.decoder.hash, {}})}};
  visit(meeting);
  meeting.replies = {{0, {}}};
  visit(meeting);
}

}  // namespace

void visit_meetings(region::Behaviour behaviour, bool tagged,
                    const std::function<void(const Meeting&)>& visit) {
  for (std::size_t d = 0; d < std::size(kDecoders); ++d) {
    Engine decode;
    decode.engine_id = "decode";
    decode.model.layers = 2;
    decode.behaviour = behaviour;
    kDecoders[d](decode);
    for (std::size_t p = 0; p < std::size(kPrefills) * std::size(kPages); ++p) {
      Engine prefill = decode;
      prefill.engine_id = "prefill";
      prefill.announces_page_format = tagged;
      kPrefills[p / std::size(kPages)](prefill);
      kPages[p % std::size(kPages)](prefill);
      for (const auto& [local, remote] : kLayouts) {
        const Expected<EngineSide> decoder = handshake::side_with_layout(decode, local);
        const Expected<EngineSide> source = handshake::side_with_layout(prefill, remote);
        if (!decoder || !source) continue;
        // Engines that differ, or a wire that does; both only where a second rank has other blocks.
        const bool one_size = p < std::size(kPages);
        for (std::size_t wire = 0; wire < std::size(kWires); ++wire) {
          if (!one_size && wire != 0 && wire != kOtherBlocks) continue;
          visit_replies({.name = fmt::format("decoder {}, prefill {}, wire {}, {} <- {}", d, p, wire,
                                             to_string(local), to_string(remote)),
                         .decoder = *decoder,
                         .replies = {},
                         .remote_tp = prefill.tp_size},
                        *source, wire, visit);
        }
      }
    }
  }
}

}  // namespace pageproof::structure
