#include "reports/results/join.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <utility>

namespace pageproof::results {
namespace {

namespace fs = std::filesystem;

void join(Run& run, const Beside& beside) {
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

}  // namespace

std::string folder_of(const std::string& path) {
  return fs::path(path).parent_path().string();
}

void join_aiperf(std::vector<Run>& runs) {
  for (Run& records : runs) {
    if (records.tool != Tool::aiperf_records) continue;
    for (Run& run : runs) {
      if (run.tool != Tool::aiperf || run.detailed || folder_of(run.file) != folder_of(records.file))
        continue;
      run.detailed = std::move(records.detailed);
      std::ranges::move(records.findings, std::back_inserter(run.findings));
      run.findings.push_back({Weight::note, "requests", records.source, "the arrays are of this file"});
      records.source.clear();
      break;
    }
  }
  std::erase_if(runs, [](const Run& run) { return run.source.empty(); });
}

void add_tags(Run& run, const Mapping& mapping) {
  for (const MappingEntry& entry : mapping.entries) {
    const auto captured = match_path(entry.match, run.file);
    if (!captured) continue;
    std::map<std::string, std::string> tags = *captured;
    tags.insert(entry.tags.begin(), entry.tags.end());
    for (const auto& [name, value] : tags) {
      const auto [place, fresh] = run.tags.emplace(name, value);
      if (fresh || place->second == value) continue;
      run.findings.push_back(
          {Weight::invalid, name, place->second,
           fmt::format("{} says {}", mapping.source.empty() ? "the mapping" : mapping.source, value)});
    }
  }
  if (run.model_id.empty()) run.model_id = run.tag("model");
}

void attach(const Beside& beside, std::vector<Run>& runs, std::vector<Error>& refused) {
  bool used = false;
  for (Run& run : runs) {
    const fs::path path = run.file;
    const bool of_it = beside.sidecar.run.empty() || path.filename() == beside.sidecar.run;
    if (path.parent_path() != beside.folder || !of_it) continue;
    used = true;
    join(run, beside);
  }
  if (used) return;
  refused.push_back({beside.sidecar.split.source, beside.sidecar.run.empty() ? "" : "run", beside.sidecar.run,
                     "no run of it in the same folder"});
}

}  // namespace pageproof::results
