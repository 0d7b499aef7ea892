// What the space is made of, as data: the ways in which a backend is run, and the shapes of the models.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/region/engine.hpp"
#include "reports/silent/space.hpp"

namespace pageproof::silent {

inline constexpr std::uint64_t kHeadDim = 64;
inline constexpr std::uint64_t kQuickHeadDim = 32;  // two fp8 granules: with one, orders of granules coincide

struct Blocks {
  std::uint64_t manager;
  std::uint64_t kernel;
};

enum class Pages : std::uint8_t { of_backend, shuffled, gluon, page_16 };

// A backend as it may be run.
struct Kind {
  region::Backend backend;
  Pages pages;
  std::vector<Blocks> blocks;
  bool quantised = true;  // takes an fp8 cache
  bool latent = false;    // of a latent model, where the others are not
};

std::vector<Kind> kinds();

struct CacheType {
  region::Dtype dtype;
  std::string_view cache_dtype;
  bool quantised = false;
};
inline constexpr CacheType kBfloat16{region::Dtype::bfloat16, "auto"};
inline constexpr CacheType kFloat16{region::Dtype::float16, "auto"};
inline constexpr CacheType kFp8{region::Dtype::bfloat16, "fp8", true};

struct ModelShape {
  const char* name;
  std::uint64_t kv_heads;
  std::vector<std::uint64_t> tp_sizes;
  std::vector<CacheType> types;
  std::uint64_t groups = 1;
  bool latent = false;
};

std::vector<ModelShape> shapes(Extent extent);

// An engine of this kind on one rank, with the RFC's knob on, that announces its page format.
region::Engine engine_of(const ModelShape& shape, const Kind& kind, std::uint64_t head_dim);

}  // namespace pageproof::silent
