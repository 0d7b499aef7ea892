#include "reports/results/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <utility>

#include "golden/container/mapped_file.hpp"
#include "reports/results/client.hpp"
#include "reports/results/forms.hpp"
#include "reports/results/recompute.hpp"
#include "reports/results/validity.hpp"

namespace pageproof::results {
namespace {

namespace fs = std::filesystem;

struct File {
  std::string path;
  bool named = false;  // by the caller, not found in a folder
  auto operator<=>(const File&) const = default;
};

std::string folder_of(const std::string& path) {
  return fs::path(path).parent_path().string();
}

bool has_suffix(const std::string& path, std::initializer_list<std::string_view> suffixes) {
  return std::ranges::any_of(suffixes, [&](std::string_view suffix) { return path.ends_with(suffix); });
}

// Why a file of this name is no run, though a tool wrote it; empty: it may be one.
std::string_view left_out_because(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  if (name == "warmup.json") return "a warm-up";
  if (name.ends_with(".failure.json")) return "a run that the sweep reports as failed";
  if (name.ends_with(".pytorch.json")) return "the same run in another form";
  constexpr std::array<std::string_view, 6> kOfAiperf{
      "inputs.json",         "outputs.json",
      "phase_manifest.json", "server_metrics_export.json",
      "run_config.json",     "profile_export_aiperf_collated.json"};
  if (std::ranges::find(kOfAiperf, name) != kOfAiperf.end())
    return "no result of a run, but what AIPerf writes beside it";
  return {};
}

class Collector {
 public:
  Collector(const Mapping& mapping, const ReadOptions& options) : mapping_(mapping), options_(options) {}

  Results results(const std::vector<std::string>& paths) {
    for (const File& file : files_of(paths)) read(file);
    return finished();
  }
  Results results(std::span<const NamedText> texts) {
    for (const NamedText& text : texts) read({text.path, true}, text.text);
    return finished();
  }

 private:
  Results finished() {
    join_aiperf();
    tag();
    attach();
    for (Run& run : results_.runs) check(run);
    join_lists();
    std::ranges::stable_sort(results_.runs, {}, [](const Run& run) { return path_of(run); });
    mark_duplicates(results_.runs);
    return std::move(results_);
  }

  static std::string path_of(const Run& run) { return run.source.substr(0, run.source.rfind('#')); }

