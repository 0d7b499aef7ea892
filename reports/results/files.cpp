#include "reports/results/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
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

bool may_hold_runs(const std::string& path) {
  return ends_with_any(path, kJson) || is_log(path);
}

// Folders one after another, links after everything that is there itself.
class Walk {
 public:
  Walk(const std::string& except, std::uint64_t most_files, std::set<File>& files,
       std::vector<Error>& refused, std::vector<Error>& left_out)
      : except_(except), most_files_(most_files), files_(files), refused_(refused), left_out_(left_out) {}

  void folder(const std::string& root) {
    root_ = root;
    full_ = false;
    enter(root);
    while (!full_ && !(folders_.empty() && links_.empty())) {
      if (!folders_.empty()) {
        const std::string next = std::move(folders_.back());
        folders_.pop_back();
        list(next);
      } else {
        const std::string next = std::move(links_.front());
        links_.pop_front();
        link(next);
      }
    }
    folders_.clear();
    links_.clear();
  }

 private:
  void leave_out(const std::string& path, const char* problem) {
    left_out_.push_back({path, "", "", problem});
  }

  // False: it was there already.
  bool enter(const std::string& folder) {
    std::error_code error;
    const std::string real = fs::canonical(folder, error).string();
    const bool fresh = entered_.insert(error ? folder : real).second;
    if (fresh) folders_.push_back(folder);
    return fresh;
  }

  void list(const std::string& folder) {
    std::error_code error;
    auto entry = fs::directory_iterator(folder, error);
    for (; !error && entry != fs::end(entry) && !full_; entry.increment(error)) {
      std::error_code unknown;
      const std::string path = entry->path().string();
      if (entry->is_symlink(unknown)) {
        links_.push_back(path);
      } else if (entry->is_directory(unknown)) {
        enter(path);
      } else if (may_hold_runs(path)) {
        entry->is_regular_file(unknown) ? file(path)
                                        : leave_out(path, "no file, but a pipe, socket or device");
      }
    }
    if (error) refused_.push_back({folder, "", "", "cannot be listed: " + error.message()});
  }

  void file(const std::string& path) {
    std::error_code error;
    if (!except_.empty() && fs::equivalent(path, except_, error)) return;
    const std::string real = fs::canonical(path, error).string();
    if (!read_.insert(error ? path : real).second && !files_.contains({path, false})) {
      return leave_out(path, "a link to a file that is read already");
    }
    if (files_.size() == most_files_) {
      full_ = true;
      refused_.push_back(
          {root_, "", fmt::format("more than {} files", most_files_), "the others are not read"});
      return;
    }
    files_.insert({path, false});
  }

  void link(const std::string& path) {
    std::error_code error;
    const fs::file_status target = fs::status(path, error);
    if (fs::is_directory(target)) {
      if (!enter(path)) leave_out(path, "a link to a folder that is read already");
    } else if (!may_hold_runs(path)) {
      return;
    } else if (fs::is_regular_file(target)) {
      file(path);
    } else {
      leave_out(path, fs::exists(target) ? "a link to no file" : "a link that leads nowhere");
    }
  }

  const std::string& except_;
  std::uint64_t most_files_;
  std::set<File>& files_;
  std::vector<Error>& refused_;
  std::vector<Error>& left_out_;
  std::string root_;
  std::vector<std::string> folders_;  // to be listed
  std::deque<std::string> links_;     // to be followed
  std::set<std::string> entered_;     // by their real path
  std::set<std::string> read_;
  bool full_ = false;
};

}  // namespace

bool is_log(const std::string& path) {
  return ends_with_any(path, kLogs);
}

std::vector<File> files_of(const std::vector<std::string>& paths, const std::string& except,
                           std::uint64_t most_files, std::vector<Error>& refused,
                           std::vector<Error>& left_out) {
  std::set<File> files;
  Walk walk(except, most_files, files, refused, left_out);
  for (const std::string& path : paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      walk.folder(path);
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
