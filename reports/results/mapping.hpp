// What the files do not say of themselves: a mapping gives tags to files by their paths.
//
//   {"files": [{"match": "c/run=*.json", "tags": {"setup": "c"}},
//              {"match": "*_isl{isl}_osl{osl}_conc*.json"}]}
//
// `*` stands for characters of one path component, `**` for any, `?` for one, `{name}` for one or more of a
// component, which become the tag `name`. A pattern has to match the path from some component to its end.
// Every entry that matches counts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/page/plain/error.hpp"

namespace pageproof::results {

struct MappingEntry {
  std::string match = {};
  std::map<std::string, std::string> tags = {};
};

struct Mapping {
  std::string source = {};  // its file
  std::vector<MappingEntry> entries = {};
};

// Refuses what is not of this form, with the path of the value; `source` names the text in errors.
Expected<Mapping> parse_mapping(std::string_view text, const std::string& source);
Expected<Mapping> read_mapping(const std::string& path);

// The tags that `pattern` gives to a path; nullopt: it does not match. Time is bounded by the product of the
// lengths. The shortest text that lets the rest match goes to each wildcard, from the left.
std::optional<std::map<std::string, std::string>> match_path(std::string_view pattern, std::string_view path);

}  // namespace pageproof::results
