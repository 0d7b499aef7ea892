// The wire forms: what is written is read back, an absent optional field stays absent, and a wrong one is
// refused with its path.
#include "model/handshake/wire.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "tests/model/handshake/bytes.hpp"

namespace pageproof::handshake {
namespace {

using nlohmann::json;
using region::Layout;
using testing::HasSubstr;

AgentMetadata sample(Behaviour behaviour = Behaviour::s2) {
  region::Engine engine;
  engine.behaviour = behaviour;
  engine.model.layers = 2;
  return metadata_of(engine, Layout::lbhnc, *region::register_engine(engine, Layout::lbhnc));
}

TEST(Wire, MetadataSurvives) {
  for (const Behaviour behaviour : {Behaviour::s0, Behaviour::s2}) {
    AgentMetadata metadata = sample(behaviour);
    EXPECT_EQ(decode_metadata(encode(metadata, behaviour), behaviour, "m").value(), metadata);
    const json text = json::parse(to_json(metadata, behaviour).dump());
    EXPECT_EQ(metadata_from_json(text, behaviour, "m").value(), metadata);
  }
  AgentMetadata metadata = sample();
  metadata.region_page_formats = {"standard", "standard"};
  metadata.region_group_ids = {-1, 3};
  metadata.region_members = {{"a", "b"}, {}};
  metadata.kv_caches_base_addr = {UINT64_MAX, 0};
  metadata.ssm_sizes = {7, 9};
  EXPECT_EQ(decode_metadata(encode(metadata, Behaviour::s2), Behaviour::s2, "m").value(), metadata);
}

TEST(Wire, PayloadSurvives) {
  const HandshakePayload payload{"abc", encode(sample(), Behaviour::s2)};
  EXPECT_EQ(decode_payload(encode(payload), "p").value(), payload);
  EXPECT_EQ(payload_from_json(json::parse(to_json(payload).dump()), "p").value(), payload);
}

// Two phases: a payload whose inner bytes are no metadata is still a payload.
TEST(Wire, TheInnerBytesAreNotLookedAt) {
  const HandshakePayload payload{"abc", hex("c1 ff")};
  const auto decoded = decode_payload(encode(payload), "p");
  ASSERT_TRUE(decoded.has_value());
  EXPECT_FALSE(decode_metadata(decoded->agent_metadata_bytes, Behaviour::s2, "p").has_value());
}

TEST(Wire, AbsenceOfTheTagIsSeen) {
  const AgentMetadata without = sample();
  EXPECT_EQ(decode_metadata(encode(without, Behaviour::s2), Behaviour::s2, "m")->region_page_formats,
            std::nullopt);
  EXPECT_FALSE(to_json(without, Behaviour::s2).contains(kPageFormatsKey));
  json null_tag = json::parse(to_json(without, Behaviour::s2).dump());
  null_tag[kPageFormatsKey] = nullptr;
  EXPECT_EQ(metadata_from_json(null_tag, Behaviour::s2, "m")->region_page_formats, std::nullopt);
  null_tag[kPageFormatsKey] = json::array();
  EXPECT_NE(metadata_from_json(null_tag, Behaviour::s2, "m")->region_page_formats, std::nullopt);
}

TEST(Wire, UnknownKeysAreIgnored) {
  json metadata = json::parse(to_json(sample(), Behaviour::s2).dump());
  metadata["packed_member_layouts"] = {{"a", {1, 2}}};
  EXPECT_EQ(metadata_from_json(metadata, Behaviour::s2, "m").value(), sample());
}

// T22 and §1.1: S0 has no strides and calls its layouts HND and NHD; a newer decoder requires strides.
TEST(Wire, TheTwoVersionsDiffer) {
  const AgentMetadata old = sample(Behaviour::s0);
  EXPECT_EQ(old.kv_cache_layout, "HND");
  EXPECT_FALSE(old.block_strides.has_value());
  const auto refused = decode_metadata(encode(old, Behaviour::s0), Behaviour::s2, "m");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(to_string(refused.error()), "m: $.block_strides: missing required field");
  EXPECT_TRUE(decode_metadata(encode(sample(), Behaviour::s2), Behaviour::s0, "m").has_value());
}

struct BadField {
  const char* name;
  std::function<void(json&)> damage;
  const char* line;
};

std::vector<BadField> bad_fields() {
  std::vector<BadField> all;
  for (const char* key : {"engine_id", "agent_metadata", "kv_caches_base_addr", "device_id", "num_blocks",
                          "block_lens", "block_strides", "kv_cache_layout", "block_size", "ssm_sizes",
                          "attn_backend_name", "physical_blocks_per_logical_kv_block"}) {
    all.push_back({key, [key](json& m) { m.erase(key); }, "missing required field"});
    all.push_back({key, [key](json& m) { m[key] = nullptr; }, "null: expected"});
    all.push_back({key, [key](json& m) { m[key] = json::object(); }, "expected"});
    all.push_back({key, [key](json& m) { m[key] = 1.5; }, "expected"});
    all.push_back({key, [key](json& m) { m[key] = true; }, "true: expected"});
  }
  const auto list = [&](const char* key, json value, const char* line) {
    all.push_back({key, [key, value](json& m) { m[key] = value; }, line});
  };
  list("num_blocks", -1, "$.num_blocks: -1: expected a whole number from 0");
  list("block_lens", {1, -5}, "$.block_lens[1]: -5");
  list("block_lens", {"a"}, "$.block_lens[0]: \"a\"");
  list("kv_caches_base_addr", {1, json::array()}, "$.kv_caches_base_addr[1]: []");
  list("ssm_sizes", {1, 2, 3}, "$.ssm_sizes: 3 entries: expected 2");
  list("ssm_sizes", json::array(), "$.ssm_sizes: 0 entries");
  list("agent_metadata", "not base64!", "$.agent_metadata: not base64!: not base64");
  list("agent_metadata", "QQ=", "not base64");
  list("agent_metadata", "QR==", "not base64");
  list("region_group_ids", {9223372036854775808u}, "$.region_group_ids[0]: 9223372036854775808");
  list("region_names", {1}, "$.region_names[0]: 1: expected a string");
  list("region_names", "layer", "$.region_names: \"layer\": expected an array");
  list("region_members", {{"a"}, {1}}, "$.region_members[1][0]: 1: expected a string");
  list("dcp_size", nullptr, "$.dcp_size: null");
  list(kPageFormatsKey, {"standard", 7}, "$.region_page_formats[1]: 7: expected a string");
  return all;
}

TEST(Wire, BadFieldsGetOneErrorWithTheirPath) {
  for (const BadField& bad : bad_fields()) {
    json metadata = json::parse(to_json(sample(), Behaviour::s2).dump());
    bad.damage(metadata);
    const auto refused = metadata_from_json(metadata, Behaviour::s2, "m");
    ASSERT_FALSE(refused.has_value()) << bad.name << " " << bad.line;
    EXPECT_THAT(to_string(refused.error()), HasSubstr(bad.line)) << bad.name;
    EXPECT_THAT(to_string(refused.error()), HasSubstr(std::string("m: $.") + bad.name));
  }
  for (const json& no_object : {json::array(), json(3), json("x"), json()}) {
    EXPECT_FALSE(metadata_from_json(no_object, Behaviour::s2, "m").has_value());
    EXPECT_FALSE(payload_from_json(no_object, "p").has_value());
  }
  EXPECT_FALSE(payload_from_json({{"compatibility_hash", "x"}}, "p").has_value());
  EXPECT_FALSE(payload_from_json({{"compatibility_hash", 1}, {"agent_metadata_bytes", ""}}, "p").has_value());
}

// Ext where bytes belong is not bytes.
TEST(Wire, ExtIsNotBytes) {
  const auto refused = decode_payload(hex("82 b2 636f6d7061746962696c6974795f68617368 a1 61 b4 "
                                          "6167656e745f6d657461646174615f6279746573 d4 01 00"),
                                      "p");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().field, "$.agent_metadata_bytes");
}

TEST(Wire, RegionsOfMetadata) {
  AgentMetadata metadata = sample();
  const auto regions = regions_of(metadata, "m");
  ASSERT_TRUE(regions.has_value());
  EXPECT_EQ(regions->size(), 2u);
  EXPECT_EQ(regions->at(1).block_stride, 65536u);

  metadata.block_lens.pop_back();
  EXPECT_THAT(to_string(regions_of(metadata, "m").error()),
              HasSubstr("$.block_lens: 1 entries: kv_caches_base_addr has 2"));
  metadata = sample();
  metadata.region_names->push_back("x");
  EXPECT_THAT(to_string(regions_of(metadata, "m").error()), HasSubstr("$.region_names: 3 entries"));
  metadata = sample();
  metadata.kv_caches_base_addr[1] = UINT64_MAX - 10;
  EXPECT_THAT(to_string(regions_of(metadata, "m").error()), HasSubstr("$.kv_caches_base_addr[1]"));
  metadata = sample();
  metadata.region_num_blocks->at(0) = UINT64_MAX;
  EXPECT_FALSE(regions_of(metadata, "m").has_value());
  metadata.region_num_blocks->at(0) = 0;
  EXPECT_TRUE(regions_of(metadata, "m").has_value());
}

TEST(Wire, Base64) {
  for (const char* text : {"", "a", "ab", "abc", "abcd", "\xff\xfe\x00x"}) {
    const auto bytes = bytes_of(text);
    EXPECT_EQ(from_base64(base64(bytes), "", "").value(), bytes);
  }
  EXPECT_EQ(base64(bytes_of("hi")), "aGk=");
}

}  // namespace
}  // namespace pageproof::handshake
