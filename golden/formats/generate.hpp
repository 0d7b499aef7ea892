// Makes the fixtures of page formats: formats_v1.json and the safetensors files it names. Every expected byte
// comes from oracle/offset, where each format's arithmetic stands as its project writes it; neither the
// catalogue nor anything that ships is linked. The same bytes, everywhere.
#pragma once

#include <filesystem>

#include "golden/pages/generate.hpp"

namespace pageproof::golden::formats {

// Makes the folder where it is missing, and writes each file whole; formats_v1.json comes last.
Expected<GenerateReport> generate_fixtures(const std::filesystem::path& folder);

}  // namespace pageproof::golden::formats
