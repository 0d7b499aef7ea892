// A judgement for people: verdict and reasons first, then the map of cells, then the figures. The same
// sections are written as plain text for a terminal and as Markdown for a comment on an issue.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/gonogo/judge.hpp"

namespace pageproof::gonogo {

struct Section {
  std::string title = {};
  std::vector<std::string> lines = {};               // sentences
  std::vector<std::string> drawing = {};             // lines of equal width characters
  std::vector<std::vector<std::string>> table = {};  // the first row is the head
};

struct WordOptions {
  std::size_t most_rows = 24;  // of a table; more are counted, not shown
};

std::vector<Section> sections_of(const Judgement& judgement, const WordOptions& options);

// Control characters as \xNN, nothing cut.
std::string visible(std::string_view text);

std::string to_text(const std::vector<Section>& sections);
std::string to_markdown(const std::vector<Section>& sections);

}  // namespace pageproof::gonogo
