// `pageproof handshake`: what a person is told, and that files of any kind get one line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "model/handshake/document.hpp"
#include "model/handshake/wire.hpp"
#include "model/region/engine_json.hpp"
#include "model/region/tp_mapping.hpp"
#include "tests/cli/program.hpp"
#include "tests/golden/scratch.hpp"
#include "tests/model/handshake/bytes.hpp"
#include "tests/model/handshake/sides.hpp"

namespace pageproof::handshake {
namespace {

using golden::Scratch;
using nlohmann::json;
using testing::HasSubstr;

class HandshakeCommand : public testing::Test {
 protected:
  Scratch scratch_;  // before the files in it
  std::string put(const std::string& name, std::string_view text) {
    golden::put(scratch_ / name, text);
    return (scratch_ / name).string();
  }
  std::string put(const std::string& name, const std::vector<std::byte>& bytes) {
    return put(name, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  std::string put(const std::string& name, const Engine& engine) {
    return put(name, region::to_json(engine).dump());
  }
  // What `handshake check` prints of a pair; exit 0 or 1.
  struct Said {
    bool holds = false;
    std::string text;
  };
  Said check(const std::string& local, const std::string& remote,
             const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments = {"handshake", "check", local, remote};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const cli_tests::Outcome outcome = cli_tests::run(arguments);
    EXPECT_THAT(outcome.exit_code, testing::AnyOf(0, 1)) << outcome.err;
    return {outcome.exit_code == 0, outcome.out};
  }

  // The RFC's decoder, and prefills for it.
  std::string decoder_ = put("decode.json", engine_named("decode", [](Engine& e) {
                               e.shuffle = e.convert_page_format = true;
                               e.environment_layout = Layout::lhbnc;
                             }));
  std::string standard_ = put("prefill.json", engine_named("prefill"));
};

TEST_F(HandshakeCommand, TwoDescriptions) {
  const Said said = check(decoder_, standard_);
  EXPECT_TRUE(said.holds);
  EXPECT_THAT(said.text, HasSubstr("today   rejected: check 10: RuntimeError"));
  EXPECT_THAT(said.text, HasSubstr("RFC     accepted: standard pages are converted after the read"));
  EXPECT_THAT(said.text, HasSubstr("hash    equal"));
  EXPECT_THAT(said.text, HasSubstr("lands   RFC: block 0 is read by 4 copies"));
  const json parsed = cli_tests::run_json({"handshake", "check", decoder_, standard_}, 0);
  EXPECT_EQ(parsed["proposed"]["outcome"], "convert");
  EXPECT_EQ(parsed["lands"]["RFC"]["first"][1]["remote"],
            parsed["lands"]["RFC"]["first"][0]["remote"].get<std::uint64_t>() + 32768);
}

TEST_F(HandshakeCommand, FactorsThatDifferAreNamed) {
  const std::string other = put("other.json", engine_named("prefill", [](Engine& e) { e.hma = true; }));
  const Said said = check(decoder_, other);
  EXPECT_FALSE(said.holds);
  EXPECT_THAT(said.text, HasSubstr("hash    differs in is_hma_enabled: local false, remote true"));
  EXPECT_THAT(said.text, HasSubstr("RFC     rejected (todays_check): hash"));
}

TEST_F(HandshakeCommand, TheBackendsNameCanStayInTheHash) {
  const std::string unified =
      put("unified.json",
          engine_named("prefill", [](Engine& e) { e.backend = Backend::rocm_aiter_unified_attn; }));
  EXPECT_TRUE(check(decoder_, unified).holds);
  const Said kept = check(decoder_, unified, {"--backend-in-hash"});
  EXPECT_FALSE(kept.holds);
  EXPECT_THAT(kept.text, HasSubstr("differs in attn_backend_name: local \"FLASH_ATTN\""));
}

TEST_F(HandshakeCommand, StrictReader) {
  const auto wide = [](Engine& e) { e.block_size = e.kernel_block_size = 32; };
  const std::string local = put("wide.json", engine_named("decode", [&](Engine& e) {
                                  e.shuffle = e.convert_page_format = true;
                                  e.environment_layout = Layout::lhbnc;
                                  wide(e);
                                }));
  const std::string remote = put("wide_prefill.json", engine_named("prefill", wide));
  const Said said = check(local, remote);
  EXPECT_TRUE(said.holds);
  EXPECT_THAT(said.text, HasSubstr("warning no asm kernel reads 32-token pages"));
  const Said strict = check(local, remote, {"--strict-reader"});
  EXPECT_FALSE(strict.holds);
  EXPECT_THAT(strict.text, HasSubstr("rejected (reader_trap)"));
}

// A captured payload against a description: today's connectors send no tag, so a shuffled decoder refuses it.
TEST_F(HandshakeCommand, ACapturedPayload) {
  const EngineSide remote = prefill();
  const std::string msgpack = put("payload.msgpack", encode(remote.payload()));
  const std::string text = put("payload.json", to_json(remote.payload()).dump());
  for (const std::string& file : {msgpack, text}) {
    const Said said = check(decoder_, file);
    EXPECT_FALSE(said.holds);
    EXPECT_THAT(said.text,
                HasSubstr("remote  prefill: FLASH_ATTN, LBHNC, no page-format tag, 2 regions of 65536 B"));
    EXPECT_THAT(said.text, HasSubstr("rejected (tag_missing): the prefill does not say its page format"));
    EXPECT_THAT(said.text, HasSubstr("hash    equal"));
  }
  const EngineSide tagged = prefill(Layout::lbhnc, [](Engine& e) { e.announces_page_format = true; });
  EXPECT_TRUE(check(decoder_, put("tagged", encode(tagged.payload()))).holds);
}

// Two captures: what the wire tells is enough to see a layout or a length that differs.
TEST_F(HandshakeCommand, TwoCaptures) {
  const std::string local = put("d", encode(decode().payload()));
  EXPECT_TRUE(check(local, put("p", encode(prefill().payload()))).holds);
  const Said other = check(local, put("n", encode(prefill(Layout::lbnhc).payload())));
  EXPECT_THAT(other.text, HasSubstr("check 10: RuntimeError"));
  const std::string alone = put("m", encode(prefill().metadata, Behaviour::s2));
  const Said unhashed = check(local, alone);
  EXPECT_TRUE(unhashed.holds);
  EXPECT_THAT(unhashed.text, HasSubstr("hash    not compared"));
  const EngineSide half = prefill(Layout::lbhnc, [](Engine& e) { e.tp_size = 2; });
  const std::string ranks = put("r", encode(half.payload()));
  EXPECT_FALSE(check(local, ranks).holds);  // lengths do not fit one rank
  EXPECT_TRUE(check(local, ranks, {"--remote-tp", "2"}).holds);
}

TEST_F(HandshakeCommand, Decode) {
  const auto decode = [](const std::string& file) {
    return cli_tests::run_json({"handshake", "decode", file}, 0);
  };
  const json parsed = decode(put("p", encode(prefill().payload())));
  EXPECT_EQ(parsed["kind"], "handshake payload");
  EXPECT_EQ(parsed["compatibility_hash"], prefill().hash);
  EXPECT_EQ(parsed["metadata"], json::parse(to_json(prefill().metadata, Behaviour::s2).dump()));
  EXPECT_EQ(decode(standard_)["compatibility_hash"], prefill().hash);
  const auto old = prefill(Layout::lbhnc, [](Engine& e) { e.behaviour = region::Behaviour::s0; });
  const std::string file = put("old", encode(old.payload()));
  cli_tests::expect_refused(cli_tests::run({"handshake", "decode", file}), {"$.block_strides", "missing"});
  EXPECT_EQ(cli_tests::run({"handshake", "decode", file, "--s0"}).exit_code, 0);
}

TEST_F(HandshakeCommand, BadFilesGetOneLine) {
  const std::vector<std::pair<std::string, const char*>> files = {
      {"/no/such/file", "cannot be opened"},
      {put("empty", ""), "truncated"},
      {put("text", "hello"), "neither a JSON object nor a MessagePack map"},
      {put("array", "[]"), "neither a JSON object nor a MessagePack map"},
      {put("list", hex("90")), "neither an engine description"},
      {put("map", hex("80")), "neither an engine description"},
      {put("nested", std::vector<std::byte>(200'000, std::byte{0x91})), "nested deeper than 32"},
      {put("json", "{"), "not JSON"},
      {put("object", "{}"), "neither an engine description"},
      {put("deep", "{\"a\":" + std::string(100'000, '[')), "nested deeper"},
      {put("engine", R"({"backend": "X"})"), "no such backend"},
      {put("payload", R"({"compatibility_hash": 1})"), "$.compatibility_hash"},
      {put("inner", encode(HandshakePayload{prefill().hash, hex("c1")})), "agent_metadata_bytes"},
      {put("backend", R"({"backend": "ROCM_AITER_FA", "environment_layout": "LBNHC"})"),
       "backend: $.environment_layout: LBNHC: not a layout"},
  };
  for (const auto& [file, line] : files) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"check", standard_, file}, {"check", file, standard_}, {"decode", file}}) {
      std::vector<std::string> all = {"handshake"};
      all.insert(all.end(), arguments.begin(), arguments.end());
      const cli_tests::Limits limits{.memory_bytes = cli_tests::kSmallMemory, .file_bytes = {}, .out = ""};
      cli_tests::expect_refused(cli_tests::run(all, limits), {line});
    }
  }
  const std::string capture = put("capture", encode(prefill().payload()));
  for (const char* size : {"0", "-1", "x", "65537", "18446744073709551615"}) {
    cli_tests::expect_refused(cli_tests::run({"handshake", "check", standard_, capture, "--remote-tp", size}),
                              {size});
  }
  cli_tests::expect_refused(cli_tests::run({"handshake", "check", capture, capture, "--kv-heads", "0"}),
                            {"--kv-heads"});
}

// The hash is compared before the metadata is decoded: a payload of another connector is refused for its
// hash, not for what a decoder never looks at.
TEST_F(HandshakeCommand, TheHashComesBeforeTheMetadata) {
  const std::string file = put("inner", encode(HandshakePayload{"another hash", hex("c1")}));
  for (const std::string& local : {decoder_, standard_, put("captured", encode(decode().payload()))}) {
    const Said said = check(local, file);
    EXPECT_FALSE(said.holds);
    EXPECT_THAT(said.text,
                HasSubstr("today   rejected: hash: RuntimeError: NIXL compatibility hash mismatch."));
    EXPECT_THAT(said.text, HasSubstr("RFC     rejected (todays_check): NIXL compatibility hash mismatch."));
    EXPECT_THAT(said.text, HasSubstr("remote  metadata that does not decode"));
  }
  const std::string unasked =
      put("unasked", engine_named("decode", [](Engine& e) { e.enforce_handshake_compat = false; }));
  cli_tests::expect_refused(cli_tests::run({"handshake", "check", unasked, file}),
                            {"inner agent_metadata_bytes: $: 0xc1", "(byte 0)"});
}

// Names of a peer end up in our lines: none may add a line, or speak to the terminal.
TEST_F(HandshakeCommand, NamesOfAPeerStayInTheirLine) {
  const std::string local = put("local", engine_named("decode"));
  const std::string spoof = "x\nRFC     accepted\x1b[2J\xc2\x9b";
  const auto judged = [&](const std::function<void(AgentMetadata&)>& change, const std::string& hash) {
    AgentMetadata metadata = prefill().metadata;
    change(metadata);
    const std::string file = put("spoof", encode(HandshakePayload{hash, encode(metadata, Behaviour::s2)}));
    return check(local, file).text;
  };
  const std::string equal = prefill().hash;
  for (const std::string& text : {judged([&](AgentMetadata& m) { m.engine_id = spoof; }, equal),
                                  judged([&](AgentMetadata& m) { m.region_names->front() = spoof; }, equal),
                                  judged([](AgentMetadata&) {}, spoof)}) {
    EXPECT_THAT(text, HasSubstr("x\\x0aRFC     accepted\\x1b[2J\\xc2\\x9b"));
    for (const char* raw : {"\nRFC     accepted\x1b", "\x1b", "\xc2\x9b"}) {
      EXPECT_THAT(text, testing::Not(HasSubstr(raw)));
    }
  }
}

// Two small descriptions can mean reads of 2^32 copies, or thousands of ranks: a verdict all the same, at
// once and in little memory.
TEST_F(HandshakeCommand, SmallDescriptionsOfLargeReads) {
  const auto engine = [&](const char* id, const std::function<void(Engine&)>& change) {
    return put(id, engine_named(id, [&](Engine& e) {
                 e.model.head_dim = 1;
                 e.model.kv_heads = e.model.query_heads = 1;
                 change(e);
               }));
  };
  const auto said = [](const std::string& local, const std::string& remote) {
    const cli_tests::Limits limits{.memory_bytes = cli_tests::kSmallMemory, .file_bytes = {}, .out = ""};
    return cli_tests::run({"handshake", "check", local, remote}, limits);
  };
  const auto deep = [](Engine& e) { e.model.layers = 4096; };
  const cli_tests::Outcome blocks = said(engine("a",
                                                [&](Engine& e) {
                                                  deep(e);
                                                  e.block_size = e.kernel_block_size = 1 << 20;
                                                }),
                                         engine("b", [&](Engine& e) {
                                           deep(e);
                                           e.block_size = e.kernel_block_size = 1;
                                           e.num_blocks = 1 << 20;
                                         }));
  EXPECT_EQ(blocks.exit_code, 1) << blocks.err;
  EXPECT_THAT(blocks.out, HasSubstr("more than 4194304 copies"));
  const auto wide = [](Engine& e) {
    e.model.layers = 16;
    e.model.kv_heads = e.model.query_heads = region::kMostRanks;
  };
  const cli_tests::Outcome ranks = said(engine("c", wide), engine("d", [&](Engine& e) {
                                          wide(e);
                                          e.tp_size = region::kMostRanks;
                                        }));
  EXPECT_EQ(ranks.exit_code, 0) << ranks.err;
  EXPECT_THAT(ranks.out, HasSubstr("block 0 is read by 65536 copies"));
  // Of captures, whose regions no bound of a description limits.
  const auto captured = [&](const char* id, std::uint64_t block_len) {
    AgentMetadata m = prefill().metadata;
    m.engine_id = id;
    const std::vector<std::uint64_t> each(128, block_len);
    m.kv_caches_base_addr = m.block_lens = each;
    m.block_strides = each;
    m.region_num_blocks = std::vector<std::uint64_t>(each.size(), m.num_blocks);
    m.region_group_ids = std::vector<std::int64_t>(each.size(), 0);
    m.region_names = std::vector<std::string>(each.size(), "layer");
    m.region_mem_types = std::vector<std::string>(each.size(), "VRAM");
    return put(id, encode(m, Behaviour::s2));
  };
  const std::string most = std::to_string(region::kMostRanks);
  const Said many = check(captured("e", 16 * region::kMostRanks), captured("f", 16),
                          {"--remote-tp", most, "--kv-heads", most});
  EXPECT_TRUE(many.holds) << many.text;
  EXPECT_THAT(many.text, HasSubstr("128 regions of 4096 ranks, more than are listed"));
}

// Captures whose numbers are as large or as odd as they can be: an error or a verdict.
TEST_F(HandshakeCommand, HostileNumbers) {
  const auto judged = [&](const std::function<void(AgentMetadata&)>& change) {
    AgentMetadata metadata = prefill().metadata;
    change(metadata);
    const std::string file = put("hostile", encode(metadata, Behaviour::s2));
    const auto accepted = [](const std::string& local, const std::string& remote) {
      const int exit_code = cli_tests::run({"handshake", "check", local, remote}).exit_code;
      EXPECT_THAT(exit_code, testing::AnyOf(0, 1, 2));
      return exit_code == 0;
    };
    return std::pair{accepted(standard_, file), accepted(file, standard_)};
  };
  const std::pair neither{false, false};
  EXPECT_EQ(judged([](AgentMetadata& m) { m.block_size = 0; }), neither);
  EXPECT_EQ(judged([](AgentMetadata& m) { m.block_size = UINT64_MAX; }), neither);
  EXPECT_EQ(judged([](AgentMetadata& m) { m.physical_blocks_per_logical_kv_block = 0; }), neither);
  EXPECT_EQ(judged([](AgentMetadata& m) { m.block_lens = {UINT64_MAX, UINT64_MAX}; }), neither);
  EXPECT_EQ(judged([](AgentMetadata& m) { m.block_strides = {{0, 0}}; }), neither);
  EXPECT_EQ(judged([](AgentMetadata& m) { m.kv_caches_base_addr = {UINT64_MAX, UINT64_MAX}; }), neither);
  EXPECT_EQ(judged([](AgentMetadata& m) { m.region_num_blocks = {{UINT64_MAX, 1}}; }), neither);
  EXPECT_EQ(judged([](AgentMetadata& m) { m.kv_cache_layout = "LBHCN"; }), neither);
  EXPECT_EQ(judged([](AgentMetadata& m) { m.region_page_formats = {{"standard"}}; }), neither);
  EXPECT_EQ(judged([](AgentMetadata& m) { m.dcp_size = UINT64_MAX, m.pcp_size = UINT64_MAX; }), neither);
  EXPECT_EQ(judged([](AgentMetadata& m) { m.region_mem_types = {{"VRAM", "TAPE"}}; }), neither);
  EXPECT_EQ(judged([](AgentMetadata& m) { m.region_group_ids = {{-2, -2}}; }), neither);
  EXPECT_EQ(judged([](AgentMetadata& m) { m.engine_id = "decode"; }), (std::pair{true, true}));
}

TEST(HandshakeMatrix, EveryCellHasItsVerdict) {
  const json cells = cli_tests::run_json({"handshake", "matrix"}, 0)["pairs"];
  EXPECT_EQ(cells.size(), 121u);
  std::size_t accepted = 0;
  for (const json& cell : cells) {
    const std::string verdict = cell["verdict"];
    EXPECT_FALSE(verdict.empty() || verdict == "none");
    if (cell["prefill"] == cell["decode"]) {
      EXPECT_EQ(verdict, "match") << cell;
    }
    accepted += verdict == "match" || verdict == "convert" || verdict == "repack";
  }
  EXPECT_GT(accepted, 11u);
  const std::string markdown = cli_tests::run({"handshake", "matrix", "--markdown"}).out;
  EXPECT_THAT(markdown, HasSubstr("### `convert_page_format`"));
  EXPECT_THAT(markdown, HasSubstr("- `check 10` (today): RuntimeError"));
  // Today's table accepts pairs of different formats, the RFC's does not.
  const json today = cli_tests::run_json({"handshake", "matrix", "--today"}, 0)["pairs"];
  const auto verdict = [](const json& table, const char* from, const char* to) {
    for (const json& cell : table) {
      if (cell["prefill"] == from && cell["decode"] == to) return cell["verdict"].get<std::string>();
    }
    return std::string("no such cell");
  };
  EXPECT_EQ(verdict(today, "AITER FA LBHNC", "AITER FA shuffled LBHNC"), "accepted");
  EXPECT_EQ(verdict(cells, "AITER FA LBHNC", "AITER FA shuffled LBHNC"), "local_layout");
}

}  // namespace
}  // namespace pageproof::handshake
