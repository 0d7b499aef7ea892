#include "golden/formats/generate.hpp"

#include <utility>

#include "golden/formats/builder.hpp"
#include "golden/formats/fixture_json.hpp"
#include "golden/formats/notes.hpp"
#include "golden/pages/suite.hpp"

namespace pageproof::golden::formats {
namespace {

const std::vector<std::string> kHeader{
    "The same KV-cache pages in every engine's format that fits their shape. Row i of a tensor is block i; "
    "index{shift}.standard holds i >> shift in element i.",
    "formats states each format's element offset within a block as its project writes it: / is floor "
    "division, "
    "x = 16 / element_bytes. Axes [B, H, N, 2D] and [B, H, N, D] give the sizes alone. README.md beside this "
    "file shows how to use it."};

}  // namespace

Expected<GenerateReport> generate_fixtures(const std::filesystem::path& folder) {
  Suite suite;
  suite.header = kHeader;
  suite.formats = stated_formats();
  return write_suite(folder, kSuiteFile, kFolder, std::move(suite), group_plans(), all_notes());
}

}  // namespace pageproof::golden::formats
