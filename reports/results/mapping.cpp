#include "reports/results/mapping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "golden/container/mapped_file.hpp"
#include "reports/results/document.hpp"

namespace pageproof::results {
namespace {

constexpr std::size_t kMostPattern = 1024;
constexpr std::size_t kMostMatched = 4096;

struct Token {
  enum class Kind : std::uint8_t { exact, one, component, any, capture };
  Kind kind = Kind::exact;
  char exact = 0;
  std::string name = {};
};

std::vector<Token> tokens_of(std::string_view pattern) {
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::size_t close = pattern.find('}', i);
    if (pattern[i] == '{' && close != std::string_view::npos && close > i + 1) {
      tokens.push_back({Token::Kind::capture, 0, std::string(pattern.substr(i + 1, close - i - 1))});
      i = close;
    } else if (pattern.substr(i).starts_with("**")) {
      tokens.push_back({.kind = Token::Kind::any});
      ++i;
    } else if (pattern[i] == '*') {
      tokens.push_back({.kind = Token::Kind::component});
    } else if (pattern[i] == '?') {
      tokens.push_back({.kind = Token::Kind::one});
    } else {
      tokens.push_back({.exact = pattern[i]});
    }
  }
  return tokens;
}

// May the token take this character (of several, where it takes several)?
bool takes(const Token& token, char c) {
  switch (token.kind) {
    case Token::Kind::exact:
      return c == token.exact;
    case Token::Kind::any:
      return true;
    default:
      return c != '/';
  }
}
bool takes_many(const Token& token) {
  return token.kind != Token::Kind::exact && token.kind != Token::Kind::one;
}

// fits[t][p]: the tokens from t on match the text from p on.
class Table {
 public:
  Table(const std::vector<Token>& tokens, std::string_view text)
      : tokens_(tokens), text_(text), width_(text.size() + 1), fits_((tokens.size() + 1) * width_, 0) {
    at(tokens.size(), text.size()) = 1;
    for (std::size_t t = tokens.size(); t-- > 0;) {
      for (std::size_t p = width_; p-- > 0;) at(t, p) = fits_here(t, p);
    }
  }
  bool fits(std::size_t t, std::size_t p) const { return fits_[t * width_ + p] != 0; }

 private:
  std::uint8_t& at(std::size_t t, std::size_t p) { return fits_[t * width_ + p]; }
  std::uint8_t fits_here(std::size_t t, std::size_t p) const {
    const Token& token = tokens_[t];
    const bool takes_this = p < text_.size() && takes(token, text_[p]);
    const bool may_be_empty = token.kind == Token::Kind::component || token.kind == Token::Kind::any;
    if (may_be_empty && fits(t + 1, p)) return 1;
    if (!takes_this) return 0;
    return fits(t + 1, p + 1) || (takes_many(token) && fits(t, p + 1)) ? 1 : 0;
  }

  const std::vector<Token>& tokens_;
  std::string_view text_;
  std::size_t width_;
  std::vector<std::uint8_t> fits_;
};

}  // namespace

std::optional<std::map<std::string, std::string>> match_path(std::string_view pattern,
                                                             std::string_view path) {
  if (pattern.size() > kMostPattern || path.size() > kMostMatched) return {};
  const std::vector<Token> tokens = tokens_of(pattern);
  const Table table(tokens, path);
  for (std::size_t begin = 0; begin <= path.size(); ++begin) {
    const bool of_component = begin == 0 || path[begin - 1] == '/';
    if (!of_component || !table.fits(0, begin)) continue;
    std::map<std::string, std::string> tags;
    std::size_t p = begin;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      const std::size_t from = p;
      const bool at_least_one =
          tokens[t].kind != Token::Kind::component && tokens[t].kind != Token::Kind::any;
      if (at_least_one) ++p;
      while (!table.fits(t + 1, p)) ++p;
      if (tokens[t].kind == Token::Kind::capture) tags[tokens[t].name] = path.substr(from, p - from);
    }
    return tags;
  }
  return {};
}

Expected<Mapping> parse_mapping(std::string_view text, const std::string& source) {
  std::vector<Document> documents;
  std::optional<Error> error;
  read_documents(
      text, source,
      [&](Document&& document) {
        documents.push_back(std::move(document));
        return true;
      },
      [&](Error&& refused) {
        if (!error) error = std::move(refused);
      });
  if (error) return std::unexpected(*std::move(error));
  if (documents.size() != 1 || documents[0].of_list) {
    return std::unexpected(Error{source, "$", fmt::format("{} objects", documents.size()),
                                 "expected one object with the list `files`"});
  }
  const Document& document = documents[0];
  Mapping mapping{.source = source};
  std::size_t used = 0;
  for (std::size_t i = 0;; ++i) {
    const std::string prefix = fmt::format("files[{}].", i);
    const auto begin = document.values.lower_bound(prefix);
    if (begin == document.values.end() || !begin->first.starts_with(prefix)) break;
    MappingEntry entry;
    for (auto at = begin; at != document.values.end() && at->first.starts_with(prefix); ++at) {
      const std::string_view key = std::string_view(at->first).substr(prefix.size());
      const bool tag = key.starts_with("tags.") && key.size() > 5 && at->second.kind != Value::Kind::null;
      if (tag) {
        entry.tags.emplace(key.substr(5), at->second.text);
      } else if (key == "match" && at->second.kind == Value::Kind::text) {
        entry.match = at->second.text;
      } else {
        return std::unexpected(
            Error{source, at->first, at->second.text, "expected `match`, a text, or `tags`"});
      }
      ++used;
    }
    if (entry.match.empty()) return std::unexpected(Error{source, prefix + "match", "", "missing"});
    if (entry.match.size() > kMostPattern) {
      return std::unexpected(Error{source, prefix + "match", entry.match.substr(0, 80),
                                   fmt::format("longer than {} bytes", kMostPattern)});
    }
    mapping.entries.push_back(std::move(entry));
  }
  for (const auto& [path, value] : document.values) {
    if (!path.starts_with("files[")) return std::unexpected(Error{source, path, value.text, "no such key"});
  }
  if (mapping.entries.empty() || used != document.values.size()) {
    return std::unexpected(Error{source, "files", "", "expected a list of objects, each with `match`"});
  }
  return mapping;
}

Expected<Mapping> read_mapping(const std::string& path) {
  const auto file = golden::MappedFile::open(path);
  if (!file) return std::unexpected(file.error());
  return parse_mapping({reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()}, path);
}

}  // namespace pageproof::results
