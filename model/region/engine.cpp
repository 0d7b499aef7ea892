#include "model/region/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "model/region/tp_mapping.hpp"

namespace pageproof::region {
namespace {

constexpr std::uint64_t kMostRegions = std::uint64_t{1} << 16;
constexpr std::size_t kLongestName = 4096;

struct Bounded {
  const char* field;
  std::uint64_t value;
  std::uint64_t least;
  std::uint64_t most;
};

struct CacheDtype {
  std::string_view name;
  std::uint64_t bytes;
};
constexpr std::array<CacheDtype, 10> kCacheDtypes = {{
    {"bfloat16", 2},
    {"float16", 2},
    {"float32", 4},
    {"fp8", 1},
    {"fp8_e4m3", 1},
    {"fp8_e4m3fn", 1},
    {"fp8_e4m3fnuz", 1},
    {"fp8_e5m2", 1},
    {"int8", 1},
    {"uint8", 1},
}};

std::unexpected<Error> refuse(const std::string& subject, const char* field, std::string value,
                              std::string problem) {
  return std::unexpected(Error{subject, field, std::move(value), std::move(problem)});
}

Expected<void> bounded(const Engine& e, const std::string& subject) {
  const Bounded bounds[] = {
      {"$.model.layers", e.model.layers, 1, 4096},
      {"$.model.kv_heads", e.model.kv_heads, 1, 65536},
      {"$.model.query_heads", e.model.query_heads, 1, 1 << 20},
      {"$.model.head_dim", e.model.head_dim, 1, 65536},
      {"$.model.groups", e.model.groups, 1, e.model.layers},
      {"$.model.draft_kv_heads", e.model.draft_kv_heads, 0, 65536},
      {"$.tp_size", e.tp_size, 1, kMostRanks},
      {"$.tp_rank", e.tp_rank, 0, e.tp_size - 1},
      {"$.dcp_size", e.dcp_size, 1, 65536},
      {"$.pcp_size", e.pcp_size, 1, 65536},
      {"$.block_size", e.block_size, 1, 1 << 20},
      {"$.kernel_block_size", e.kernel_block_size, 1, e.block_size},
      {"$.num_blocks", e.num_blocks, 1, std::uint64_t{1} << 40},
      {"$.compute_units", e.compute_units, 1, 1 << 20},
      {"$.max_batch", e.max_batch, 1, 1 << 20},
      {"$.device_id", e.device_id, 0, 1 << 20},
  };
  for (const Bounded& b : bounds) {
    if (b.value < b.least || b.value > b.most) {
      return refuse(subject, b.field, std::to_string(b.value),
                    fmt::format("not within {} to {}", b.least, b.most));
    }
  }
  const std::pair<const char*, const std::string*> names[] = {{"$.engine_id", &e.engine_id},
                                                              {"$.vllm_version", &e.vllm_version},
                                                              {"$.model.name", &e.model.name},
                                                              {"$.cache_dtype", &e.cache_dtype}};
  for (const auto& [field, name] : names) {
    if (name->empty() || name->size() > kLongestName) {
      return refuse(subject, field, *name, fmt::format("not a name of 1 to {} bytes", kLongestName));
    }
  }
  return {};
}

Expected<void> divisible(const Engine& e, const std::string& subject) {
  if (e.block_size % e.kernel_block_size != 0) {
    return refuse(subject, "$.kernel_block_size", std::to_string(e.kernel_block_size),
                  fmt::format("does not divide block_size {}", e.block_size));
  }
  if (!e.model.latent && e.model.kv_heads % e.tp_size != 0 && e.tp_size % e.model.kv_heads != 0) {
    return refuse(subject, "$.tp_size", std::to_string(e.tp_size),
                  fmt::format("neither divides nor is a multiple of {} KV heads", e.model.kv_heads));
  }
  if (e.model.query_heads % e.model.kv_heads != 0) {
    return refuse(subject, "$.model.query_heads", std::to_string(e.model.query_heads),
                  fmt::format("not a multiple of {} KV heads", e.model.kv_heads));
  }
  if (e.model.layers % e.model.groups != 0) {
    return refuse(subject, "$.model.groups", std::to_string(e.model.groups),
                  fmt::format("does not divide {} layers", e.model.layers));
  }
  return {};
}

// The page format fits the backend, and its granules the page.
Expected<void> consistent_format(const Engine& e, const std::string& subject) {
  if (e.shuffle && e.backend != Backend::rocm_aiter_fa) {
    return refuse(subject, "$.shuffle", "true", "only ROCM_AITER_FA writes shuffled pages");
  }
  if (e.model.latent && (e.shuffle || !e.page_format.empty())) {
    return refuse(subject, "$.model.latent", "true", "a latent cache has no K and V, and so no page format");
  }
  const Expected<bool> two_slots = has_two_slots(page_format_of(e), subject);
  if (!two_slots) return std::unexpected(two_slots.error());
  if (*two_slots && !e.model.latent) {
    const std::uint64_t x = kGranuleBytes / element_bytes_of(e);
    if (e.kernel_block_size % x != 0 || e.model.head_dim % x != 0) {
      return refuse(subject, "$.kernel_block_size", std::to_string(e.kernel_block_size),
                    fmt::format("a {} page needs tokens and head_dim {} in multiples of x = {}",
                                page_format_of(e), e.model.head_dim, x));
    }
  }
  if (e.behaviour == Behaviour::s0) {
    const std::pair<const char*, std::optional<Layout>> layouts[] = {
        {"$.configured_layout", e.configured_layout}, {"$.environment_layout", e.environment_layout}};
    for (const auto& [field, layout] : layouts) {
      if (layout && *layout != Layout::lbhnc && *layout != Layout::lbnhc) {
        return refuse(subject, field, to_string(*layout), "S0 knows HND and NHD alone");
      }
    }
  }
  return {};
}

Expected<void> addressable(const Engine& e, const std::string& subject) {
  const std::uint64_t slots = std::max<std::uint64_t>(kv_heads_of_rank(e), 2);
  if (e.model.layers * slots > kMostRegions) {
    return refuse(subject, "$.model.layers", std::to_string(e.model.layers),
                  fmt::format("with {} head slots more than {} regions", slots, kMostRegions));
  }
  const std::uint64_t sides = e.model.latent ? 1 : 2;
  const std::uint64_t page =
      sides * kv_heads_of_rank(e) * e.kernel_block_size * e.model.head_dim * element_bytes_of(e);
  if (e.padded_page_bytes != 0 && (e.padded_page_bytes < page || e.padded_page_bytes > 2 * page)) {
    return refuse(subject, "$.padded_page_bytes", std::to_string(e.padded_page_bytes),
                  fmt::format("not within {} and {}, one and two pages", page, 2 * page));
  }
  std::uint64_t bytes = std::max(page, e.padded_page_bytes);
  for (const std::uint64_t factor : {kernel_blocks_of(e), e.model.layers}) {
    if (__builtin_mul_overflow(bytes, factor, &bytes)) bytes = UINT64_MAX;
  }
  if (bytes > UINT64_MAX - e.base_address) {
    return refuse(subject, "$.base_address", std::to_string(e.base_address), "the allocation leaves 64 bits");
  }
  return {};
}

}  // namespace

std::uint64_t cache_element_bytes(std::string_view cache_dtype, Dtype dtype) {
  if (cache_dtype == "auto") return dtype == Dtype::float32 ? 4 : 2;
  const auto found = std::ranges::find(kCacheDtypes, cache_dtype, &CacheDtype::name);
  return found == kCacheDtypes.end() ? 0 : found->bytes;
}

Expected<Engine> checked(const Engine& engine, const std::string& subject) {
  if (cache_element_bytes(engine.cache_dtype, engine.dtype) == 0) {
    return refuse(subject, "$.cache_dtype", engine.cache_dtype,
                  "no such cache dtype; auto takes the model's");
  }
  for (const auto check : {bounded, divisible, consistent_format, addressable}) {
    if (const Expected<void> ok = check(engine, subject); !ok) return std::unexpected(ok.error());
  }
  return engine;
}

std::string page_format_of(const Engine& engine) {
  if (!engine.page_format.empty()) return engine.page_format;
  if (engine.shuffle) return std::string(kShuffled);
  return std::string(facts_of(engine.backend).page_format);
}

std::uint64_t element_bytes_of(const Engine& engine) {
  return cache_element_bytes(engine.cache_dtype, engine.dtype);
}

std::uint64_t kv_heads_of_rank(const Engine& engine) {
  if (engine.model.latent) return 1;
  return std::max<std::uint64_t>(1, engine.model.kv_heads / engine.tp_size);
}

std::uint64_t query_heads_of_rank(const Engine& engine) {
  return std::max<std::uint64_t>(1, engine.model.query_heads / engine.tp_size);
}

std::uint64_t blocks_per_logical_block(const Engine& engine) {
  return engine.block_size / engine.kernel_block_size;
}

std::uint64_t kernel_blocks_of(const Engine& engine) {
  return engine.num_blocks * blocks_per_logical_block(engine);
}

bool hma_required(const Engine& engine) {
  return engine.hma && engine.model.groups > 1;
}

Shape page_shape_of(const Engine& engine) {
  return {kv_heads_of_rank(engine), engine.kernel_block_size, engine.model.head_dim,
          element_bytes_of(engine)};
}

std::string to_string(Behaviour behaviour) {
  return behaviour == Behaviour::s0 ? "S0" : "S2";
}

std::string to_string(Dtype dtype) {
  constexpr std::array names = {"bfloat16", "float16", "float32"};
  return names[static_cast<std::size_t>(dtype)];
}

std::string to_string(TransferMode mode) {
  return mode == TransferMode::pull ? "pull" : "push";
}

std::string to_string(MemoryType memory) {
  return memory == MemoryType::vram ? "VRAM" : "DRAM";
}

}  // namespace pageproof::region
