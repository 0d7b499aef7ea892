// `pageproof handshake fetch` as a person runs it, against a listener on loopback.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "model/handshake/wire.hpp"
#include "model/region/engine_json.hpp"
#include "reports/fetch/ask.hpp"
#include "tests/cli/program.hpp"
#include "tests/golden/scratch.hpp"
#include "tests/model/handshake/bytes.hpp"
#include "tests/model/handshake/sides.hpp"
#include "tests/reports/fetch/peer.hpp"

namespace pageproof::fetch {
namespace {

using cli_tests::run;
using handshake::Engine;
using handshake::hex;
using nlohmann::json;
using testing::HasSubstr;

const Bytes kClock = hex("cb 40 59 00 00 00 00 00 00");  // 100

class Fetch : public testing::Test {
 protected:
  std::string decoder() {
    const Engine engine = handshake::engine_named("decode", [](Engine& e) {
      e.shuffle = e.convert_page_format = true;
      e.environment_layout = handshake::Layout::lhbnc;
    });
    golden::put(scratch_ / "decode.json", region::to_json(engine).dump());
    return (scratch_ / "decode.json").string();
  }
  std::string out() { return (scratch_ / "payload.msgpack").string(); }

  static Peer::Reply always(const Bytes& payload) {
    return [payload](const Bytes&) { return Parts{payload, kClock}; };
  }

