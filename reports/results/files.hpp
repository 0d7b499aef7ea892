// Which files a reader of results looks at.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/page/plain/error.hpp"

namespace pageproof::results {

struct File {
  std::string path;
  bool named = false;  // by the caller, not found in a folder
  auto operator<=>(const File&) const = default;
};

// The named files, and of named folders all *.json, *.jsonl, *.log and *.txt in and below them but `except`;
// each once, in the order of their paths. Links are followed, a folder and a file once however many lead
// there. `refused`: a folder that cannot be listed (the others are), or more than `most_files`. `left_out`: a
// link to what is read already or to nothing, and a pipe, socket or device of such a name.
std::vector<File> files_of(const std::vector<std::string>& paths, const std::string& except,
                           std::uint64_t most_files, std::vector<Error>& refused,
                           std::vector<Error>& left_out);

bool is_log(const std::string& path);

// Why a file of this name is no run, though a tool of benchmarks wrote it; empty: it may be one.
std::string_view left_out_because(const std::string& path);

}  // namespace pageproof::results
