#include "reports/results/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

namespace pageproof::results {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kLogs{".log", ".txt"};
constexpr std::array<std::string_view, 2> kJson{".json", ".jsonl"};

bool ends_with_any(const std::string& path, const std::array<std::string_view, 2>& suffixes) {
  return std::ranges::any_of(suffixes, [&](std::string_view suffix) { return path.ends_with(suffix); });
}

void add_folder(const std::string& folder, const std::string& except, std::uint64_t most_files,
                std::set<File>& files, std::vector<Error>& refused) {
  std::error_code error;
  for (auto entry = fs::recursive_directory_iterator(folder, error); !error && entry != fs::end(entry);
       entry.increment(error)) {
    std::error_code ignored;
    const std::string path = entry->path().string();
    if (!entry->is_regular_file(ignored) || (!ends_with_any(path, kJson) && !is_log(path))) continue;
    if (!except.empty() && fs::equivalent(path, except, ignored)) continue;
    if (files.size() == most_files) {
      refused.push_back(
          {folder, "", fmt::format("more than {} files", most_files), "the others are not read"});
      return;
    }
    files.insert({path, false});
  }
  if (error) refused.push_back({folder, "", "", "cannot be listed: " + error.message()});
}

}  // namespace

bool is_log(const std::string& path) {
  return ends_with_any(path, kLogs);
}

std::vector<File> files_of(const std::vector<std::string>& paths, const std::string& except,
                           std::uint64_t most_files, std::vector<Error>& refused) {
  std::set<File> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      add_folder(path, except, most_files, files, refused);
    } else {
      files.insert({path, true});
    }
  }
  // A file that is named and lies in a named folder, too, comes once.
  std::vector<File> once;
  for (const File& file : files) {
    if (!once.empty() && once.back().path == file.path) {
      once.back().named = true;
    } else {
      once.push_back(file);
    }
  }
  return once;
}

std::string_view left_out_because(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  if (name == "warmup.json") return "a warm-up";
  if (name.ends_with(".failure.json")) return "a run that the sweep reports as failed";
  if (name.ends_with(".pytorch.json")) return "the same run in another form";
  constexpr std::array<std::string_view, 6> kOfAiperf{
      "inputs.json",         "outputs.json",
      "phase_manifest.json", "server_metrics_export.json",
      "run_config.json",     "profile_export_aiperf_collated.json"};
  if (std::ranges::find(kOfAiperf, name) == kOfAiperf.end()) return {};
  return "no result of a run, but what AIPerf writes beside it";
}

}  // namespace pageproof::results
