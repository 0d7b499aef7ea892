#include "reports/results/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "golden/container/mapped_file.hpp"
#include "reports/results/forms.hpp"

namespace pageproof::results {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_of(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    for (auto entry = fs::recursive_directory_iterator(path, error); !error && entry != fs::end(entry);
         entry.increment(error)) {
      if (entry->is_regular_file(error) && entry->path().extension() == ".json") {
        files.push_back(entry->path().string());
      }
    }
  }
  std::ranges::sort(files);
  const auto again = std::ranges::unique(files);
  files.erase(again.begin(), again.end());
  return files;
}

}  // namespace

Results read_results(const std::vector<std::string>& paths, const Mapping&, const ReadOptions&) {
  Results results;
  for (const std::string& path : files_of(paths)) {
    const auto file = golden::MappedFile::open(path);
    if (!file) {
      results.refused.push_back(file.error());
      continue;
    }
    const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
    const auto take = [&](Document&& document) {
      const auto tool = recognise(document);
      const std::string source = document.number == 1 ? path : fmt::format("{}#{}", path, document.number);
      if (!tool) {
        results.refused.push_back(Error{source, "$", "", "no key of a known benchmark result"});
        return;
      }
      Run run = read_serve(std::move(document), *tool);
      run.source = source;
      results.runs.push_back(std::move(run));
    };
    read_documents(text, path, take, [&](Error&& error) { results.refused.push_back(std::move(error)); });
  }
  return results;
}

}  // namespace pageproof::results
