// Writes the named files of the corpus: what the program's own encoders write, and malformed neighbours of
// it. A file is named by what it is. `make_corpus fuzz/decoders/corpus`
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fuzz/campaign/case_file.hpp"
#include "fuzz/campaign/report.hpp"
#include "golden/container/header.hpp"
#include "golden/pages/fixture_json.hpp"
#include "model/handshake/side.hpp"
#include "model/handshake/wire.hpp"
#include "model/region/engine_json.hpp"

namespace pageproof::fuzz {
namespace {

namespace fs = std::filesystem;
using handshake::AgentMetadata;
using handshake::EngineSide;
using nlohmann::json;
using region::Behaviour;

class Corpus {
 public:
  explicit Corpus(fs::path folder) : folder_(std::move(folder)) {}

  void add(const std::string& target, const std::string& name, const std::string& bytes) const {
    fs::create_directories(folder_ / target);
    std::ofstream(folder_ / target / name, std::ios::binary) << bytes;
  }

 private:
  fs::path folder_;
};

std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string repeated(const std::string& part, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += part;
  return all;
}

region::Engine prefill() {
  region::Engine engine;
  engine.engine_id = "prefill";
  engine.model.layers = 2;
  engine.announces_page_format = true;
  return engine;
}

EngineSide side(const region::Engine& engine) {
  return *handshake::side_with_layout(engine, region::Layout::lbhnc);
}

std::string payload_of(const EngineSide& of, AgentMetadata metadata) {
  const handshake::HandshakePayload payload{of.hash, handshake::encode(metadata, of.engine.behaviour)};
  return text(handshake::encode(payload));
}

void add_msgpack(const Corpus& corpus) {
  const std::string target = "handshake_msgpack";
  const EngineSide newest = side(prefill());
  region::Engine older = prefill();
  older.behaviour = Behaviour::s0;
  const EngineSide oldest = side(older);
  corpus.add(target, "payload_of_s2", text(handshake::encode(newest.payload())));
  corpus.add(target, "payload_of_s0", text(handshake::encode(oldest.payload())));
  corpus.add(target, "metadata_of_s2", text(handshake::encode(newest.metadata, Behaviour::s2)));
  corpus.add(target, "metadata_of_s0", text(handshake::encode(oldest.metadata, Behaviour::s0)));
  const std::string whole = text(handshake::encode(newest.metadata, Behaviour::s2));
  corpus.add(target, "metadata_cut_in_half", whole.substr(0, whole.size() / 2));
  corpus.add(target, "bytes_after_the_value", whole + "\xc0");

  AgentMetadata changed = newest.metadata;
  changed.block_lens.pop_back();
  corpus.add(target, "lists_of_unequal_length", payload_of(newest, changed));
  changed = newest.metadata;
  changed.num_blocks = UINT64_MAX;
  changed.block_lens.front() = UINT64_MAX;
  corpus.add(target, "sizes_of_2_to_64_less_1", payload_of(newest, changed));
  changed = newest.metadata;
  changed.block_size = 0;
  changed.physical_blocks_per_logical_kv_block = 0;
  corpus.add(target, "sizes_of_0", payload_of(newest, changed));
  changed = newest.metadata;
  changed.region_group_ids->front() = INT64_MIN;
  corpus.add(target, "negative_group_id", payload_of(newest, changed));
  changed = newest.metadata;
  changed.region_page_formats->front() = "aiter-shuffled";
  corpus.add(target, "mixed_page_formats", payload_of(newest, changed));

  corpus.add(target, "nested_32_deep", repeated("\x91", 32) + "\xc0");
  corpus.add(target, "nested_33_deep", repeated("\x91", 33) + "\xc0");
  corpus.add(target, "nested_4000_deep", repeated("\x91", 4000));
  corpus.add(target, "array_announces_2_to_25", std::string("\xdd\x02\x00\x00\x00", 5));
  corpus.add(target, "text_announces_2_to_32", "\xdb\xff\xff\xff\xff");
  corpus.add(target, "map_announces_2_to_32", "\xdf\xff\xff\xff\xff");
  corpus.add(target, "key_is_a_number", std::string("\x81\x01\xc0", 3));
  corpus.add(target, "key_twice", "\x82\xa1k\x01\xa1k\x02");
  corpus.add(target, "key_is_binary", std::string("\x81\xc4\x01k\xc0", 5));
  corpus.add(target, "unused_byte_c1", "\xc1");
  corpus.add(target, "text_not_utf8", "\xa2\xc3\x28");
  corpus.add(target, "extension", std::string("\xd4\x05\x00", 3));
  corpus.add(target, "empty", "");
}

void add_documents(const Corpus& corpus) {
  const std::string target = "handshake_document";
  const EngineSide newest = side(prefill());
  corpus.add(target, "engine.json", region::to_json(prefill()).dump(1));
  corpus.add(target, "payload.json", handshake::to_json(newest.payload()).dump());
  corpus.add(target, "metadata.json", handshake::to_json(newest.metadata, Behaviour::s2).dump());
  corpus.add(target, "payload.msgpack", text(handshake::encode(newest.payload())));
  corpus.add(target, "metadata.msgpack", text(handshake::encode(newest.metadata, Behaviour::s2)));
  json metadata = handshake::to_json(newest.metadata, Behaviour::s2);
  metadata["num_blocks"] = -1;
  corpus.add(target, "negative_size.json", metadata.dump());
  metadata["num_blocks"] = 18446744073709551615u;
  corpus.add(target, "size_of_2_to_64_less_1.json", metadata.dump());
  metadata["num_blocks"] = 1e300;
  corpus.add(target, "size_with_exponent.json", metadata.dump());
  metadata["num_blocks"] = "1024";
  corpus.add(target, "size_as_text.json", metadata.dump());
  metadata["agent_metadata"] = "QQ=";
  corpus.add(target, "bytes_not_base64.json", metadata.dump());
  corpus.add(target, "nested_33_deep.json", repeated("{\"a\":", 33) + "0" + repeated("}", 33));
  corpus.add(target, "none_of_the_three.json", "{}");
}

void add_engines(const Corpus& corpus) {
  const std::string target = "engine_description";
  region::Engine engine = prefill();
  corpus.add(target, "all_fields", region::to_json(engine).dump(1));
  engine.model.latent = true;
  engine.speculative = region::Speculative{.method = "eagle3", .model = "m", .auxiliary_layer_ids = {{1, 2}}};
  corpus.add(target, "latent_and_speculative", region::to_json(engine).dump());
  corpus.add(target, "least", R"({"backend": "ROCM_AITER_FA"})");
  corpus.add(
      target, "shuffled_decoder",
      R"({"backend":"ROCM_AITER_FA","shuffle":true,"environment_layout":"LHBNC","model":{"layers":2}})");
  corpus.add(target, "cpu",
             R"({"backend":"CPU_ATTN","platform":"cpu","block_size":32,"kernel_block_size":32})");
  corpus.add(target, "unknown_key", R"({"backend":"ROCM_AITER_FA","shufle":true})");
  corpus.add(target, "unknown_backend", R"({"backend":"ROCM_AITER_FB"})");
  corpus.add(target, "layers_2_to_64_less_1",
             R"({"backend":"FLASH_ATTN","model":{"layers":18446744073709551615}})");
  corpus.add(target, "layers_2_to_64", R"({"backend":"FLASH_ATTN","model":{"layers":18446744073709551616}})");
  corpus.add(target, "layers_negative", R"({"backend":"FLASH_ATTN","model":{"layers":-1}})");
  corpus.add(target, "layers_as_list", R"({"backend":"FLASH_ATTN","model":{"layers":[2]}})");
  corpus.add(target, "key_twice", R"({"backend":"FLASH_ATTN","backend":"FLASH_ATTN"})");
  corpus.add(target, "nested_5_deep", R"({"backend":[[[[[]]]]]})");
  corpus.add(target, "cut", R"({"backend":"FLASH_A)");
  corpus.add(target, "bytes_after_a_nul", std::string(R"({"backend":"FLASH_ATTN"})") + '\0' + "{");
  corpus.add(target, "not_utf8", "{\"backend\":\"\xc3\x28\"}");
}

std::string container(const std::string& header, std::size_t data) {
  std::string length(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(header.size() >> (8 * i) & 0xff);
  std::string bytes(data, '\0');
  for (std::size_t i = 0; i < data; ++i) bytes[i] = static_cast<char>(i * 7);
  return length + header + bytes;
}

void add_containers(const Corpus& corpus) {
  const std::string target = "safetensors";
  const auto tensor = [](const char* name, const char* type, const char* shape, int begin, int end) {
    return "\"" + std::string(name) + "\":{\"dtype\":\"" + type + "\",\"shape\":" + shape +
           ",\"data_offsets\":[" + std::to_string(begin) + "," + std::to_string(end) + "]}";
  };
  const std::string standard = tensor("standard", "U8", "[1,1,16,32]", 0, 512);
  const std::string planes = tensor("k_plane", "U8", "[1,1,1,16,16]", 0, 256) + "," +
                             tensor("v_plane", "U8", "[1,1,1,16,16]", 256, 512);
  corpus.add(target, "standard_pages", container("{" + standard + "}", 512));
  corpus.add(target, "planes", container("{" + planes + "}", 512));
  corpus.add(target, "pages_and_ids",
             container("{" + tensor("pages", "U8", "[1,1,16,32]", 8, 520) + "," +
                           tensor("block_ids", "I64", "[1]", 0, 8) + ",\"__metadata__\":{\"by\":\"me\"}}",
                       520));
  corpus.add(target, "no_tensor", container("{}", 0));
  corpus.add(target, "cut", container("{" + standard + "}", 511));
  corpus.add(target, "bytes_of_no_tensor", container("{" + standard + "}", 513));
  corpus.add(
      target, "hole_between_tensors",
      container("{" + tensor("a", "U8", "[8]", 0, 8) + "," + tensor("b", "U8", "[8]", 12, 20) + "}", 20));
  corpus.add(
      target, "overlap",
      container("{" + tensor("a", "U8", "[8]", 0, 8) + "," + tensor("b", "U8", "[8]", 4, 12) + "}", 12));
  corpus.add(target, "offsets_reversed", container("{" + tensor("a", "U8", "[8]", 8, 0) + "}", 8));
  corpus.add(target, "offsets_beyond_the_file", container("{" + tensor("a", "U8", "[9]", 0, 9) + "}", 8));
  corpus.add(target, "size_negative", container("{" + tensor("a", "U8", "[-8]", 0, 8) + "}", 8));
  corpus.add(target, "product_of_2_to_64",
             container("{" + tensor("a", "U8", "[4294967296,4294967296]", 0, 8) + "}", 8));
  corpus.add(target, "four_bits", container("{" + tensor("a", "F4", "[3]", 0, 2) + "}", 2));
  corpus.add(target, "unknown_type", container("{" + tensor("a", "U9", "[8]", 0, 8) + "}", 8));
  corpus.add(target, "header_longer_than_the_file", std::string("\xff\xff\xff\x00\x00\x00\x00\x00{}", 10));
  corpus.add(target, "header_of_2_to_64_less_1", std::string(8, '\xff') + "{}");
  corpus.add(target, "nested_header", container("{\"a\":{\"shape\":[[[[]]]]}}", 0));
}

void add_fixtures(const Corpus& corpus) {
  const std::string target = "fixtures";
  const std::string digest(64, '0');
  golden::Test test;
  test.tc_id = 1;
  test.comment = "one block";
  test.flags = {"Basic"};
  test.fill.kind = "index";
  test.standard_pool = {1, {0}};
  test.standard = {"standard", digest, digest};
  test.planes_pool = {1, {0}};
  test.expected = golden::StoredPlanes{{"k", digest, digest}, {"v", digest, digest}};
  golden::Suite suite{.number_of_tests = 1,
                      .header = {"header"},
                      .notes = {{"Basic", {"BASIC", "description", "effect"}}},
                      .groups = {{"name", "1", {1, 16, 16, 1}, golden::Dtype::u8, "a.safetensors", {test}}}};
  corpus.add(target, "one_test", golden::to_json_text(suite));
  golden::Test& only = suite.groups[0].tests[0];
  only.operation = golden::Operation::find;
  only.found = only.expected;
  only.difference = golden::Difference{{0, Side::value, 0, 1, 2}, 3};
  corpus.add(target, "find", golden::to_json_text(suite));
  only = test;
  only.valid = false;
  only.request = golden::Request{{-1}, {INT64_MAX}};
  corpus.add(target, "request_to_refuse", golden::to_json_text(suite));
  only = test;
  only.planes_pool.num_blocks = INT64_MAX;
  corpus.add(target, "pool_of_2_to_63_blocks", golden::to_json_text(suite));
  suite.groups[0].shape.heads = INT64_MAX;
  corpus.add(target, "heads_of_2_to_63", golden::to_json_text(suite));
  suite.groups[0].shape.heads = 1;
  suite.groups[0].file = "../a.safetensors";
  corpus.add(target, "file_outside_the_folder", golden::to_json_text(suite));
  json missing = json::parse(golden::to_json_text(suite));
  missing.erase("notes");
  corpus.add(target, "notes_missing", missing.dump());
  missing["notes"] = json::array();
  corpus.add(target, "notes_as_list", missing.dump());
  corpus.add(target, "number", "0");
  corpus.add(target, "nested_40_deep", repeated("[", 40) + repeated("]", 40));
}

void add_cases(const Corpus& corpus) {
  const std::string target = "case_files";
  for (const Property& property : all_properties()) {
    Choices choices(recorded({}));
    property.describe(choices, Domain::small);
    const Found found{Domain::small, choices.made(), {}};
    CaseFile file = case_file(property, found, 7, 3);
    file.commit = "0";
    corpus.add(target, property.name + ".json", to_json(file).dump());
  }
  const Property& property = all_properties().front();
  Choices choices(seeded(1));
  property.describe(choices, Domain::wide);
  CaseFile file = case_file(property, {Domain::wide, choices.made(), {}}, 7, 3);
  file.commit = "0";
  corpus.add(target, "wide.json", to_json(file).dump());
  file.property = "convert.nothing";
  corpus.add(target, "unknown_property.json", to_json(file).dump());
  json changed = to_json(file);
  changed["choices"] = {-1};
  corpus.add(target, "negative_choice.json", changed.dump());
  corpus.add(target, "number.json", "0");
  CampaignReport report;
  report.runs = {{7, {1, 2}, 3, 0.5, "0"}};
  report.properties["convert.one"] = {3, {}};
  corpus.add(target, "report.json", to_json(report).dump());
  changed = to_json(report);
  changed["properties"][0]["cases"] = 18446744073709551615u;
  corpus.add(target, "report_of_2_to_64_less_1_cases.json", changed.dump());
  changed["runs"].push_back(changed["runs"][0]);
  corpus.add(target, "report_with_a_shard_twice.json", changed.dump());
}

void add_texts(const Corpus& corpus) {
  const std::string pool("\x00\x10", 2);
  for (const auto& [name, list] :
       std::vector<std::pair<std::string, std::string>>{{"ids_and_a_range", "0,3,5-9"},
                                                        {"whole_pool", "0-15"},
                                                        {"id_twice", "3,3"},
                                                        {"range_backwards", "9-5"},
                                                        {"beyond_the_pool", "0-16"},
                                                        {"id_of_2_to_64", "18446744073709551616"},
                                                        {"range_to_2_to_64_less_1", "0-18446744073709551615"},
                                                        {"empty_part", "1,,2"},
                                                        {"nothing", ""},
                                                        {"negative", "-1"}}) {
    corpus.add("block_ids", name, pool + list);
  }
  for (const auto& [name, word] : std::vector<std::pair<std::string, std::string>>{
           {"tag", "aiter-shuffled"},
           {"tag_mistyped", "aiter-shufled"},
           {"tag_not_utf8", "\xff\xfe"},
           {"order", "h d/x t d%x"},
           {"order_of_pages", "t/16 h t%16/x d t%x"},
           {"order_granularity_0", "t/0 h d"},
           {"order_granularity_2_to_64", "t/18446744073709551616 h d"},
           {"layout", "LHBNC"},
           {"layout_alias", "NHD"},
           {"element_type", "F8_E4M3"},
           {"shard", "3/8"},
           {"shard_beyond", "9/8"},
           {"base64", "AAEC/w=="},
           {"base64_with_loose_bits", "AAEC/x=="},
           {"base64_cut", "AAEC/"}}) {
    corpus.add("names", name, word);
  }
}

}  // namespace
}  // namespace pageproof::fuzz

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_corpus FOLDER\n");
    return 2;
  }
  using namespace pageproof::fuzz;
  const Corpus corpus(argv[1]);
  add_msgpack(corpus);
  add_documents(corpus);
  add_engines(corpus);
  add_containers(corpus);
  add_fixtures(corpus);
  add_cases(corpus);
  add_texts(corpus);
  return 0;
}
