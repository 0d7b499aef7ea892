// A target over files: each argument is one, or a folder of them. Exit 0 when no law was broken; a broken one
// aborts after the name of its file. This is how the corpus is run where there is no libFuzzer.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/decoders/decoder.hpp"

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  return files;
}

bool replay(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in && !in.eof()) return false;
  std::fprintf(stderr, "%s\n", path.c_str());
  pageproof::fuzz::decode_one(std::as_bytes(std::span(text)));
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t files = 0;
  for (int i = 1; i < argc; ++i) {
    for (const fs::path& path : files_of(argv[i])) {
      if (!replay(path)) {
        std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
        return 2;
      }
      ++files;
    }
  }
  std::printf("%zu files, no law broken\n", files);
  return files == 0 ? 2 : 0;
}
