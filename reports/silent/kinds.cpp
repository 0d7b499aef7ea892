#include "reports/silent/kinds.hpp"

#include <fmt/format.h>

namespace pageproof::silent {

using region::Backend;
using region::Engine;

std::vector<Kind> kinds() {
  using enum Pages;
  return {
      {Backend::flash_attn, of_backend, {{16, 16}, {32, 32}, {64, 16}, {128, 128}}},
      {Backend::rocm_aiter_fa, of_backend, {{16, 16}, {32, 32}, {64, 16}}},
      {Backend::rocm_aiter_unified_attn, of_backend, {{16, 16}, {64, 64}}},
      {Backend::triton_attn, of_backend, {{16, 16}, {64, 64}}},
      {Backend::rocm_aiter_fa, shuffled, {{16, 16}, {32, 32}, {64, 16}}},
      {Backend::rocm_aiter_fa, gluon, {{128, 128}}},
      {Backend::rocm_attn, of_backend, {{16, 16}, {32, 32}}},
      {Backend::cpu_attn, of_backend, {{16, 16}, {32, 32}, {128, 128}}, false},
      {Backend::rocm_aiter_fa, page_16, {{16, 16}, {32, 32}, {128, 128}}},
      {Backend::flash_attn, of_backend, {{16, 16}, {64, 64}}, true, true},
      {Backend::triton_attn, of_backend, {{16, 16}, {64, 16}}, true, true},
  };
}

std::vector<ModelShape> shapes(Extent extent) {
  if (extent == Extent::quick) {
    return {{"1 KV head", 1, {1, 2}, {kBfloat16}},
            {"2 KV heads", 2, {1, 2}, {kBfloat16, kFp8}},
            {"4 KV heads", 4, {1, 2}, {kBfloat16}},
            {"2 KV heads, two KV-cache groups", 2, {1, 2}, {kBfloat16, kFloat16}, 2},
            {"latent attention", 1, {1, 2}, {kBfloat16}, 1, true}};
  }
  return {{"1 KV head", 1, {1, 2}, {kBfloat16, kFp8}},
          {"2 KV heads", 2, {1, 2, 4}, {kBfloat16, kFloat16, kFp8}},
          {"3 KV heads", 3, {1, 3}, {kBfloat16, kFp8}},
          {"8 KV heads", 8, {1, 2, 4, 8}, {kBfloat16, kFp8}},
          {"4 KV heads, two KV-cache groups", 4, {1, 2, 4}, {kBfloat16}, 2},
          {"latent attention", 1, {1, 2, 4}, {kBfloat16, kFp8}, 1, true}};
}

Engine engine_of(const ModelShape& shape, const Kind& kind, std::uint64_t head_dim) {
  Engine engine;
  engine.model.name = "model";
  engine.model.layers = 2 * shape.groups;
  engine.model.groups = shape.groups;
  engine.model.kv_heads = shape.kv_heads;
  engine.model.query_heads = 8 * shape.kv_heads;
  engine.model.head_dim = head_dim;
  engine.model.latent = shape.latent;
  engine.hma = shape.groups > 1;
  engine.backend = kind.backend;
  engine.platform = region::facts_of(kind.backend).platform;
  engine.shuffle = kind.pages == Pages::shuffled || kind.pages == Pages::gluon;
  if (kind.pages == Pages::gluon) engine.kernel_path = region::KernelPath::gluon;
  if (kind.pages == Pages::page_16) engine.page_format = region::kPage16;
  engine.convert_page_format = true;
  engine.announces_page_format = true;  // a key that today's connector does not know, and ignores
  return engine;
}

std::vector<std::string> kinds_of_engines() {
  std::vector<std::string> lines;
  for (const Kind& kind : kinds()) {
    ModelShape shape{
        .name = "", .kv_heads = 1, .tp_sizes = {}, .types = {}, .groups = 1, .latent = kind.latent};
    const Engine engine = engine_of(shape, kind, kHeadDim);
    std::string line = fmt::format("{}, {}{}: ", to_string(kind.backend),
                                   kind.latent ? "latent" : region::page_format_of(engine),
                                   kind.pages == Pages::gluon ? " (gluon)" : "");
    for (const Blocks& blocks : kind.blocks) {
      if (!line.ends_with(": ")) line += ", ";
      line += blocks.manager == blocks.kernel ? std::to_string(blocks.kernel)
                                              : fmt::format("{}/{}", blocks.manager, blocks.kernel);
    }
    lines.push_back(line + (kind.quantised ? "" : "; no fp8 cache"));
  }
  return lines;
}

}  // namespace pageproof::silent
