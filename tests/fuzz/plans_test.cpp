// Cases of the planner: each can be pasted into a shell, faults are seen, and counterexamples shrink.
#include <gmock/gmock.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "fuzz/campaign/run.hpp"
#include "fuzz/plans/elements.hpp"
#include "fuzz/plans/faults.hpp"

namespace pageproof::fuzz {
namespace {

PlanCase random_case(std::uint64_t seed) {
  Choices choices(seeded(seed));
  return make_plan_case(choices, plan_extent(Domain::wide));
}

TEST(PlanCase, EveryKindOccurs) {
  std::set<std::string> kinds;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const PlanCase c = random_case(seed);
    kinds.insert(std::string(to_string(c.strategy)));
    if (c.local.tp_size > c.remote.tp_size) kinds.insert("decode wider");
    if (c.local.tp_size < c.remote.tp_size) kinds.insert("prefill wider");
    if (c.local.model.kv_heads < c.local.tp_size) kinds.insert("replicated heads");
    if (c.local.kernel_block_size != c.remote.kernel_block_size) kinds.insert("unequal blocks");
    if (c.local.block_size != c.local.kernel_block_size) kinds.insert("kernel blocks");
    if (c.local.environment_layout == region::Layout::blhnc) kinds.insert("strides above lengths");
    if (c.to.front().empty()) kinds.insert("nothing to read");
    if (c.from.front().size() > c.to.front().size()) kinds.insert("prefix hit");
    if (c.groups == Groups::overlaid) kinds.insert("groups on one another");
    if (c.groups == Groups::own) kinds.insert("groups of their own");
    if (c.groups == Groups::own_and_shared) kinds.insert("groups and a shared region");
    if (c.local.num_blocks > 1u << 31 || c.remote.num_blocks > 1u << 31) kinds.insert("ids of 2^31");
    if (c.local.base_address >> 62 != 0) kinds.insert("bases near 2^63");
    EXPECT_NE(region::kernel_blocks_of(c.local), region::kernel_blocks_of(c.remote)) << to_string(c);
  }
  EXPECT_EQ(kinds.size(), 18u);
}

std::string output_of(const std::string& command) {
  std::string out;
  FILE* const pipe = ::popen(("exec 2>&1; " + command).c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  char buffer[4096];
  while (pipe != nullptr) {
    const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe);
    if (got == 0) break;
    out.append(buffer, got);
  }
  if (pipe != nullptr) ::pclose(pipe);
  return out;
}

// The case's command, as bash runs it, plans the case's rows.
TEST(PlanCase, ReplaysFromItsCommand) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const PlanCase c = random_case(seed);
    std::string command = to_string(c) + " --json";
    command.replace(0, std::string("pageproof").size(), PAGEPROOF_PROGRAM);
    std::string quoted = "bash -c \"";
    for (const char letter : command) quoted += letter == '"' ? "\\\"" : std::string(1, letter);
    const std::string said = output_of(quoted + "\"");
    const nlohmann::json json = nlohmann::json::parse(said, nullptr, false);
    ASSERT_FALSE(json.is_discarded()) << command << "\n" << said;
    const auto pair = pair_of(c);
    ASSERT_TRUE(pair.has_value()) << to_string(pair.error());
    const auto made = shipped_planner()(c, *pair);
    ASSERT_TRUE(made.has_value());
    ASSERT_EQ(json["reads"].size(), made->reads.size());
    for (std::size_t i = 0; i < made->reads.size(); ++i) {
      const plan::Rows rows = rows_of(made->reads[i]);
      EXPECT_EQ(json["reads"][i]["local_ids"], nlohmann::json(made->reads[i].local_ids));
      ASSERT_EQ(json["reads"][i]["local_rows"].size(), rows.local.size());
      for (std::size_t k = 0; k < rows.local.size(); ++k)
        EXPECT_EQ(json["reads"][i]["local_rows"][k][0], rows.local[k].address) << command;
    }
  }
}

TEST(PlanFaults, ACounterexampleShrinksToOneBlockOfOneLayer) {
  const Planner planner = faulty_planner(plan_faults()[0]);
  const RunCase run = [&](Choices& choices, Domain domain) -> std::optional<Failure> {
    const PlanCase c = make_plan_case(choices, plan_extent(domain));
    const auto pair = pair_of(c);
    if (!pair) return Failure{"pair", "", to_string(pair.error()), "", "", ""};
    const auto made = planner(c, *pair);
    const auto found = moves_the_right_elements(c, *pair, *made);
    if (!found) return {};
    return Failure{"moves", "", to_string(c), found->expected, found->got, ""};
  };
  const Tried tried = run_random(run, 3, 200);
  ASSERT_TRUE(tried.found.has_value());
  const std::string& example = tried.found->failure.example;
  EXPECT_THAT(example, testing::ContainsRegex("\"head_dim\":8,\"kv_heads\":[12],\"layers\":1,"));
  EXPECT_THAT(example, testing::ContainsRegex(
                           "--local-blocks [0-9] --remote-blocks [0-9](,[0-9])? --strategy whole$"));
}

}  // namespace
}  // namespace pageproof::fuzz
