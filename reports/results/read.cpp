#include "reports/results/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "golden/container/mapped_file.hpp"
#include "reports/results/client.hpp"
#include "reports/results/files.hpp"
#include "reports/results/forms.hpp"
#include "reports/results/goodput.hpp"
#include "reports/results/join.hpp"
#include "reports/results/recompute.hpp"
#include "reports/results/validity.hpp"

namespace pageproof::results {
namespace {

class Collector {
 public:
  Collector(const Mapping& mapping, const ReadOptions& options) : mapping_(mapping), options_(options) {}

  Results results(const std::vector<std::string>& paths) {
    const auto files =
        files_of(paths, mapping_.source, options_.most_files, results_.refused, results_.left_out);
    for (const File& file : files) read(file);
    return finished();
  }
  Results results(std::span<const NamedText> texts) {
    for (const NamedText& text : texts) read({text.path, true}, text.text);
    return finished();
  }

 private:
  Results finished() {
    join_aiperf(results_.runs);
    for (Run& run : results_.runs) add_tags(run, mapping_);
    for (Run& run : listed_) add_tags(run, mapping_);
    for (const Beside& beside : sidecars_) attach(beside, results_.runs, results_.refused);
    for (Run& run : results_.runs) check(run);
    join_lists();
    std::ranges::sort(results_.runs, {}, [](const Run& run) { return std::tie(run.file, run.place); });
    mark_duplicates(results_.runs);
    return std::move(results_);
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
    if (is_log(file.path)) return read_log(file, text);
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
      return refuse(file.path, "", "", "empty");
    AiperfRecords records;
    const std::size_t runs = results_.runs.size() + listed_.size();
    const std::size_t refusals = results_.refused.size();
    std::optional<std::size_t> unread_from;
    read_documents(
        text, file.path,
        [&](Document&& document) {
          const bool full = results_.runs.size() + listed_.size() - runs >= kMostRuns ||
                            results_.refused.size() - refusals >= kMostRefused;
          if (full) {
            unread_from = document.number;
          } else {
            take(file.path, std::move(document), records);
          }
          return !full;
        },
        [&](Error&& error) { results_.refused.push_back(std::move(error)); });
    if (!records.empty()) add(std::move(records).run(), file.path, 1);
    if (unread_from) {
      refuse(source_of(file.path, *unread_from), "", "", "it and what follows it are not read");
    }
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
    const std::size_t number = document.number;
    const std::string source = source_of(path, number);
    const auto form = recognise(document);
    if (!form) {
      const std::string command = document.text("command");
      if (!command.empty() && document.has("version")) {
        return leave_out(source, "command", command, "a document of this program, no run");
      }
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
          std::size_t& place = iterations_[path];
          add(std::move(run), path, ++place);
          results_.runs.back().source = fmt::format("{}#{}", path, place);
        }
        return;
      case Form::aiperf:
        return add(read_aiperf(document), path, number);
      case Form::serve:
        break;
    }
    const bool of_list = document.of_list;
    Run run = read_serve(std::move(document));
    if (run.tag("run_number").starts_with('-')) {
      return leave_out(source, "run_number", run.tag("run_number"), "a warm-up");
    }
    add(of_list ? listed_ : results_.runs, std::move(run), path, number);
  }

  void take_sidecar(const Document& document, const std::string& source, const std::string& path) {
    auto sidecar = read_split(document, source);
    if (!sidecar) {
      results_.refused.push_back(std::move(sidecar).error());
    } else {
      sidecars_.push_back({*std::move(sidecar), folder_of(path), false});
    }
  }

  static std::string source_of(const std::string& path, std::size_t number) {
    return number == 1 ? path : fmt::format("{}#{}", path, number);
  }
  void add(Run&& run, const std::string& path, std::size_t number) {
    add(results_.runs, std::move(run), path, number);
  }
  void add(std::vector<Run>& runs, Run&& run, const std::string& path, std::size_t number) const {
    run.file = path;
    run.place = number;
    run.source = source_of(path, number);
    run.fingerprint = fingerprint_of(run);
    // Records may be those of another file's run, which says what to compare them with.
    if (run.detailed && run.tool != Tool::aiperf_records) use_arrays(run);
    runs.push_back(std::move(run));
  }

  // All that is drawn from arrays here, so that those of many files need not be held at once.
  void use_arrays(Run& run) const {
    compare_with_arrays(run);
    run.batch = decode_batch(*run.detailed);
    run.gaps = split_gaps(*run.detailed);
    if (options_.objectives) add_goodput(run, *options_.objectives);
    if (!options_.keep_arrays) run.detailed.reset();
  }
  void check(Run& run) const {
    if (run.detailed && !run.of_arrays) use_arrays(run);
    check_run(run, options_);
    check_units(run);
    if (options_.objectives && !run.of_arrays) add_goodput(run, *options_.objectives);
  }

  // A list of runs, as summary.json, holds what run=*.json hold.
  void join_lists() {
    std::set<std::string> known;
    for (const Run& run : results_.runs) known.insert(run.fingerprint);
    std::map<std::string, std::size_t> again;
    for (Run& run : listed_) {
      if (known.contains(run.fingerprint)) {
        ++again[run.file];
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
