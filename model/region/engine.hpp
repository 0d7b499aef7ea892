// One engine, as far as its KV cache and its connector go: the model's shape, how it is spread over ranks,
// the block sizes, the backend, and the options that a handshake reads. Everything else here (layout, views,
// regions, metadata, compatibility hash) is a pure function of this value.
//
// The defaults are Qwen3-8B in bf16 on one ROCm device, 16-token blocks, unshuffled ROCM_AITER_FA.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/page/plain/error.hpp"
#include "model/page/plain/shape.hpp"
#include "model/region/backend.hpp"
#include "model/region/layout.hpp"

namespace pageproof::region {

// Which connector's code is modelled: s0 is upstream of August 2026 (version 7, layouts called HND and NHD,
// one region a layer, no strides on the wire), s2 the newest seen (November 2026, version 11 or later).
// Source: spec §0.
enum class Behaviour : std::uint8_t { s0, s2 };

enum class Dtype : std::uint8_t { bfloat16, float16, float32 };
enum class TransferMode : std::uint8_t { pull, push };
enum class MemoryType : std::uint8_t { vram, dram };

struct Model {
  std::string name = "Qwen/Qwen3-8B";
  std::uint64_t layers = 36;
  std::uint64_t kv_heads = 8;      // of the whole model, not of a rank
  std::uint64_t query_heads = 32;  // of the whole model
  std::uint64_t head_dim = 128;    // D; of the latent where `latent`
  bool latent = false;             // MLA: one latent vector a token, no K and V
  bool mamba = false;              // has Mamba layers besides (their regions are not modelled)
  std::uint64_t groups = 1;  // KV-cache groups; more than 1: layers of different groups overlay one another
  std::uint64_t draft_kv_heads = 0;  // KV heads of a head-sharded draft model; 0: none

  friend bool operator==(const Model&, const Model&) = default;
};

// The speculator's part of the compatibility hash (spec §1.4); only speculators with use_eagle() have one.
struct Speculative {
  std::string method = {};
  std::string model = {};
  std::optional<std::string> revision = {};
  std::optional<std::string> code_revision = {};
  bool parallel_drafting = false;
  std::string kv_cache_dtype = "auto";
  std::optional<std::vector<std::uint64_t>> auxiliary_layer_ids = {};

  friend bool operator==(const Speculative&, const Speculative&) = default;
};

struct Engine {
  std::string engine_id = "engine";
  std::string vllm_version = "0.30.0";
  std::uint64_t connector_version = 12;  // NIXL_CONNECTOR_VERSION
  Behaviour behaviour = Behaviour::s2;

  Model model;
  Dtype dtype = Dtype::bfloat16;
  std::string cache_dtype = "auto";
  std::optional<Speculative> speculative = {};

  std::uint64_t tp_size = 1;
  std::uint64_t tp_rank = 0;
  std::uint64_t dcp_size = 1;
  std::uint64_t pcp_size = 1;

  std::uint64_t block_size = 16;         // tokens of a manager block
  std::uint64_t kernel_block_size = 16;  // tokens of a kernel block; divides block_size
  std::uint64_t num_blocks = 1024;       // manager blocks

  Backend backend = Backend::rocm_aiter_fa;
  Platform platform = Platform::rocm;
  KernelPath kernel_path = KernelPath::asm_kernel;
  bool shuffle = false;                           // VLLM_ROCM_SHUFFLE_KV_CACHE_LAYOUT
  std::string page_format = "";                   // a tag; empty: what the backend writes
  bool announces_page_format = false;             // does its metadata carry the tag?
  std::optional<Layout> configured_layout = {};   // cache_config.kv_cache_layout
  std::optional<Layout> environment_layout = {};  // VLLM_KV_CACHE_LAYOUT
  std::uint64_t padded_page_bytes = 0;            // page_size_padded of a kernel block; 0: none

  bool hma = false;  // the hybrid KV-cache manager is on
  bool prefix_caching = true;
  TransferMode transfer_mode = TransferMode::pull;
  MemoryType memory = MemoryType::vram;  // dram: kv_buffer_device = cpu
  bool enforce_handshake_compat = true;
  bool enable_permute_local_kv = false;
  bool convert_page_format = false;  // the RFC's knob

  std::uint64_t compute_units = 304;  // of one device: 304 on MI300X
  std::uint64_t max_batch = 256;      // most requests decoded at once (max_num_seqs)

  std::uint64_t base_address = std::uint64_t{1} << 32;  // of its one KV-cache allocation
  std::uint64_t device_id = 0;

  friend bool operator==(const Engine&, const Engine&) = default;
};

// Refuses what no engine can be, with the JSON path of the field: a size of 0, a rank outside its group,
// heads that neither divide nor are divided by the ranks, blocks that do not split, an allocation that leaves
// 64 bits. Sizes are bounded, so that nothing built from a checked engine is larger than 2^16 regions.
Expected<Engine> checked(const Engine& engine, const std::string& subject);

// @pre checked()
std::string page_format_of(const Engine& engine);      // its tag, derived or given
std::uint64_t element_bytes_of(const Engine& engine);  // e of the cache
std::uint64_t kv_heads_of_rank(const Engine& engine);  // max(1, K / tp)
std::uint64_t query_heads_of_rank(const Engine& engine);
std::uint64_t blocks_per_logical_block(const Engine& engine);  // ppl
std::uint64_t kernel_blocks_of(const Engine& engine);
bool hma_required(const Engine& engine);    // hybrid manager on, and some layer is no full attention
Shape page_shape_of(const Engine& engine);  // of a kernel block; not for latent models

// Bytes of an element of this cache dtype ("auto": the model's); 0 for an unknown name.
std::uint64_t cache_element_bytes(std::string_view cache_dtype, Dtype dtype);

std::string to_string(Behaviour behaviour);  // "S0", "S2"
std::string to_string(Dtype dtype);          // "bfloat16"
std::string to_string(TransferMode mode);    // "pull", "push"
std::string to_string(MemoryType memory);    // "VRAM", "DRAM"

}  // namespace pageproof::region
