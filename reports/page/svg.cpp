#include "reports/page/svg.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "reports/page/html.hpp"

namespace pageproof::page {
namespace {

// Single quotes in tags, and no white space between them.
std::string one_line(std::string_view svg) {
  std::string out;
  out.reserve(svg.size());
  bool in_tag = false, after_tag = false;
  std::string space;
  for (const char c : svg) {
    if (c == '\n' || c == '\t' || c == ' ') {
      space += c == '\t' ? ' ' : c;
      continue;
    }
    const bool line_end = space.find('\n') != std::string::npos;
    // Within text a space is a space; between tags, and beside the end of a line, it is layout.
    const bool layout = after_tag && (c == '<' || line_end);
    if (!space.empty() && !layout) out += in_tag ? std::string(" ") : space;
    space.clear();
    if (c == '<') in_tag = true;
    after_tag = c == '>' && in_tag;
    if (c == '>') in_tag = false;
    out += in_tag && c == '"' ? '\'' : c;
  }
  return out;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  std::string out;
  out.reserve(text.size());
  std::size_t at = 0;
  for (std::size_t next = text.find(from); next != std::string::npos; next = text.find(from, at)) {
    out.append(text, at, next - at);
    out += to;
    at = next + from.size();
  }
  out.append(text, at, std::string::npos);
  text = std::move(out);
}

void erase_between(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    const std::size_t end = text.find(to, at);
    if (end == std::string::npos) return;
    text.erase(at, end + to.size() - at);
  }
}

// Groups that hold nothing, and those that then hold nothing.
void erase_empty_groups(std::string& text) {
  constexpr std::string_view kClose = "></g>";
  for (std::size_t at = text.find(kClose); at != std::string::npos; at = text.find(kClose, at)) {
    const std::size_t open = text.rfind('<', at);
    const bool group = open != std::string::npos && text.compare(open, 2, "<g") == 0 && text[at - 1] != '/';
    if (group) text.erase(open, at + kClose.size() - open);
    // What stands before may have become empty by it.
    at = group ? (open < kClose.size() ? 0 : open - kClose.size() + 4) : at + 1;
  }
}

// Marks that are defined and not used. A mark may refer to one before it.
void erase_unused_marks(std::string& text) {
  constexpr std::string_view kBegin = "<defs>", kEnd = "</defs>";
  const std::size_t begin = text.find(kBegin), end = text.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos) return;
  std::vector<std::string> marks;
  for (std::size_t at = begin + kBegin.size(); at < end; at += marks.back().size()) {
    marks.push_back(text.substr(at, text.find("/>", at) + 2 - at));
  }
  std::string used = text.substr(end), kept;
  for (std::size_t i = marks.size(); i-- > 0;) {
    const std::size_t id = marks[i].find("id='");
    if (id == std::string::npos) continue;
    const std::string name = marks[i].substr(id + 4, marks[i].find('\'', id + 4) - id - 4);
    if (used.find("#" + name + "'") == std::string::npos) continue;
    kept = marks[i] + kept;
    used += marks[i];
  }
  text.replace(begin, end - begin, std::string(kBegin) + kept);
}

// Reads XML from its beginning; what it cannot read stays.
class Reader {
 public:
  explicit Reader(std::string_view text) : left_(text) {}
  bool document() {
    do {
      if (!(left_.starts_with('<') ? tag() : words("<", false))) return false;
    } while (!open_.empty());
    return true;
  }
  std::string_view left() const { return left_; }

 private:
  bool take(std::string_view what) {
    if (!left_.starts_with(what)) return false;
    left_.remove_prefix(what.size());
    return true;
  }
  void space() { left_.remove_prefix(std::min(left_.find_first_not_of(" \t\r\n"), left_.size())); }
  std::string_view name() {
    constexpr std::string_view kName = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:-.";
    const std::size_t end = std::min(left_.find_first_not_of(kName), left_.size());
    const std::string_view found = left_.substr(0, end);
    left_.remove_prefix(end);
    return found;
  }
  // Text up to one of the characters of `end`.
  bool words(std::string_view end, bool in_attribute) {
    while (!left_.empty() && end.find(left_[0]) == std::string_view::npos) {
      if (left_.starts_with('<') || (!in_attribute && left_.starts_with("]]>"))) return false;
      if (left_.starts_with('&')) {
        const bool known = take("&amp;") || take("&lt;") || take("&gt;") || take("&quot;") || take("&apos;");
        if (!known) return false;
        continue;
      }
      const std::size_t bytes = left_.starts_with('\r') ? 1 : character_bytes(left_);
      if (bytes == 0) return false;
      left_.remove_prefix(bytes);
    }
    return !left_.empty();
  }
  bool attributes() {
    std::vector<std::string_view> seen;
    for (space(); !left_.starts_with('>') && !left_.starts_with("/>"); space()) {
      const std::string_view key = name();
      space();
      if (key.empty() || std::ranges::find(seen, key) != seen.end() || !take("=")) return false;
      seen.push_back(key);
      space();
      const std::string_view quote = left_.substr(0, 1);
      if ((quote != "'" && quote != "\"") || !take(quote) || !words(quote, true) || !take(quote))
        return false;
    }
    return true;
  }
  bool tag() {
    if (take("</")) {
      const std::string_view closed = name();
      space();
      if (open_.empty() || open_.back() != closed || !take(">")) return false;
      open_.pop_back();
      return true;
    }
    take("<");
    const std::string_view opened = name();
    if (opened.empty() || !attributes()) return false;
    if (take("/>")) return true;
    open_.push_back(opened);
    return take(">");
  }

  std::string_view left_;
  std::vector<std::string_view> open_;
};

}  // namespace

std::string malformed(std::string_view svg) {
  Reader reader(svg);
  if (reader.document() && reader.left().find_first_not_of(" \n") == std::string_view::npos) return {};
  return reader.left().empty() ? "its end" : capped(reader.left(), 60);
}

std::string shortened(std::string_view svg) {
  constexpr std::string_view kClasses =
      "<style>.a{fill:none;color:#000;stroke:currentColor;stroke-width:1;stroke-linecap:round;stroke-"
      "linejoin:"
      "round}.t{stroke:none;fill:#222;font-family:sans-serif;font-size:11px}</style><g id='gnuplot_canvas'>";
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kShorter{{
      {"<g id='gnuplot_canvas'>", kClasses},
      {"<g fill='none' color='black' stroke='currentColor' stroke-width='1.00' stroke-linecap='round' "
       "stroke-linejoin='round'>",
       "<g class='a'>"},
      {"stroke='none' fill='rgb(34,34,34)' font-family='sans-serif' font-size='11.00'", "class='t'"},
      {" text-anchor='start'", ""},
      {"rgb( 68, 68, 68)", "#444"},
      {"rgb( 0, 114, 178)", "#0072b2"},
      {"rgb(255, 255, 255)", "#fff"},
  }};
  std::string out = one_line(svg);
  erase_between(out, "<filter", "</filter>");
  erase_between(out, "<title>", "</title>");
  for (const auto& [from, to] : kShorter) replace_all(out, from, to);
  erase_unused_marks(out);
  erase_empty_groups(out);
  return out;
}

}  // namespace pageproof::page
