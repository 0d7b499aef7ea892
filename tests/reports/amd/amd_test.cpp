// `pageproof amd` on a device that this machine stands in for: what it says when all is right, and that it
// finds each thing that goes wrong.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

namespace pageproof::cli_tests {
namespace {

using testing::HasSubstr;

class Amd : public testing::Test {
 protected:
  Amd() {
    setenv("LD_LIBRARY_PATH", FAKE_RUNTIME, 1);
    unsetenv("FAKE_AMD_FAULT");
  }
  ~Amd() override { unsetenv("LD_LIBRARY_PATH"); }

  static nlohmann::json run_kit(int exit_code) {
    return run_json({"amd", "--bytes", "100000", "--repetitions", "1"}, exit_code);
  }
  static nlohmann::json run_with(const char* fault) {
    setenv("FAKE_AMD_FAULT", fault, 1);
    return run_kit(1);
  }
};

TEST_F(Amd, every_fixture_and_every_shape) {
  const nlohmann::json run = run_kit(0);
  EXPECT_EQ(run["target"], "gfx942");
  EXPECT_EQ(run["holds"], true);
  EXPECT_GT(run["fixture_tests"], 100);
  // H 1, 2, 3, 4, 8, 16; N 16, 32; D 64, 128, 256; e 1, 2; in place up to 256 KiB a page: all but H=16 N=32
  // D=256 e=2.
  EXPECT_EQ(run["shape_jobs"], 72 + 71);
  EXPECT_EQ(run["rates"].size(), 72 + 71);
  EXPECT_EQ(run["beyond_4_gib"], true);
  for (const auto& rate : run["rates"]) {
    EXPECT_GT(rate["converter_s"], 0);
    EXPECT_GT(rate["copy_s"], 0);
  }
}

TEST_F(Amd, a_wrong_byte_is_named) {
  const nlohmann::json run = run_with("wrong_byte");
  EXPECT_EQ(run["holds"], false);
  std::size_t shapes = 0, far = 0, fixtures = 0;
  for (const auto& failure : run["failures"]) {
    (failure["name"] == "amd.shapes" ? shapes : failure["name"] == "amd.far" ? far : fixtures) += 1;
  }
  EXPECT_EQ(shapes, 72 + 71);
  EXPECT_EQ(far, 1);
  EXPECT_GT(fixtures, 80);  // all but those whose request must be refused
}

TEST_F(Amd, a_byte_of_an_unlisted_block_is_named) {
  const nlohmann::json run = run_with("unlisted");
  std::size_t shapes = 0;
  for (const auto& failure : run["failures"]) shapes += failure["name"] == "amd.shapes";
  EXPECT_EQ(shapes, 72 + 71);
}

TEST_F(Amd, the_document_is_written_beside_the_table) {
  const std::string file = testing::TempDir() + "amd_test.json";
  const Outcome ran = run({"amd", "--bytes", "100000", "--repetitions", "1", "--out", file});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("HOLDS"));
  EXPECT_THAT(ran.out, HasSubstr("docs/amd.md"));
  std::ifstream written(file);
  EXPECT_EQ(nlohmann::json::parse(written)["report"], "pageproof amd");
  std::remove(file.c_str());
}

TEST_F(Amd, what_keeps_it_from_running_is_one_line) {
  setenv("FAKE_AMD_FAULT", "no_device", 1);
  expect_refused(run({"amd"}), {"AMD device", "no device"});
  setenv("FAKE_AMD_FAULT", "launch", 1);
  expect_refused(run({"amd", "--bytes", "1000"}), {"converter", "refused the launch"});
  unsetenv("FAKE_AMD_FAULT");
  expect_refused(run({"amd", "--bytes", "0"}), {"--bytes", "0"});
  expect_refused(run({"amd", "--repetitions", "10001"}), {"--repetitions", "10001"});
  expect_refused(run({"amd", "--fixtures", "/nowhere"}), {"/nowhere"});
}

}  // namespace
}  // namespace pageproof::cli_tests
