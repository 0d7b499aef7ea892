#include "reports/page/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace pageproof::page {
namespace {

std::string with_minus(std::string text) {
  return text.starts_with('-') ? "\u2212" + text.substr(1) : text;
}

}  // namespace

std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return (lead >= 0x20 && lead != 0x7f) || lead == '\n' || lead == '\t' ? 1 : 0;
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (bytes == 0 || lead > 0xf4 || text.size() < bytes) return 0;
  std::uint32_t code = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return 0;
  // C1 controls, marks that turn the direction of text, and the two that XML forbids.
  const bool hidden = (code >= 0x80 && code < 0xa0) || (code >= 0x202a && code <= 0x202e) ||
                      (code >= 0x2066 && code <= 0x2069) || code == 0xfffe || code == 0xffff;
  return hidden ? 0 : bytes;
}

std::string capped(std::string_view text, std::size_t most) {
  std::size_t at = 0;
  for (std::size_t characters = 0; at < text.size(); ++characters) {
    if (characters == most) return std::string(text.substr(0, at)) + "\u2026";
    at += std::max<std::size_t>(character_bytes(text.substr(at)), 1);
  }
  return std::string(text);
}

std::string counted(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    switch (bytes == 1 ? text[0] : '\0') {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if (bytes == 0) {
          out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
        } else {
          out += text.substr(0, bytes);
        }
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return out;
}

std::string rounded(double value) {
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size < 1e-3 || size >= 1e9) return with_minus(fmt::format("{:.3g}", value));
  if (size >= 1000) return with_minus(fmt::format("{:.0f}", value));
  return with_minus(fmt::format("{:.4g}", value));
}

std::string percent(double share) {
  const double value = share * 100;
  std::string text = std::abs(value) < 10 ? fmt::format("{:+.2f}", value) : fmt::format("{:+.1f}", value);
  if (text == "+0.00" || text == "-0.00") text = "0";
  return with_minus(text) + " %";
}

std::string exact(double value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return std::string(buffer.data(), end);
}

std::string uri_data(std::string_view svg) {
  std::string out;
  out.reserve(svg.size() + svg.size() / 8);
  for (const char c : svg) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte >= 0x7f || c == '%' || c == '#' || c == '<' || c == '"' || c == '&') {
      // A space is safe within a quoted attribute, and the most frequent of these.
      out += c == ' ' ? std::string(1, c) : fmt::format("%{:02X}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,:=+@%-";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) return std::string(text);
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out + "'";
}

std::string html_of(const Table& table) {
  const auto look = [](const Column& column) {
    return column.holds == Holds::number ? " class=\"n\"" : column.holds == Holds::text ? " class=\"t\"" : "";
  };
  std::string out = "<div class=\"wide\"><table><thead><tr>";
  for (const Column& column : table.columns) {
    out += fmt::format("<th scope=\"col\"{}>{}</th>", look(column), column.head);
  }
  out += "</tr></thead><tbody>\n";
  for (const std::vector<std::string>& row : table.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += fmt::format("<td{}>{}</td>", look(table.columns[i]), row[i]);
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace pageproof::page
