// The checker against logs of simulated runs: right ones, those of mutants, and right ones with one line
// damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <map>

#include "fuzz/receive/campaign.hpp"
#include "fuzz/receive/trace.hpp"
#include "model/receive/names.hpp"
#include "tests/receive/log_lines.hpp"

namespace pageproof::receive_log_tests {
namespace {

namespace fuzzing = fuzz_receive;

std::vector<std::string> lines_of(const std::string& log) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = log.find('\n', at) + 1;
    lines.push_back(log.substr(at, end - at));
    at = end;
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string log;
  for (const std::string& line : lines) log += line;
  return log;
}

// Its event, and what it says without its time.
std::string event_of(const std::string& line) {
  const std::size_t from = line.find(R"("event":")") + 9;
  return line.substr(from, line.find('"', from) - from);
}
void exchange(std::string& one, std::string& other) {
  const std::string first = one.substr(one.find(','));
  one.replace(one.find(','), std::string::npos, other.substr(other.find(',')));
  other.replace(other.find(','), std::string::npos, first);
}

// One line left out, doubled, or exchanged with the next: whatever that makes of it, it is judged.
TEST(ReceiveLog, ALineDamaged) {
  struct Said {
    int refuted = 0;
    int refused = 0;
    int holds = 0;
  };
  constexpr std::array kWays{"left out", "doubled", "exchanged with the next"};
  std::array<std::map<std::string, Said>, kWays.size()> said;
  for (const bool side : {false, true}) {
    fuzzing::RoundOptions round{.world = {}, .seed = 4, .requests = 30};
    round.world.side = side;
    round.world.bytes = false;
    const std::vector<std::string> log =
        lines_of(fuzzing::event_log(fuzzing::run_round(round).records, round.world));
    ASSERT_GT(log.size(), 100U);
    ASSERT_EQ(judged(joined(log)), "holds");
    for (std::size_t line = 0; line < log.size(); ++line) {
      for (std::size_t way = 0; way < kWays.size(); ++way) {
        std::vector<std::string> damaged = log;
        const auto at = damaged.begin() + static_cast<std::ptrdiff_t>(line);
        if (way == 0) damaged.erase(at);
        if (way == 1) damaged.insert(at, log[line]);
        if (way == 2 && line + 1 < log.size()) exchange(*at, *(at + 1));
        const receive_log::Checked checked = receive_log::check_log(joined(damaged), "log");
        Said& of = said[way][event_of(log[line])];
        ++(checked.broken ? of.refuted : checked.complete() ? of.holds : of.refused);
        if (!checked.broken) continue;
        EXPECT_LE(checked.broken->lines.back(), damaged.size());
        EXPECT_FALSE(checked.broken->claim.empty());
      }
    }
  }
  for (std::size_t way = 0; way < kWays.size(); ++way) {
    Said all;
    std::string kinds;
    for (const auto& [event, of] : said[way]) {
      all = {all.refuted + of.refuted, all.refused + of.refused, all.holds + of.holds};
      kinds += fmt::format(" {} {}/{}/{}", event, of.refuted, of.refused, of.holds);
    }
    fmt::print("a line {}: {} refuted, {} refused, {} hold:{}\n", kWays[way], all.refuted, all.refused,
               all.holds, kinds);
  }
  // What gives blocks, fills them and uses them cannot be left out unseen, nor what fills and frees be
  // doubled. A conversion can where its request is never scheduled, a sync where another one follows.
  for (const char* event : {"setting", "allocate", "post", "read_done", "read_failed", "schedule"}) {
    EXPECT_EQ(said[0].at(event).holds, 0) << event;
  }
  for (const char* event : {"post", "read_done", "read_failed", "recompute", "notify", "free"}) {
    EXPECT_EQ(said[1].at(event).holds, 0) << event;
  }
  EXPECT_GT(said[0].at("convert").refuted, said[0].at("convert").holds);
  EXPECT_GT(said[2].at("read_done").refuted, 0);
}

// A block converted at the start and used to the end: each step looks at what is new alone.
TEST(ReceiveLog, ALongLogTakesTimeForItsLines) {
  std::string log = log_of(
      "setting layers=1 blocks=8; allocate A blocks=[3]; post A handle=0 blocks=[3]; read_done A handle=0; "
      "convert A blocks=[3] layer=0 stream=s; sync stream=s");
  for (int i = 0; i < 100'000; ++i) {
    log += fmt::format(R"({{"time":9,"event":"schedule","request":"A","stream":"s{}"}})", i % 3);
    log += "\n{\"time\":9,\"event\":\"step_done\",\"request\":\"A\"}\n";
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(judged(log), "holds");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace pageproof::receive_log_tests
