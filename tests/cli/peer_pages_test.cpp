// Pages that vLLM's shuffle writer wrote on a GPU: a truth that this project did not make. Those of
// golden/foreign are always there; the others where the folder is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "golden/container/safetensors.hpp"
#include "oracle/offset/writer.hpp"
#include "tests/cli/program.hpp"
#include "tests/golden/scratch.hpp"
#include "tests/model/laws.hpp"

namespace pageproof::cli_tests {
namespace {

namespace fs = std::filesystem;
using golden::SafetensorsFile;
using nlohmann::json;

std::vector<fs::path> peer_files() {
  const char* named = std::getenv("PAGEPROOF_SHARED");
  const fs::path shared = named == nullptr ? PAGEPROOF_SHARED_DEFAULT : named;
  std::vector<fs::path> files;
  for (const fs::path& folder : {fs::path(PAGEPROOF_FOREIGN), shared / "peer_pages"}) {
    if (!fs::is_directory(folder)) continue;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

class PeerPages : public testing::Test {
 protected:
  void SetUp() override {
    files = peer_files();
    if (files.empty()) GTEST_SKIP() << "no peer pages here: neither golden/foreign nor PAGEPROOF_SHARED";
  }
  golden::Scratch scratch;
  std::vector<fs::path> files;
};

std::string bytes_of(const SafetensorsFile& file, const char* name) {
  const golden::Tensor* tensor = file.find(name);
  if (tensor == nullptr) return "absent";
  return {reinterpret_cast<const char*>(tensor->data.data()), tensor->data.size()};
}

bool every_slot_written(const SafetensorsFile& file) {
  const std::string slots = bytes_of(file, "slot_mapping");
  for (std::size_t i = 0; i + 8 <= slots.size(); i += 8) {
    std::int64_t slot = 0;
    std::memcpy(&slot, &slots[i], 8);
    if (slot < 0) return false;
  }
  return true;
}

Shape shape_of(const SafetensorsFile& file) {
  const golden::Tensor& standard = *file.find("standard");
  return {standard.shape[1], standard.shape[2], standard.shape[3] / 2, golden::bits(standard.dtype) / 8};
}

TEST_F(PeerPages, check_holds) {
  for (const fs::path& path : files) {
    const json report = run_json({"check", path}, 0);
    EXPECT_EQ(report["holds"], true) << path;
    EXPECT_EQ(report["slots"]["mapped"], true) << path;
    EXPECT_TRUE(report["note"].is_null()) << path << report["note"];
  }
}

TEST_F(PeerPages, convert_gives_their_planes) {
  int converted = 0, folded = 0;
  for (const fs::path& path : files) {
    const SafetensorsFile peer = *SafetensorsFile::open(path);
    if (!every_slot_written(peer)) continue;
    const std::string out = scratch / "out", back = scratch / "back";
    for (const char* mode : {"--threads=1", "--threads=2", "--in-place"}) {
      const json report = run_json({"convert", path, "-o", out, mode}, 0);
      ++(report["path"] == "converter" ? converted : folded);
      const SafetensorsFile own = *SafetensorsFile::open(out);
      EXPECT_TRUE(bytes_of(own, "k_plane") == bytes_of(peer, "k_plane")) << path << " " << mode;
      EXPECT_TRUE(bytes_of(own, "v_plane") == bytes_of(peer, "v_plane")) << path << " " << mode;
    }
    run_json({"convert", path, "-o", back, "--from", "aiter-shuffled", "--to", "standard"}, 0);
    EXPECT_TRUE(bytes_of(*SafetensorsFile::open(back), "standard") == bytes_of(peer, "standard")) << path;
  }
  EXPECT_GT(converted, 0);
  if (std::ranges::any_of(files,
                          [](const fs::path& p) { return p.filename() == "bf16_N128_H1.safetensors"; })) {
    EXPECT_GT(folded, 0) << "128-token pages go through the fold";
  }
}

// First, middle and last byte of each plane, one flipped in a copy: refused at exactly that element.
TEST_F(PeerPages, one_flipped_byte_is_refused_with_its_coordinate) {
  for (const fs::path& path : files) {
    const SafetensorsFile peer = *SafetensorsFile::open(path);
    const Shape shape = shape_of(peer);
    const std::string whole = golden::contents(path);
    for (const Side side : {Side::key, Side::value}) {
      const golden::Tensor& plane = *peer.find(side == Side::key ? "k_plane" : "v_plane");
      const std::size_t begin = whole.find(std::string(reinterpret_cast<const char*>(plane.data.data()), 64));
      ASSERT_NE(begin, std::string::npos);
      for (const std::size_t byte : {std::size_t{0}, plane.data.size() / 2 + 5, plane.data.size() - 1}) {
        std::string copy = whole;
        copy[begin + byte] = static_cast<char>(copy[begin + byte] ^ 0x40);
        golden::put(scratch / "copy", copy);
        const json report = run_json({"check", scratch / "copy"}, 1);
        const json& found = report["failure"]["coordinate"];
        const Coordinate c{found["block"], found["side"] == "K" ? Side::key : Side::value, found["head"],
                           found["token"], found["dim"]};
        EXPECT_EQ(c.side, side) << path;
        EXPECT_EQ(oracle::shuffled_byte(shape, c), byte - byte % shape.element_bytes) << path;
        EXPECT_EQ(report["differ"][side == Side::key ? "K" : "V"]["bytes"], 1) << path;
        EXPECT_EQ(report["differ"][side == Side::key ? "V" : "K"]["bytes"], 0) << path;
      }
    }
  }
}

}  // namespace
}  // namespace pageproof::cli_tests