  golden::Scratch scratch_;
  const Bytes today_ = encode(handshake::prefill().payload());
  const Bytes tagged_ = encode(handshake::prefill(handshake::Layout::lbhnc, [](Engine& e) {
                                 e.announces_page_format = true;
                               }).payload());
};

TEST_F(Fetch, ShowsWhatDecodeShows) {
  Peer peer(always(today_));
  json fetched = cli_tests::run_json({"handshake", "fetch", peer.at(), "--out", out()}, 0);
  EXPECT_EQ(fetched["fetched"]["from"], peer.at());
  EXPECT_EQ(fetched["fetched"]["payload_bytes"], today_.size());
  EXPECT_EQ(fetched["fetched"]["clock_seconds"], 100.0);
  fetched.erase("fetched");
  EXPECT_EQ(fetched, cli_tests::run_json({"handshake", "decode", out()}, 0));
  EXPECT_EQ(golden::contents(out()),
            std::string(reinterpret_cast<const char*>(today_.data()), today_.size()));
}

// The verdict and the exit code are those of check on what --out wrote.
TEST_F(Fetch, JudgesAsCheckDoes) {
  for (const auto& [payload, exit_code] : {std::pair{today_, 1}, {tagged_, 0}}) {
    Peer peer(always(payload));
    const auto fetched = run({"handshake", "fetch", peer.at(), "--against", decoder(), "--out", out()});
    EXPECT_EQ(fetched.exit_code, exit_code) << fetched.out << fetched.err;
    EXPECT_TRUE(fetched.out.starts_with("fetched ")) << fetched.out;
    const auto checked = run({"handshake", "check", decoder(), out()});
    EXPECT_EQ(checked.exit_code, exit_code);
    EXPECT_EQ(fetched.out.substr(fetched.out.find('\n') + 1), checked.out);
    json judged = cli_tests::run_json({"handshake", "fetch", peer.at(), "--against", decoder()}, exit_code);
    judged.erase("fetched");
    EXPECT_EQ(judged, cli_tests::run_json({"handshake", "check", decoder(), out()}, exit_code));
  }
}

TEST_F(Fetch, AsksForTheRank) {
  Peer peer([&](const Bytes& request) {
    return request == request_of(1, 1) ? std::optional(Parts{today_, kClock}) : std::nullopt;
  });
  EXPECT_EQ(run({"handshake", "fetch", peer.at(), "--tp-rank", "1", "--pp-rank", "1"}).exit_code, 0);
  cli_tests::expect_refused(run({"handshake", "fetch", peer.at(), "--tp-rank", "2", "--timeout", "0.3"}),
                            {peer.at(), "no reply within 0.3 s", "TP rank 2"});
  cli_tests::expect_refused(run({"handshake", "fetch", peer.at(), "--tp-rank", "1", "--against", decoder()}),
                            {"--tp-rank: 1", "TP size 1", "--remote-tp"});
}

TEST_F(Fetch, OldMetadata) {
  Peer peer(always(encode(handshake::prefill(handshake::Layout::lbhnc, [](Engine& e) {
                            e.behaviour = region::Behaviour::s0;
                          }).payload())));
  cli_tests::expect_refused(run({"handshake", "fetch", peer.at()}), {"$.block_strides", "missing"});
  EXPECT_EQ(run({"handshake", "fetch", peer.at(), "--s0"}).exit_code, 0);
}

TEST_F(Fetch, MalformedPayloadsGetOneLine) {
  const std::vector<std::pair<Bytes, const char*>> payloads = {
      {{}, "truncated"},
      {hex("c0"), "$"},
      {hex("80"), "compatibility_hash"},
      {hex("c1"), "no MessagePack value"},
      {Bytes(200'000, std::byte{0x91}), "nested deeper than 32"},
      {handshake::bytes_of("hello"), "bytes after the value"},
  };
  for (const auto& [payload, line] : payloads) {
    Peer peer(always(payload));
    const cli_tests::Limits limits{.memory_bytes = cli_tests::kSmallMemory, .file_bytes = {}, .out = ""};
    cli_tests::expect_refused(run({"handshake", "fetch", peer.at(), "--out", out()}, limits),
                              {peer.at(), line});
    EXPECT_EQ(golden::contents(out()).size(), payload.size());  // as it came, to be looked at
    cli_tests::expect_refused(run({"handshake", "fetch", peer.at(), "--against", decoder()}, limits),
                              {peer.at(), line});
  }
}

// As a decoder does, hashes are compared before the metadata is decoded.
TEST_F(Fetch, TheHashComesBeforeMetadataThatDoesNotDecode) {
  Peer peer(always(encode(handshake::HandshakePayload{"x", hex("c1")})));
  cli_tests::expect_refused(run({"handshake", "fetch", peer.at()}), {peer.at(), "no MessagePack value"});
  const auto judged = run({"handshake", "fetch", peer.at(), "--against", decoder()});
  EXPECT_EQ(judged.exit_code, 1) << judged.err;
  EXPECT_NE(judged.out.find("hash mismatch"), std::string::npos) << judged.out;
  EXPECT_NE(judged.out.find("no MessagePack value"), std::string::npos) << judged.out;
}

TEST_F(Fetch, PartsWithoutEnd) {
  const Bytes part(std::size_t{8} << 20);
  Peer peer([&](const Bytes&) { return Parts(64, part); });
  cli_tests::expect_refused(run({"handshake", "fetch", peer.at(), "--timeout", "60"}),
                            {peer.at(), "reply: its parts take more than 256 MiB"});
}

TEST_F(Fetch, BadUsageGetsOneLine) {
  Peer peer(always(today_));
  for (const char* seconds : {"0", "-1", "1e9", "nan", "inf"}) {
    cli_tests::expect_refused(run({"handshake", "fetch", peer.at(), "--timeout", seconds}), {"--timeout"});
  }
  cli_tests::expect_refused(run({"handshake", "fetch", peer.at(), "--timeout", "soon"}), {"--timeout"});
  cli_tests::expect_refused(run({"handshake", "fetch", "localhost"}), {"HOST:PORT: port"});
  cli_tests::expect_refused(run({"handshake", "fetch"}), {"ADDRESS", "required"});
  cli_tests::expect_refused(run({"handshake", "fetch", peer.at(), "--against", "/no/such/file"}),
                            {"cannot be opened"});
  cli_tests::expect_refused(run({"handshake", "fetch", peer.at(), "--out", "/no/such/folder/file"}),
                            {"/no/such/folder"});
  cli_tests::expect_refused(run({"handshake", "fetch", peer.at(), "--tp-rank", "-1"}), {"--tp-rank"});
}

}  // namespace
}  // namespace pageproof::fetch
