// Logs in short: "post A handle=0 blocks=[3]; read_done A handle=0" stands for two lines, each at its own
// time.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "reports/receive/check.hpp"

namespace pageproof::receive_log_tests {

// A word is an event, one without "=" behind it the request, else a field; a value is text unless it is
// JSON's.
inline std::string log_of(std::string_view brief) {
  std::string log;
  for (std::size_t time = 0; !brief.empty(); ++time) {
    std::string_view line = brief.substr(0, brief.find(';'));
    brief.remove_prefix(std::min(brief.size(), line.size() + 1));
    std::string object;
    while (!line.empty()) {
      const std::string_view word = line.substr(0, line.find(' '));
      line.remove_prefix(std::min(line.size(), word.size() + 1));
      if (word.empty()) continue;
      const std::size_t is = word.find('=');
      const std::string_view value = word.substr(is == std::string_view::npos ? 0 : is + 1);
      const std::string_view key = object.empty()                 ? "event"
                                   : is == std::string_view::npos ? "request"
                                                                  : word.substr(0, is);
      const bool json = value.starts_with('[') || value.find_first_of("0123456789") == 0 || value == "true" ||
                        value == "false";
      object += json ? fmt::format(",\"{}\":{}", key, value) : fmt::format(",\"{}\":\"{}\"", key, value);
    }
    if (!object.empty()) log += fmt::format("{{\"time\":{}{}}}\n", time, object);
  }
  return log;
}

// "holds", or the rule and its lines, or what is refused.
inline std::string judged(const std::string& log) {
  const receive_log::Checked checked = receive_log::check_log(log, "log");
  std::string said;
  for (const Error& error : checked.refused) said += "refused: " + to_string(error) + "\n";
  if (checked.truncated) said += "truncated\n";
  if (checked.broken) {
    said += checked.broken->rule;
    for (const std::size_t line : checked.broken->lines) said += " " + std::to_string(line);
    if (!checked.broken->missing.empty()) said += " missing " + checked.broken->missing;
  }
  return said.empty() ? "holds" : said;
}

}  // namespace pageproof::receive_log_tests
