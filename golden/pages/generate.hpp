// Makes the page fixtures: pages_v1.json and the safetensors files it names. Every expected byte comes from
// oracle/offset; nothing that ships is linked (golden/CMakeLists.txt refuses to configure otherwise). The
// same options give the same bytes, everywhere.
#pragma once

#include <cstdint>
#include <filesystem>

#include "model/page/plain/error.hpp"

namespace pageproof::golden {

struct GenerateOptions {
  bool full = false;  // every shape (some 130 MB) instead of the committed set
};

struct GenerateReport {
  std::uint64_t files = 0;
  std::uint64_t tests = 0;
  std::uint64_t bytes = 0;  // of all files
};

// Makes the folder where it is missing, and writes each file whole; pages_v1.json comes last. Other files in
// the folder stay.
Expected<GenerateReport> generate_fixtures(const std::filesystem::path& folder,
                                           const GenerateOptions& options = {});

}  // namespace pageproof::golden
