// The compatibility hash: golden digests of the connector spec §1.4, Python's JSON, and the factors that
// differ by name (report P21, traps T1 and T23).
#include "model/handshake/hash.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace pageproof::handshake {
namespace {

using nlohmann::json;
using region::Backend;
using region::Engine;
using testing::ElementsAre;
using testing::IsEmpty;

Engine with_backend(Backend backend) {
  Engine engine;
  engine.backend = backend;
  engine.hma = true;
  return engine;
}

std::string hash_of(const Engine& engine) {
  return compatibility_hash(hash_factors(engine));
}

TEST(Hash, GoldenText) {
  EXPECT_EQ(
      python_json(hash_factors(with_backend(Backend::flash_attn))),
      R"({"attn_backend_name": "FLASH_ATTN", "cache_dtype": "auto", "dtype": "torch.bfloat16", "head_size": 128, )"
      R"("is_hma_enabled": true, "model": "Qwen/Qwen3-8B", "nixl_connector_version": 12, "num_hidden_layers": 36, )"
      R"("num_kv_heads": 8, "speculative_config": null, "transfer_mode": "pull", "vllm_version": "0.30.0"})");
}

TEST(Hash, GoldenDigests) {
  EXPECT_EQ(hash_of(with_backend(Backend::flash_attn)),
            "e6c9f9fec59f48360f8567d169195e75ed6785f30f5063e0a6dbd6a4934259c3");
  EXPECT_EQ(hash_of(with_backend(Backend::rocm_aiter_unified_attn)),
            "097d2d4726aadbf9ec168c034f63e68bacf0383ed9a7f2283b74e7d980fee585");
  EXPECT_EQ(hash_of(with_backend(Backend::cpu_attn)),
            "1cc6f4bb7b7d90b05e7998b6308076ecc0576ec5168cd36f3746d68322c20ac7");
  Engine speculating = with_backend(Backend::flash_attn);
  speculating.speculative.emplace();
  speculating.speculative->method = "eagle3";
  speculating.speculative->model = "m";
  speculating.speculative->auxiliary_layer_ids = {2, 18, 33};
  EXPECT_EQ(hash_of(speculating), "2331e9e8882e170b0d10c314c7c5e803ae0e0710c62efd15ff77319a4ea72cc6");
}

// T1: the hash cannot tell AITER FA from CUDA FlashAttention, nor shuffled pages from standard ones.
TEST(Hash, WhatItDoesNotSee) {
  const Engine cuda = with_backend(Backend::flash_attn);
  EXPECT_EQ(hash_of(cuda), hash_of(with_backend(Backend::rocm_aiter_fa)));
  Engine other = with_backend(Backend::rocm_aiter_fa);
  other.shuffle = true;
  other.tp_size = 2;
  other.block_size = other.kernel_block_size = 32;
  other.num_blocks = 5;
  other.environment_layout = region::Layout::lhbnc;
  other.announces_page_format = true;
  EXPECT_EQ(hash_of(cuda), hash_of(other));
}

// T23: "auto" is not "bfloat16", and a model is its literal name.
TEST(Hash, WhatItSees) {
  const Engine base = with_backend(Backend::flash_attn);
  const auto differs = [&](const char* factor, auto change) {
    Engine changed = base;
    change(changed);
    EXPECT_NE(hash_of(base), hash_of(changed)) << factor;
    const auto found = differences(hash_factors(base), hash_factors(changed));
    ASSERT_EQ(found.size(), 1u) << factor;
    EXPECT_EQ(found[0].name, factor);
  };
  differs("cache_dtype", [](Engine& e) { e.cache_dtype = "bfloat16"; });
  differs("model", [](Engine& e) { e.model.name = "./Qwen3-8B"; });
  differs("vllm_version", [](Engine& e) { e.vllm_version = "0.30.1"; });
  differs("nixl_connector_version", [](Engine& e) { e.connector_version = 37; });
  differs("dtype", [](Engine& e) { e.dtype = region::Dtype::float16; });
  differs("num_kv_heads", [](Engine& e) { e.model.kv_heads = 4; });
  differs("head_size", [](Engine& e) { e.model.head_dim = 64; });
  differs("num_hidden_layers", [](Engine& e) { e.model.layers = 28; });
  differs("is_hma_enabled", [](Engine& e) { e.hma = false; });
  differs("transfer_mode", [](Engine& e) { e.transfer_mode = region::TransferMode::push; });
  differs("attn_backend_name", [](Engine& e) { e.backend = Backend::triton_attn; });
  differs("speculative_config", [](Engine& e) { e.speculative.emplace().method = "eagle"; });
}

// P21 (dynamo #10027, #12821): equal but for is_hma_enabled; named, with both values.
TEST(Hash, TheFactorIsNamedWithBothValues) {
  Engine local;
  Engine remote;
  local.hma = true;
  EXPECT_NE(hash_of(local), hash_of(remote));
  EXPECT_THAT(differences(hash_factors(local), hash_factors(remote)),
              ElementsAre(FactorDifference{"is_hma_enabled", "true", "false"}));
  EXPECT_THAT(differences(hash_factors(local), hash_factors(local)), IsEmpty());
  Engine old = local;
  old.behaviour = region::Behaviour::s0;
  EXPECT_THAT(differences(hash_factors(local), hash_factors(old)),
              ElementsAre(FactorDifference{"cross_layers_blocks", "(absent)", "false"}));
}

TEST(Hash, WithoutTheBackendsName) {
  const Engine fa = with_backend(Backend::rocm_aiter_fa);
  const Engine unified = with_backend(Backend::rocm_aiter_unified_attn);
  EXPECT_NE(hash_of(fa), hash_of(unified));
  EXPECT_EQ(compatibility_hash(hash_factors(fa, BackendInHash::no)),
            compatibility_hash(hash_factors(unified, BackendInHash::no)));
}

// json.dumps: what Python writes for these values (checked with Python 3.11).
TEST(Hash, PythonJson) {
  EXPECT_EQ(python_json(json("a\"\\\n\r\t\b\f\x01\x7f/")), R"("a\"\\\n\r\t\b\f\u0001\u007f/")");
  EXPECT_EQ(python_json(json("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80")), R"("\u00e9\u20ac\ud83d\ude00")");
  EXPECT_EQ(python_json(json::parse(R"({"b":[1,{"z":null,"a":true}],"a":[],"c":{}})")),
            R"({"a": [], "b": [1, {"a": true, "z": null}], "c": {}})");
  EXPECT_EQ(python_json(json(-1)), "-1");
  EXPECT_EQ(python_json(json(18446744073709551615u)), "18446744073709551615");
}

TEST(Hash, Sha256) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace pageproof::handshake
