// `pageproof receive check`: the log of a connector, from a file or a pipe.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "reports/receive/check.hpp"

namespace pageproof::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostLogBytes = std::size_t{1} << 30;

// A file, or a pipe to its end. Refused: folders, devices (some never end), more than 1 GiB.
Expected<std::string> read_whole(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  const fs::file_type type = fs::status(path, unknown).type();
  if (type != fs::file_type::regular && type != fs::file_type::fifo && type != fs::file_type::not_found) {
    return std::unexpected(Error{path, "", "", "cannot be read: neither a file nor a pipe"});
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::unexpected(Error{path, "", "", "cannot be read"});
  std::string text;
  if (type == fs::file_type::regular) {
    const std::uintmax_t bytes = fs::file_size(path, unknown);
    if (!unknown) text.reserve(std::min<std::uintmax_t>(bytes, kMostLogBytes));
  }
  std::vector<char> piece(std::size_t{1} << 16);
  while (file) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMostLogBytes) {
      return std::unexpected(Error{path, "", "", "longer than 1 GiB: cut it where no request is alive"});
    }
  }
  if (!file.eof()) return std::unexpected(Error{path, "", "", "cannot be read to its end"});
  return text;
}

std::string broken_text(const receive_log::Broken& broken, std::string_view log) {
  std::string text = fmt::format("REFUTED   receive.{}\nClaim     {}\nExample   {}\n", broken.rule,
                                 broken.claim, printable(broken.what));
  for (const std::size_t line : broken.lines) {
    text += fmt::format("Line {:<4} {}\n", line, printable(receive_log::text_of_line(log, line)));
  }
  if (!broken.missing.empty()) text += fmt::format("Missing   {}\n", broken.missing);
  if (broken.unread != 0) {
    text +=
        fmt::format("But       line {} could not be used: it may say what is missing here\n", broken.unread);
  }
  return text;
}

// What the end of the log leaves open, in a line; empty: nothing.
std::string open_text(const receive_log::Checked& checked) {
  std::string text;
  for (const receive_log::Open* open : {&checked.unfreed, &checked.unended, &checked.untold}) {
    if (open->count == 0) continue;
    text += fmt::format("{}{}: {} (the first: line {})", text.empty() ? "Open      " : "; ", open->what,
                        open->count, open->line);
  }
  return text.empty() ? text : text + "\n";
}

}  // namespace

Result receive_check(const ReceiveCheckOptions& options) {
  const Expected<std::string> text = read_whole(options.input);
  if (!text) return std::unexpected(text.error());
  const receive_log::Checked checked = receive_log::check_log(*text, options.input);
  if (checked.events == 0) {
    if (!checked.refused.empty()) return std::unexpected(checked.refused.front());
    if (checked.truncated) return std::unexpected(*checked.truncated);
    return std::unexpected(Error{options.input, "", "", "no event in it"});
  }
  const bool empty = !checked.broken && checked.requests == 0;  // nothing was judged
  Report report{.holds = !checked.broken && !empty, .text = {}, .json = {}, .unfinished = checked.truncated};
  report.refused = checked.refused;
  const std::uint64_t more = checked.refused_lines - checked.refused.size();
  if (more > 0) {
    report.refused.push_back({options.input, "lines", std::to_string(checked.refused_lines),
                              fmt::format("refused, {} more", more)});
  }
  ordered_json refused = ordered_json::array();
  for (const Error& error : checked.refused) refused.push_back(pageproof::to_string(error));
  ordered_json json = {{"command", "receive check"},
                       {"log", printable(options.input)},
                       {"holds", report.holds && checked.complete()},
                       {"empty", empty},
                       {"events", checked.events},
                       {"requests", checked.requests},
                       {"reads", checked.reads},
                       {"conversions", checked.conversions},
                       {"steps", checked.steps},
                       {"unfreed", checked.unfreed.count},
                       {"unended", checked.unended.count},
                       {"untold", checked.untold.count},
                       {"refused_lines", checked.refused_lines},
                       {"refused", refused},
                       {"truncated", checked.truncated.has_value()},
                       {"doubted", checked.doubted}};
  if (checked.broken) {
    const receive_log::Broken& broken = *checked.broken;
    report.text = broken_text(broken, *text);
    json["broken"] = {{"rule", broken.rule},       {"claim", broken.claim},   {"what", broken.what},
                      {"missing", broken.missing}, {"unread", broken.unread}, {"lines", broken.lines}};
  } else if (empty) {
    report.text = fmt::format("EMPTY     {}: {} events, no request in the log\n", printable(options.input),
                              checked.events);
  } else {
    report.text =
        fmt::format("{:<9} {}: {} events, {} requests, {} reads, {} conversions, {} decode steps\n",
                    checked.complete() ? "HOLDS" : "PARTLY", printable(options.input), checked.events,
                    checked.requests, checked.reads, checked.conversions, checked.steps);
  }
  if (!checked.broken) report.text += open_text(checked);
  if (checked.doubted > 0) {
    report.text += fmt::format(
        "Doubted   {} requests are named by lines that could not be used: not judged from there on\n",
        checked.doubted);
  }
  report.json = one_document(json);
  return report;
}

}  // namespace pageproof::cli
