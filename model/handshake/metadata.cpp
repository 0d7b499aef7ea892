#include "model/handshake/metadata.hpp"

#include <fmt/format.h>

namespace pageproof::handshake {
namespace {

constexpr const char* kAgentBlob = "pageproof";

template <class T>
Expected<void> as_long(const std::optional<std::vector<T>>& list, const char* field, std::size_t regions,
                       const std::string& subject) {
  if (!list || list->size() == regions) return {};
  return std::unexpected(Error{subject, std::string("$.") + field, fmt::format("{} entries", list->size()),
                               fmt::format("kv_caches_base_addr has {}", regions)});
}

Expected<void> equal_lengths(const AgentMetadata& m, const std::string& subject) {
  const std::size_t regions = m.kv_caches_base_addr.size();
  const std::optional<std::vector<std::uint64_t>> lens = m.block_lens;
  const Expected<void> all[] = {
      as_long(lens, "block_lens", regions, subject),
      as_long(m.block_strides, "block_strides", regions, subject),
      as_long(m.region_num_blocks, "region_num_blocks", regions, subject),
      as_long(m.region_group_ids, "region_group_ids", regions, subject),
      as_long(m.region_names, "region_names", regions, subject),
      as_long(m.region_mem_types, "region_mem_types", regions, subject),
      as_long(m.region_page_formats, kPageFormatsKey, regions, subject),
  };
  for (const Expected<void>& one : all) {
    if (!one) return one;
  }
  return {};
}

bool leaves_64_bits(const region::Region& region) {
  if (region.num_blocks == 0) return false;
  std::uint64_t end = 0;
  return __builtin_mul_overflow(region.num_blocks - 1, region.block_stride, &end) ||
         __builtin_add_overflow(end, region.block_len, &end) ||
         __builtin_add_overflow(end, region.base, &end);
}

}  // namespace

AgentMetadata metadata_of(const region::Engine& engine, region::Layout layout,
                          const region::Registration& registration) {
  const bool newest = engine.behaviour != region::Behaviour::s0;
  AgentMetadata m;
  m.engine_id = engine.engine_id;
  for (const char* c = kAgentBlob; *c != '\0'; ++c) m.agent_metadata.push_back(static_cast<std::byte>(*c));
  m.device_id = engine.device_id;
  m.num_blocks = region::kernel_blocks_of(engine);
  m.kv_cache_layout = newest ? to_string(layout) : legacy_name(layout);
  m.block_size = engine.kernel_block_size;
  m.attn_backend_name = region::facts_of(engine.backend).hash_name;
  m.physical_blocks_per_logical_kv_block = region::blocks_per_logical_block(engine);
  if (newest) {
    m.block_strides.emplace();
    m.region_num_blocks.emplace();
    m.region_group_ids.emplace();
    m.region_names.emplace();
    m.region_mem_types.emplace();
    m.dcp_size = engine.dcp_size;
    m.pcp_size = engine.pcp_size;
  }
  if (engine.announces_page_format) m.region_page_formats.emplace();
  for (const region::Region& region : registration.regions) {
    m.kv_caches_base_addr.push_back(region.base);
    m.block_lens.push_back(region.block_len);
    if (newest) {
      m.block_strides->push_back(region.block_stride);
      m.region_num_blocks->push_back(region.num_blocks);
      m.region_group_ids->push_back(region.group);
      m.region_names->push_back(region.name);
      m.region_mem_types->push_back(to_string(region.memory));
    }
    if (engine.announces_page_format) m.region_page_formats->push_back(region.page_format);
  }
  return m;
}

Expected<std::vector<region::Region>> regions_of(const AgentMetadata& m, const std::string& subject) {
  if (const Expected<void> ok = equal_lengths(m, subject); !ok) return std::unexpected(ok.error());
  std::vector<region::Region> regions;
  for (std::size_t i = 0; i < m.kv_caches_base_addr.size(); ++i) {
    region::Region region;
    region.base = m.kv_caches_base_addr[i];
    region.block_len = m.block_lens[i];
    region.block_stride = m.block_strides ? (*m.block_strides)[i] : m.block_lens[i];
    region.num_blocks = m.region_num_blocks ? (*m.region_num_blocks)[i] : m.num_blocks;
    region.group = m.region_group_ids ? (*m.region_group_ids)[i] : 0;
    if (m.region_names) region.name = (*m.region_names)[i];
    if (m.region_page_formats) region.page_format = (*m.region_page_formats)[i];
    if (region.group < region::kShared) {
      return std::unexpected(Error{subject, fmt::format("$.region_group_ids[{}]", i),
                                   std::to_string(region.group), "neither a group nor -1, shared"});
    }
    if (m.region_mem_types) {
      const std::string& type = (*m.region_mem_types)[i];
      if (type == to_string(region::MemoryType::dram)) {
        region.memory = region::MemoryType::dram;
      } else if (type != to_string(region::MemoryType::vram)) {
        return std::unexpected(
            Error{subject, fmt::format("$.region_mem_types[{}]", i), type, "neither VRAM nor DRAM"});
      }
    }
    if (leaves_64_bits(region)) {
      return std::unexpected(
          Error{subject, fmt::format("$.kv_caches_base_addr[{}]", i), fmt::format("{:#x}", region.base),
                fmt::format("{} blocks of stride {} leave 64 bits", region.num_blocks, region.block_stride)});
    }
    regions.push_back(std::move(region));
  }
  return regions;
}

}  // namespace pageproof::handshake
