#include "reports/results/pieces.hpp"

#include <array>

namespace pageproof::results {

std::string_view first_piece(std::string_view text) {
  if (text.front() != '{' && text.front() != '[') return text.substr(0, text.find('\n'));
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '\\') ++i;
      }
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return text.substr(0, i + 1);
    }
  }
  return text;
}

std::optional<std::string> with_quoted_non_numbers(std::string_view text) {
  constexpr std::array<std::string_view, 3> kWords{"-Infinity", "Infinity", "NaN"};
  std::string quoted;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '\\') ++i;
      }
      continue;
    }
    for (const std::string_view word : kWords) {
      if (!text.substr(i).starts_with(word)) continue;
      quoted.append(text.substr(copied, i - copied)).append("\"").append(word).append("\"");
      i += word.size() - 1;
      copied = i + 1;
      break;
    }
  }
  if (copied == 0) return {};
  return quoted.append(text.substr(copied));
}

}  // namespace pageproof::results
