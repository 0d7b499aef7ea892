// Files that another program wrote (safetensors' own implementation, on a machine with a GPU) are opened as
// they are.
#include <gtest/gtest.h>

#include <cstdlib>

#include "golden/container/safetensors.hpp"
#include "tests/golden/scratch.hpp"

namespace pageproof::golden {
namespace {

namespace fs = std::filesystem;

// The folder of material beside the source tree: $PAGEPROOF_SHARED, or what CMake was told.
fs::path shared_folder() {
  const char* chosen = std::getenv("PAGEPROOF_SHARED");
  return chosen != nullptr ? chosen : PAGEPROOF_SHARED_DEFAULT;
}

// Opens every file of the folder and compares shapes with the metadata.
void check_folder(const fs::path& folder) {
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".safetensors") continue;
    ++files;
    const auto file = SafetensorsFile::open(entry.path());
    ASSERT_TRUE(file.has_value()) << to_string(file.error());
    const auto number = [&](const char* key) { return std::stoull(file->metadata().at(key)); };
    const std::uint64_t blocks = number("blocks");
    const std::uint64_t heads = number("heads");
    const std::uint64_t tokens = number("tokens_per_block");
    const std::uint64_t dim = number("head_dim");
    const std::uint64_t x = number("x");
    const auto shape = [&](const char* name) {
      const Tensor* tensor = file->find(name);
      return tensor == nullptr ? std::vector<std::uint64_t>{} : tensor->shape;
    };
    EXPECT_EQ(shape("standard"), (std::vector{blocks, heads, tokens, 2 * dim}));
    EXPECT_EQ(shape("k_plane"), (std::vector{blocks, heads, dim / x, tokens, x}));
    EXPECT_EQ(shape("v_plane"), (std::vector{blocks, heads, tokens / x, dim, x}));
    EXPECT_EQ(shape("slot_mapping"), (std::vector{blocks * tokens}));
    EXPECT_EQ(bits(file->find("standard")->dtype), 8 * number("element_bytes"));
  }
  EXPECT_GT(files, 0);
}

TEST(ForeignPages, OpenWithTheTensorsThatTheirMetadataSays) {
  check_folder(fs::path(PAGEPROOF_GOLDEN) / "foreign");
}

TEST(PeerPages, OpenWithTheTensorsThatTheirMetadataSays) {
  const fs::path folder = shared_folder() / "peer_pages";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "no folder " << folder << "; set PAGEPROOF_SHARED";
  check_folder(folder);
}

// What is committed is what lies there, byte for byte.
TEST(PeerPages, AreTheCommittedOnes) {
  const fs::path folder = shared_folder() / "peer_pages";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "no folder " << folder << "; set PAGEPROOF_SHARED";
  for (const auto& entry : fs::directory_iterator(fs::path(PAGEPROOF_GOLDEN) / "foreign")) {
    if (entry.path().extension() != ".safetensors") continue;
    EXPECT_TRUE(contents(entry.path()) == contents(folder / entry.path().filename())) << entry.path();
  }
}

}  // namespace
}  // namespace pageproof::golden