  std::vector<File> files_of(const std::vector<std::string>& paths) {
    std::set<File> files;
    for (const std::string& path : paths) {
      std::error_code error;
      if (!fs::is_directory(path, error)) {
        files.insert({path, true});
        continue;
      }
      for (auto entry = fs::recursive_directory_iterator(path, error); !error && entry != fs::end(entry);
           entry.increment(error)) {
        std::error_code ignored;
        const std::string found = entry->path().string();
        if (!entry->is_regular_file(ignored) || !has_suffix(found, {".json", ".jsonl", ".log", ".txt"}))
          continue;
        if (!mapping_.source.empty() && fs::equivalent(found, mapping_.source, ignored)) continue;
        if (files.size() == options_.most_files) {
          refuse(path, "", fmt::format("more than {} files", options_.most_files), "the others are not read");
          break;
        }
        files.insert({found, false});
      }
      if (error) refuse(path, "", "", "cannot be listed: " + error.message());
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

  void refuse(std::string subject, std::string field, std::string value, std::string problem) {
    results_.refused.push_back({std::move(subject), std::move(field), std::move(value), std::move(problem)});
  }
  void leave_out(std::string subject, std::string field, std::string value, std::string problem) {
    results_.left_out.push_back({std::move(subject), std::move(field), std::move(value), std::move(problem)});
  }

  void read(const File& file) {
    if (leave_out_by_name(file)) return;
    const auto mapped = golden::MappedFile::open(file.path);
    if (!mapped) {
      results_.refused.push_back(mapped.error());
      return;
    }
    read(file, {reinterpret_cast<const char*>(mapped->bytes().data()), mapped->bytes().size()});
  }

  bool leave_out_by_name(const File& file) {
    const std::string_view why = left_out_because(file.path);
    if (!why.empty()) leave_out(file.path, "", "", std::string(why));
    return !why.empty();
  }

  void read(const File& file, std::string_view text) {
    if (leave_out_by_name(file)) return;
    if (text.size() > options_.most_bytes) {
      return refuse(file.path, "", fmt::format("{} bytes", text.size()),
                    fmt::format("more than {} bytes", options_.most_bytes));
    }
    if (has_suffix(file.path, {".log", ".txt"})) return read_log(file, text);
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
      return refuse(file.path, "", "", "empty");
    AiperfRecords records;
    const std::size_t runs = results_.runs.size() + listed_.size();
    const std::size_t refusals = results_.refused.size();
    std::size_t unread = 0;
    read_documents(
        text, file.path,
        [&](Document&& document) {
          const bool full = results_.runs.size() + listed_.size() - runs >= kMostRuns ||
                            results_.refused.size() - refusals >= kMostRefused;
          if (full) {
            ++unread;
          } else {
            take(file.path, std::move(document), records);
          }
        },
        [&](Error&& error) { results_.refused.push_back(std::move(error)); });
    if (!records.empty()) add(std::move(records).run(), file.path);
    if (unread != 0) refuse(file.path, "", fmt::format("{} objects", unread), "are not read any more");
  }

  void read_log(const File& file, std::string_view text) {
    const std::size_t refused = results_.refused.size();
    if (auto split = read_nixl_log(text, file.path, results_.refused)) {
      sidecars_.push_back({{*std::move(split), {}}, folder_of(file.path), true});
    } else if (file.named && results_.refused.size() == refused) {
      refuse(file.path, "KV Transfer metrics", "", "no such line, and a log has nothing else to read");
    }
  }

  void take(const std::string& path, Document&& document, AiperfRecords& records) {
    const std::string source = document.number == 1 ? path : fmt::format("{}#{}", path, document.number);
    const auto form = recognise(document);
    if (!form) {
      const std::string key = document.values.empty() ? "" : document.values.begin()->first;
      return refuse(source, "$", key.empty() ? "" : "with the key " + key,
                    "no result of a tool that is known");
    }
    switch (*form) {
      case Form::aiperf_record:
        return records.add(document);
      case Form::split:
        return take_sidecar(document, source, path);
      case Form::iterations:
        for (Run& run : read_iterations(document)) {
          add(std::move(run), fmt::format("{}#{}", path, ++iterations_[path]));
        }
        return;
      case Form::aiperf:
        return add(read_aiperf(document), source);
      case Form::serve:
        break;
    }
    const bool of_list = document.of_list;
    Run run = read_serve(std::move(document));
    if (run.tag("run_number").starts_with('-')) {
      return leave_out(source, "run_number", run.tag("run_number"), "a warm-up");
    }
    if (!of_list) return add(std::move(run), source);
    run.source = source;
    listed_.push_back(std::move(run));
  }

  void take_sidecar(const Document& document, const std::string& source, const std::string& path) {
    auto sidecar = read_split(document, source);
    if (!sidecar) {
      results_.refused.push_back(std::move(sidecar).error());
    } else {
      sidecars_.push_back({*std::move(sidecar), folder_of(path), false});
    }
  }

  void add(Run&& run, std::string source) {
    run.source = std::move(source);
    results_.runs.push_back(std::move(run));
  }

  // AIPerf writes one run twice: its statistics, and its records. The records go to the statistics.
  void join_aiperf() {
    for (Run& records : results_.runs) {
      if (records.tool != Tool::aiperf_records) continue;
      for (Run& run : results_.runs) {
        if (run.tool != Tool::aiperf || run.detailed || folder_of(run.source) != folder_of(records.source))
          continue;
        run.detailed = std::move(records.detailed);
        std::ranges::move(records.findings, std::back_inserter(run.findings));
        run.findings.push_back({Weight::note, "requests", records.source, "the arrays are of this file"});
        records.source.clear();
        break;
      }
    }
    std::erase_if(results_.runs, [](const Run& run) { return run.source.empty(); });
  }

  void tag() {
    for (Run& run : results_.runs) tag(run);
    for (Run& run : listed_) tag(run);
  }
  void tag(Run& run) const {
    for (const MappingEntry& entry : mapping_.entries) {
      const auto captured = match_path(entry.match, path_of(run));
      if (!captured) continue;
      std::map<std::string, std::string> tags = *captured;
      tags.insert(entry.tags.begin(), entry.tags.end());
      for (const auto& [name, value] : tags) {
        const auto [place, fresh] = run.tags.emplace(name, value);
        if (fresh || place->second == value) continue;
        run.findings.push_back(
            {Weight::invalid, name, place->second,
             fmt::format("{} says {}", mapping_.source.empty() ? "the mapping" : mapping_.source, value)});
      }
    }
    if (run.model_id.empty()) run.model_id = run.tag("model");
  }

  // A sidecar to the run that it names, or to all of its folder; a log to all of its folder.
  void attach() {
    for (const Beside& beside : sidecars_) {
      bool used = false;
      for (Run& run : results_.runs) {
        const fs::path path = path_of(run);
        const bool of_it = beside.sidecar.run.empty() || path.filename() == beside.sidecar.run;
        if (path.parent_path() != beside.folder || !of_it) continue;
        used = true;
        join(run, beside);
      }
      if (!used) {
        refuse(beside.sidecar.split.source, beside.sidecar.run.empty() ? "" : "run", beside.sidecar.run,
               "no run of it in the same folder");
      }
    }
  }

  struct Beside {
    Sidecar sidecar;
    std::string folder;
    bool of_log = false;
  };

  static void join(Run& run, const Beside& beside) {
    const Split& split = beside.sidecar.split;
    const auto contradicts = [&](std::string field, std::string problem) {
      run.findings.push_back({Weight::invalid, std::move(field), split.source, std::move(problem)});
    };
    if (!run.split) {
      run.split = split;
    } else if (beside.of_log && !run.split->transfers) {
      if (!run.split->transfer_ms.mean) run.split->transfer_ms.mean = split.transfer_ms.mean;
      run.split->transfers = split.transfers;
      run.split->post_ms_mean = split.post_ms_mean;
      run.split->mebibytes_mean = split.mebibytes_mean;
      run.split->descriptors_mean = split.descriptors_mean;
    } else if (!beside.of_log && run.split->transfers && run.split->decode_kernel.empty()) {
      Split both = split;
      if (!both.transfer_ms.mean) both.transfer_ms.mean = run.split->transfer_ms.mean;
      both.transfers = run.split->transfers;
      both.post_ms_mean = run.split->post_ms_mean;
      both.mebibytes_mean = run.split->mebibytes_mean;
      both.descriptors_mean = run.split->descriptors_mean;
      run.split = std::move(both);
    } else {
      return contradicts("split", fmt::format("{} is beside this run, too", run.split->source));
    }
    const std::string kernel = run.tag("kernel");
    if (!kernel.empty() && !split.decode_kernel.empty() && kernel != split.decode_kernel) {
      contradicts("decode_kernel",
                  fmt::format("says {}, the run's own tag kernel {}", split.decode_kernel, kernel));
    }
  }

  void check(Run& run) const {
    compare_with_arrays(run);
    check_run(run, options_);
    check_units(run);
    if (!run.detailed) return;
    run.batch = decode_batch(*run.detailed);
    run.gaps = split_gaps(*run.detailed);
    if (options_.keep_arrays) return;
    run.detailed.reset();
  }

  // A list of runs, as summary.json, holds what run=*.json hold.
  void join_lists() {
    std::map<std::string, std::string> known;
    for (const Run& run : results_.runs) known.emplace(fingerprint(run), run.source);
    std::map<std::string, std::size_t> again;
    for (Run& run : listed_) {
      if (known.contains(fingerprint(run))) {
        ++again[path_of(run)];
        continue;
      }
      check(run);
      results_.runs.push_back(std::move(run));
    }
    for (const auto& [path, runs] : again) {
      leave_out(path, "", fmt::format("{} runs", runs), "read from their own files, and counted once");
    }
  }

  const Mapping& mapping_;
  const ReadOptions& options_;
  Results results_;
  std::vector<Run> listed_;  // of lists
  std::vector<Beside> sidecars_;
  std::map<std::string, std::size_t> iterations_;  // runs so far, by path
};

}  // namespace

Results read_texts(std::span<const NamedText> texts, const Mapping& mapping, const ReadOptions& options) {
  return Collector(mapping, options).results(texts);
}

Results read_results(const std::vector<std::string>& paths, const Mapping& mapping,
                     const ReadOptions& options) {
  return Collector(mapping, options).results(paths);
}

}  // namespace pageproof::results
