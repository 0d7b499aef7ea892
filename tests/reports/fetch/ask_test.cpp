// The question on the wire, and every way in which an answer can fail to come or be none.
#include "reports/fetch/ask.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model/handshake/bytes.hpp"
#include "tests/reports/fetch/peer.hpp"

namespace pageproof::fetch {
namespace {

using handshake::bytes_of;
using handshake::hex;
using std::chrono::milliseconds;
using testing::HasSubstr;

const Bytes kClock = hex("cb 40 09 21 fb 54 44 2d 18");  // 3.14159...

Expected<Answer> asked(const std::string& at, milliseconds timeout = milliseconds(400),
                       std::uint64_t tp_rank = 0) {
  const Expected<Address> address = parse_address(at, "test");
  EXPECT_TRUE(address.has_value());
  return ask({.address = *address, .pp_rank = 0, .tp_rank = tp_rank, .timeout = timeout});
}

std::string refused(const Expected<Answer>& answer) {
  return answer ? "answered" : to_string(answer.error());
}

TEST(Ask, TheRequestIsWhatAConnectorSends) {
  EXPECT_EQ(request_of(0, 0), hex("93 c4 0c 67 65 74 5f 6d 65 74 61 5f 6d 73 67 00 00"));
  const auto tail = [](std::uint64_t rank) {
    const Bytes all = request_of(0, rank);
    return Bytes(all.begin() + 16, all.end());
  };
  EXPECT_EQ(tail(127), hex("7f"));
  EXPECT_EQ(tail(128), hex("cc 80"));
  EXPECT_EQ(tail(256), hex("cd 01 00"));
  EXPECT_EQ(tail(65536), hex("ce 00 01 00 00"));
  EXPECT_EQ(tail(UINT64_MAX), hex("cf ff ff ff ff ff ff ff ff"));
}

TEST(Ask, AnAnswer) {
  Bytes seen;
  Peer peer([&](const Bytes& request) {
    seen = request;
    return Parts{bytes_of("payload"), kClock};
  });
  const Expected<Answer> answer = asked(peer.at(), kDecoderWaits, 7);
  ASSERT_TRUE(answer.has_value()) << to_string(answer.error());
  EXPECT_EQ(answer->payload, bytes_of("payload"));
  EXPECT_NEAR(answer->remote_clock, 3.14159, 1e-4);
  EXPECT_GT(answer->round_trip, 0);
  EXPECT_LT(answer->round_trip, 5);
  EXPECT_EQ(seen, request_of(0, 7));
}

TEST(Ask, ByName) {
  Peer peer([&](const Bytes&) { return Parts{{}, kClock}; });
  const Expected<Answer> answer = asked(peer.at("localhost"), kDecoderWaits);
  ASSERT_TRUE(answer.has_value()) << to_string(answer.error());
  EXPECT_TRUE(answer->payload.empty());  // whether that is a payload is not decided here
}

TEST(Ask, OverIpv6) {
  Peer peer([&](const Bytes&) { return Parts{bytes_of("six"), kClock}; }, "tcp://[::1]:*");
  if (!peer.listens()) GTEST_SKIP() << "no IPv6 loopback here";
  const Expected<Answer> answer = asked(peer.at("[::1]"), kDecoderWaits);
  ASSERT_TRUE(answer.has_value()) << to_string(answer.error());
  EXPECT_EQ(answer->payload, bytes_of("six"));
}

// Two questions one after the other: the first socket is gone when the second comes.
TEST(Ask, Again) {
  int count = 0;
  Peer peer([&](const Bytes&) { return Parts{Bytes(static_cast<std::size_t>(++count)), kClock}; });
  EXPECT_EQ(asked(peer.at(), kDecoderWaits)->payload.size(), 1u);
  EXPECT_EQ(asked(peer.at(), kDecoderWaits)->payload.size(), 2u);
}

TEST(Ask, RepliesThatAreNone) {
  const Bytes some = bytes_of("payload");
  const std::vector<std::pair<Parts, const char*>> replies = {
      {{}, "closed the connection without a reply"},  // not even an envelope: ZeroMQ hangs up
      {{{}}, "reply: 1: not the two parts"},
      {{some}, "reply: 1: not the two parts"},
      {{some, kClock, {}}, "reply: 3 or more: not the two parts"},
      {Parts(1000, some), "reply: 3 or more: not the two parts"},
      {{some, {}}, "clock: 0 B: the second part is no MessagePack number"},
      {{some, hex("c1")}, "clock: 1 B"},
      {{some, hex("cb 40 09")}, "clock: 3 B"},
      {{some, hex("a3 31 2e 30")}, "clock: 4 B"},
      {{some, hex("cb 7f f8 00 00 00 00 00 00")}, "clock: 9 B"},  // NaN
      {{some, hex("cb 7f f0 00 00 00 00 00 00")}, "clock: 9 B"},  // infinity
      {{some, hex("01 02")}, "clock: 2 B"},
      {{some, Bytes(200'000, std::byte{0x91})}, "clock: 200000 B"},
  };
  for (const auto& [parts, line] : replies) {
    Peer peer([&](const Bytes&) { return parts; });
    EXPECT_THAT(refused(asked(peer.at(), kDecoderWaits)), HasSubstr(line));
  }
}

// A rank that the engine lacks ends its listener: nothing comes any more.
TEST(Ask, AWrongRankIsATimeOut) {
  Peer peer([&](const Bytes& request) {
    return request == request_of(0, 0) ? std::optional(Parts{bytes_of("payload"), kClock}) : std::nullopt;
  });
  EXPECT_TRUE(asked(peer.at(), kDecoderWaits, 0).has_value());
  const auto begun = std::chrono::steady_clock::now();
  const std::string line = refused(asked(peer.at(), milliseconds(400), 3));
  const auto took = std::chrono::steady_clock::now() - begun;
  EXPECT_THAT(line, HasSubstr("connected, but no reply within 0.4 s: an engine without TP rank 3"));
  EXPECT_GE(took, milliseconds(400));
  EXPECT_LT(took, milliseconds(2000));
}

TEST(Ask, NobodyListens) {
  std::string at;
  {
    Peer gone([](const Bytes&) { return std::nullopt; });
    at = gone.at();
  }
  EXPECT_THAT(refused(asked(at)), HasSubstr(at + ": no connection within 0.4 s"));
}

TEST(Ask, TheListenerHangsUp) {
  Peer* self = nullptr;
  Peer peer([&](const Bytes&) {
    self->hang_up();
    return std::optional<Parts>();
  });
  self = &peer;
  EXPECT_THAT(refused(asked(peer.at(), kDecoderWaits)),
              HasSubstr("closed the connection without a reply, or sent a part above 64 MiB"));
}

TEST(Ask, SomethingElseListens) {
  for (const char* text :
       {"HTTP/1.1 400 Bad Request\r\n\r\n", "", "\xff\x00\x00\x00", "SSH-2.0-OpenSSH\r\n"}) {
    const PlainListener other{text};
    EXPECT_THAT(refused(asked(other.at(), kDecoderWaits)), HasSubstr("does not speak ZeroMQ")) << text;
  }
  const PlainListener silent{std::nullopt};
  EXPECT_THAT(refused(asked(silent.at())),
              HasSubstr("something accepts the connection, but does not speak ZeroMQ within 0.4 s"));
}

TEST(Ask, APartAboveTheLimit) {
  const Bytes large(kLargestPart + 1);
  Peer peer([&](const Bytes&) { return Parts{large, kClock}; });
  EXPECT_THAT(refused(asked(peer.at(), kDecoderWaits)), HasSubstr("a part above 64 MiB"));
}

TEST(Ask, AHostWithoutAnAddress) {
  EXPECT_THAT(refused(asked("no-such-host.invalid:5600", milliseconds(3000))),
              HasSubstr("no-such-host.invalid: "));
}

}  // namespace
}  // namespace pageproof::fetch
