// The committed fixtures are what the generator gives: golden_is_current.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "golden/formats/generate.hpp"
#include "golden/pages/generate.hpp"
#include "tests/golden/scratch.hpp"

namespace pageproof::golden {
namespace {

namespace fs = std::filesystem;

std::set<std::string> generated_names(const fs::path& folder) {
  std::set<std::string> names;
  for (const std::string suite : {"pages_v1", "formats_v1"}) {
    names.insert(suite + ".json");
    for (const auto& entry : fs::directory_iterator(folder / suite)) {
      names.insert(suite + "/" + entry.path().filename().string());
    }
  }
  return names;
}

TEST(Golden, IsCurrent) {
  const fs::path committed = PAGEPROOF_GOLDEN;
  const Scratch scratch;
  ASSERT_TRUE(generate_fixtures(scratch.path()).has_value());
  ASSERT_TRUE(formats::generate_fixtures(scratch.path()).has_value());
  EXPECT_EQ(generated_names(committed), generated_names(scratch.path()));
  for (const std::string& name : generated_names(scratch.path())) {
    const std::string ours = contents(committed / name);
    const std::string fresh = contents(scratch / name);
    const auto differs = std::ranges::mismatch(ours, fresh).in1 - ours.begin();
    EXPECT_TRUE(ours == fresh)
        << name << " differs from byte " << differs
        << " on; a released file never changes, new tests are appended. To write it anew: "
           "pageproof fixtures generate golden";
  }
}

}  // namespace
}  // namespace pageproof::golden
