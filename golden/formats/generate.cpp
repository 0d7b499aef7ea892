#include "golden/formats/generate.hpp"

#include <system_error>

#include "golden/container/atomic_file.hpp"
#include "golden/container/safetensors.hpp"
#include "golden/formats/builder.hpp"
#include "golden/formats/fixture_json.hpp"
#include "golden/formats/notes.hpp"
#include "golden/pages/suite.hpp"

namespace pageproof::golden::formats {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kHeader{
    "The same KV-cache pages in every engine's format that fits their shape. Row i of a tensor is block i; "
    "index{shift}.standard holds i >> shift in element i.",
    "formats states each format's element offset within a block as its project writes it: / is floor "
    "division, "
    "x = 16 / element_bytes. Axes [B, H, N, 2D] and [B, H, N, D] give the sizes alone. README.md beside this "
    "file shows how to use it."};

Expected<void> write_group(const fs::path& folder, const BuiltGroup& built) {
  std::vector<Tensor> tensors;
  for (const OwnedTensor& tensor : built.tensors) {
    tensors.push_back({tensor.name, built.group.dtype, tensor.shape, tensor.data});
  }
  return write_safetensors(folder / built.group.file, {{"suite", kSuiteFile}}, tensors);
}

}  // namespace

Expected<GenerateReport> generate_fixtures(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder / kFolder, failed);
  if (failed) return std::unexpected(Error{folder.string(), "output", "", "no folder: " + failed.message()});

  GenerateReport report;
  Suite suite;
  suite.header = kHeader;
  suite.formats = stated_formats();
  for (const GroupPlan& plan : group_plans()) {
    BuiltGroup built = build_group(plan);
    for (Test& test : built.group.tests) test.tc_id = ++suite.number_of_tests;
    if (auto written = write_group(folder, built); !written) {
      return std::unexpected(std::move(written).error());
    }
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

}  // namespace pageproof::golden::formats
