#include "golden/pages/generate.hpp"

#include <system_error>
#include <vector>

#include "golden/container/atomic_file.hpp"
#include "golden/pages/fixture_json.hpp"
#include "golden/pages/group_builder.hpp"
#include "golden/pages/notes.hpp"
#include "golden/pages/suite.hpp"

namespace pageproof::golden {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kHeader{
    "KV-cache pages, standard [H, N, 2D] and AITER shuffled (K [H, D/x, N, x], V [H, N/x, D, x], x = 16 / "
    "element_bytes), and the landing between them.",
    "Row i of a tensor is block block_ids[i] of a pool of num_blocks blocks; every other byte of the pool is "
    "0xA5 "
    "and stays so. README.md beside this file shows how to use it."};

Expected<void> write_group(const fs::path& folder, const BuiltGroup& built) {
  std::vector<Tensor> tensors;
  for (const OwnedTensor& tensor : built.tensors) {
    tensors.push_back({tensor.name, built.group.dtype, tensor.shape, tensor.data});
  }
  return write_safetensors(folder / built.group.file, {{"suite", kSuiteFile}}, tensors);
}

}  // namespace

Expected<GenerateReport> generate_fixtures(const fs::path& folder, const GenerateOptions& options) {
  std::error_code failed;
  fs::create_directories(folder / "pages_v1", failed);
  if (failed) return std::unexpected(Error{folder.string(), "output", "", "no folder: " + failed.message()});

  GenerateReport report;
  Suite suite;
  suite.header = kHeader;
  for (const GroupPlan& plan : options.full ? full_plans() : committed_plans()) {
    BuiltGroup built = build_group(plan);
    for (Test& test : built.group.tests) test.tc_id = ++suite.number_of_tests;
    if (auto written = write_group(folder, built); !written)
      return std::unexpected(std::move(written).error());
    report.bytes += fs::file_size(folder / built.group.file, failed);
    suite.groups.push_back(std::move(built.group));
  }
  suite.notes = used_notes(suite, all_notes());

  const std::string text = to_json_text(suite);
  if (auto written = write_file_atomically(folder / kSuiteFile, text); !written) {
    return std::unexpected(std::move(written).error());
  }
  report.bytes += text.size();
  report.files = suite.groups.size() + 1;
  report.tests = suite.number_of_tests;
  return report;
}

}  // namespace pageproof::golden
