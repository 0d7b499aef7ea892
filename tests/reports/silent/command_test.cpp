// `pageproof handshake silent` as its users run it.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

namespace pageproof::cli_tests {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(HandshakeSilent, TheCountComesFirst) {
  const Outcome text = run({"handshake", "silent", "--quick"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, StartsWith("Of "));
  EXPECT_THAT(text.out, HasSubstr("read wrong bytes without a word"));
  EXPECT_THAT(text.out, HasSubstr("first wrong byte: decode rank 0, layer 0"));
}

TEST(HandshakeSilent, OneJsonDocument) {
  const nlohmann::json found = run_json({"handshake", "silent", "--quick"}, 0);
  EXPECT_EQ(found["proposed"]["wrong"], 0);
  EXPECT_GT(found["today"]["wrong"], 0);
  EXPECT_FALSE(found["causes"].empty());
}

TEST(HandshakeSilent, BadOptionsAreOneLine) {
  expect_refused(run({"handshake", "silent", "--threads", "0"}), {"--threads", "0"});
  expect_refused(run({"handshake", "silent", "--threads", "4000000000"}), {"--threads", "4000000000"});
  expect_refused(run({"handshake", "silent", "--threads", "two"}), {"--threads", "two"});
  expect_refused(run({"handshake", "silent", "--markdown", "--decisions"}), {"--decisions", "--markdown"});
  expect_refused(run({"handshake", "silent", "--loud"}), {"--loud"});
  expect_refused(run({"handshake", "silent", "LBHNC"}), {"LBHNC"});
  expect_refused(run({"handshake", "silence"}), {"silence", "silent"});
}

}  // namespace
}  // namespace pageproof::cli_tests
