#include "golden/pages/generate.hpp"

#include <utility>

#include "golden/pages/fixture_json.hpp"
#include "golden/pages/group_builder.hpp"
#include "golden/pages/notes.hpp"
#include "golden/pages/suite.hpp"

namespace pageproof::golden {
namespace {

const std::vector<std::string> kHeader{
    "KV-cache pages, standard [H, N, 2D] and AITER shuffled (K [H, D/x, N, x], V [H, N/x, D, x], x = 16 / "
    "element_bytes), and the landing between them.",
    "Row i of a tensor is block block_ids[i] of a pool of num_blocks blocks; every other byte of the pool is "
    "0xA5 "
    "and stays so. README.md beside this file shows how to use it."};

}  // namespace

Expected<GenerateReport> generate_fixtures(const std::filesystem::path& folder,
                                           const GenerateOptions& options) {
  Suite suite;
  suite.header = kHeader;
  return write_suite(folder, kSuiteFile, "pages_v1", std::move(suite),
                     options.full ? full_plans() : committed_plans(), all_notes());
}

}  // namespace pageproof::golden
