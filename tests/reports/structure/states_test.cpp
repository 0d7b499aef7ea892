// `pageproof handshake states`: what a person reads and what Graphviz gets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reports/structure/laws.hpp"
#include "tests/cli/program.hpp"

namespace pageproof::structure {
namespace {

using testing::HasSubstr;

std::size_t count(const std::string& text, std::string_view word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

TEST(States, SaysWhatTodayLeaksAndTheRfcDoesNot) {
  const std::string text = cli_tests::run({"handshake", "states"}).out;
  EXPECT_THAT(text, HasSubstr("stays      check 10  T7  the permute flag"));
  EXPECT_THAT(text, HasSubstr("stays      A2        T8  the topology entry"));
  EXPECT_EQ(count(text, "\n  stays      nothing\n"), 1u);
  EXPECT_THAT(text, HasSubstr("Today no path compares page formats"));
}

TEST(States, Json) {
  const nlohmann::json all = cli_tests::run_json({"handshake", "states"}, 0)["handshakes"];
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1]["stays_after_failure"].size(), known_leaks().size());
  EXPECT_EQ(all[2]["stays_after_failure"].size(), 0u);
  const auto graph = handshake_of(Order::proposed, region::Behaviour::s2).graph;
  EXPECT_EQ(all[2]["states"].size(), graph.states.size());
  EXPECT_EQ(all[2]["arcs"].size(), graph.arcs.size());
}

TEST(States, Dot) {
  const auto graph = handshake_of(Order::today, region::Behaviour::s2).graph;
  const auto ran = cli_tests::run({"handshake", "states", "--order", "today", "--dot"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(ran.out.starts_with("digraph \"today, S2\" {\n"));
  EXPECT_TRUE(ran.out.ends_with("}\n"));
  EXPECT_EQ(count(ran.out, " -> s"), graph.arcs.size());
  EXPECT_EQ(count(ran.out, "shape="), graph.states.size());
  EXPECT_EQ(count(ran.out, "color=red"), known_leaks().size());
  EXPECT_EQ(count(ran.out, "\"") % 2, 0u);
  const auto rfc = cli_tests::run({"handshake", "states", "--dot"});
  EXPECT_THAT(rfc.out, HasSubstr("digraph \"RFC, S2\""));
  EXPECT_EQ(count(rfc.out, "color=red"), 0u);
  cli_tests::expect_refused(cli_tests::run({"handshake", "states", "--order", "tomorrow"}), {"--order"});
}

}  // namespace
}  // namespace pageproof::structure
