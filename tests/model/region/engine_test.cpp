// Engine descriptions as JSON: what is read is what was written, and everything else is refused with its
// path.
#include "model/region/engine.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "model/region/engine_json.hpp"

namespace pageproof::region {
namespace {

TEST(Engine, EveryFieldSurvivesTheRoundTrip) {
  Engine engine;
  engine.engine_id = "d-1";
  engine.vllm_version = "0.31.0";
  engine.connector_version = 13;
  engine.model = {.name = "m", .layers = 6, .kv_heads = 4, .query_heads = 8, .head_dim = 64};
  engine.model.groups = 3;
  engine.model.draft_kv_heads = 2;
  engine.dtype = Dtype::float16;
  engine.cache_dtype = "fp8";
  engine.speculative.emplace();
  engine.speculative->method = "eagle3";
  engine.speculative->model = "s";
  engine.speculative->revision = "r";
  engine.speculative->auxiliary_layer_ids = {2, 18};
  engine.tp_size = 2;
  engine.tp_rank = 1;
  engine.block_size = 64;
  engine.kernel_block_size = 32;
  engine.num_blocks = 7;
  engine.kernel_path = KernelPath::gluon;
  engine.shuffle = true;
  engine.announces_page_format = true;
  engine.configured_layout = Layout::lbhnc;
  engine.environment_layout = Layout::lhbnc;
  engine.hma = true;
  engine.prefix_caching = false;
  engine.transfer_mode = TransferMode::push;
  engine.memory = MemoryType::dram;
  engine.enforce_handshake_compat = false;
  engine.enable_permute_local_kv = true;
  engine.convert_page_format = true;
  engine.compute_units = 80;
  engine.max_batch = 3;
  engine.base_address = 4096;
  engine.device_id = 5;
  ASSERT_TRUE(checked(engine, "e").has_value()) << to_string(checked(engine, "e").error());
  const auto again = read_engine(to_json(engine).dump(), "e");
  ASSERT_TRUE(again.has_value()) << to_string(again.error());
  EXPECT_EQ(*again, engine);
  const Engine plain;
  EXPECT_NE(*again, plain);
}

TEST(Engine, DefaultsAreWhatADescriptionLeavesOut) {
  const auto engine = read_engine(R"({"backend": "CPU_ATTN", "block_size": 32})", "e");
  ASSERT_TRUE(engine.has_value()) << to_string(engine.error());
  EXPECT_EQ(engine->platform, Platform::cpu);
  EXPECT_EQ(engine->kernel_block_size, 32u);
  EXPECT_EQ(engine->model.layers, 36u);
  EXPECT_EQ(page_format_of(*engine), kCpuVec);
}

struct BadEngine {
  const char* name;
  std::string text;
  const char* field;
  const char* problem;  // part of it
};

std::string fa(std::string_view more) {
  return fmt::format(R"({{"backend": "ROCM_AITER_FA", {}}})", more);
}

std::vector<BadEngine> bad_engines() {
  return {
      {"empty", "", "$", "not JSON at byte"},
      {"cut", R"({"backend": "ROCM_)", "$.backend", "not JSON at byte"},
      {"nul", std::string(R"({"backend": "CPU_ATTN"})") + '\0' + "{", "$", "not JSON at byte 24, a NUL"},
      {"array", "[]", "$", "expected an object"},
      {"deep", R"({"model":{"a":[[[[1]]]]}})", "$.model.a[0][0]", "nested deeper than the 4 levels"},
      {"very_deep", R"({"model":)" + std::string(200'000, '['), "$.model[0][0][0]",
       "nested deeper than the 4 levels"},
      {"twice", R"({"backend": "CPU_ATTN", "backend": "CPU_ATTN"})", "$.backend", "twice"},
      {"no_backend", "{}", "$.backend", "missing"},
      {"backend_number", R"({"backend": 7})", "$.backend", "expected a string"},
      {"backend_unknown", R"({"backend": "ROCM_AITER"})", "$.backend", "no such backend"},
      {"unknown_key", fa(R"("shufle": true)"), "$.shufle", "no such field"},
      {"unknown_model_key", fa(R"("model": {"heads": 8})"), "$.model.heads", "no such field"},
      {"model_list", fa(R"("model": [])"), "$.model", "expected an object"},
      {"negative", fa(R"("block_size": -16)"), "$.block_size", "whole number"},
      {"fraction", fa(R"("block_size": 16.0)"), "$.block_size", "whole number"},
      {"beyond_64_bits", fa(R"("num_blocks": 18446744073709551616)"), "$.num_blocks", "whole number"},
      {"largest", fa(R"("num_blocks": 18446744073709551615)"), "$.num_blocks", "not within"},
      {"text_number", fa(R"("tp_size": "2")"), "$.tp_size", "whole number"},
      {"zero_layers", fa(R"("model": {"layers": 0})"), "$.model.layers", "not within"},
      {"zero_tp", fa(R"("tp_size": 0)"), "$.tp_size", "not within"},
      {"rank_outside", fa(R"("tp_size": 2, "tp_rank": 2)"), "$.tp_rank", "not within 0 to 1"},
      {"heads_do_not_spread", fa(R"("tp_size": 3)"), "$.tp_size", "neither divides"},
      {"queries_do_not_group", fa(R"("model": {"query_heads": 20})"), "$.model.query_heads", "multiple of 8"},
      {"groups", fa(R"("model": {"groups": 5})"), "$.model.groups", "does not divide"},
      {"kernel_block", fa(R"("block_size": 64, "kernel_block_size": 48)"), "$.kernel_block_size",
       "does not divide"},
      {"kernel_block_larger", fa(R"("block_size": 16, "kernel_block_size": 32)"), "$.kernel_block_size",
       "not within"},
      {"dtype", fa(R"("dtype": "bf16")"), "$.dtype", "bfloat16, float16, float32"},
      {"cache_dtype", fa(R"("cache_dtype": "fp4")"), "$.cache_dtype", "no such cache dtype"},
      {"layout", fa(R"("environment_layout": "LBHCN")"), "$.environment_layout", "no such layout"},
      {"s0_layout", fa(R"("behaviour": "S0", "environment_layout": "LHBNC")"), "$.environment_layout",
       "S0 knows"},
      {"s0_configured", fa(R"("behaviour": "S0", "configured_layout": "LHBNC")"), "$.configured_layout",
       "S0 knows"},
      {"more_ranks_than_any", fa(R"("tp_size": 8192)"), "$.tp_size", "not within 1 to 4096"},
      {"shuffle_elsewhere", R"({"backend": "FLASH_ATTN", "shuffle": true})", "$.shuffle",
       "only ROCM_AITER_FA"},
      {"format_unknown", fa(R"("page_format": "shuffled")"), "$.page_format", "no such page format"},
      {"granule", fa(R"("shuffle": true, "block_size": 12)"), "$.kernel_block_size", "multiples of x = 8"},
      {"granule_fp8", fa(R"("shuffle": true, "cache_dtype": "fp8", "block_size": 24)"), "$.kernel_block_size",
       "x = 16"},
      {"latent_shuffle", fa(R"("shuffle": true, "model": {"latent": true, "kv_heads": 1})"), "$.model.latent",
       "no K and V"},
      {"regions", fa(R"("model": {"layers": 4096, "kv_heads": 4096, "query_heads": 4096})"), "$.model.layers",
       "regions"},
      {"address", fa(R"("base_address": 18446744073709551615)"), "$.base_address", "64 bits"},
      {"padding", fa(R"("padded_page_bytes": 1)"), "$.padded_page_bytes", "not within"},
      {"speculative", fa(R"("speculative": {"model": "m"})"), "$.speculative.method", "missing"},
      {"speculative_ids",
       fa(R"("speculative": {"method": "e", "model": "m", "auxiliary_layer_ids": [1, -2]})"),
       "$.speculative.auxiliary_layer_ids[1]", "whole number"},
      {"name_empty", fa(R"("engine_id": "")"), "$.engine_id", "1 to 4096"},
      {"name_long", fa(fmt::format(R"("engine_id": "{}")", std::string(5000, 'x'))), "$.engine_id",
       "1 to 4096"},
      {"not_utf8", "{\"backend\": \"\xff\"}", "$.backend", "not JSON"},
  };
}

TEST(Engine, BadDescriptionsGetOneErrorWithTheirPath) {
  for (const BadEngine& bad : bad_engines()) {
    const auto refused = read_engine(bad.text, "engine.json");
    ASSERT_FALSE(refused.has_value()) << bad.name;
    EXPECT_EQ(refused.error().subject, "engine.json") << bad.name;
    EXPECT_EQ(refused.error().field, bad.field) << bad.name << ": " << to_string(refused.error());
    EXPECT_NE(refused.error().problem.find(bad.problem), std::string::npos)
        << bad.name << ": " << to_string(refused.error());
    EXPECT_EQ(to_string(refused.error()).find('\n'), std::string::npos) << bad.name;
  }
}

TEST(Engine, HeadsOfARank) {
  Engine engine;
  engine.tp_size = 16;
  EXPECT_EQ(kv_heads_of_rank(engine), 1u);  // 8 heads on 16 ranks: each is held twice
  engine.tp_size = 4;
  EXPECT_EQ(kv_heads_of_rank(engine), 2u);
  EXPECT_EQ(query_heads_of_rank(engine), 8u);
  EXPECT_EQ(page_shape_of(engine), (Shape{2, 16, 128, 2}));
}

}  // namespace
}  // namespace pageproof::region
