// pageproof report: documents of other commands in, one HTML page out.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/json.hpp"
#include "cli/report_command.hpp"
#include "golden/container/atomic_file.hpp"
#include "golden/container/mapped_file.hpp"
#include "golden/pages/sha256.hpp"
#include "reports/page/page.hpp"
#include "reports/page/read.hpp"

namespace pageproof::cli {
namespace {

Expected<void> add_document(const std::string& path, page::Content& content) {
  const auto file = golden::MappedFile::open(path);
  if (!file) return std::unexpected(file.error());
  const std::span<const std::byte> bytes = file->bytes();
  if (bytes.size() > page::kMostBytes) {
    return std::unexpected(Error{path, "file size", fmt::format("{} B", bytes.size()),
                                 fmt::format("a document has at most {} B", page::kMostBytes)});
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto read = page::read_document(text, path, content);
  if (read) content.sources.back().sha256 = golden::sha256_hex(bytes);
  return read;
}

// Refuses a page that would be written over a document, or to the terminal.
Expected<void> check_output(const ReportOptions& options) {
  if (options.output == "-") {
    return std::unexpected(Error{"--output", "", "-", "a page is written to a file"});
  }
  for (const std::string& path : options.inputs) {
    std::error_code none;
    if (path == options.output || std::filesystem::equivalent(path, options.output, none)) {
      return std::unexpected(
          Error{"--output", "", options.output, "the page would take the place of a document"});
    }
  }
  return {};
}

}  // namespace

Result report(const ReportOptions& options) {
  if (options.inputs.size() > page::kMostDocuments) {
    return std::unexpected(Error{"DOCUMENT", "count", std::to_string(options.inputs.size()),
                                 fmt::format("a page takes at most {}", page::kMostDocuments)});
  }
  if (const auto ok = check_output(options); !ok) return std::unexpected(ok.error());
  page::Content content;
  for (const std::string& path : options.inputs) {
    if (const auto added = add_document(path, content); !added) return std::unexpected(added.error());
  }
  const page::Page made = page::page_of(content, {.title = options.title,
                                                  .gnuplot = options.no_charts ? "" : "gnuplot",
                                                  .version = PAGEPROOF_VERSION,
                                                  .output = options.output});
  const auto written = golden::write_file_atomically(options.output, std::string_view(made.html));
  if (!written) return std::unexpected(written.error());
  const std::size_t judged = page::judged_cells(content);
  const std::string verdict = content.verdict.empty() ? "no judgement" : content.verdict;
  Report out{.text = "", .json = ""};
  out.text = fmt::format("{}: {}, {} cell{}, {} chart{}, {} B\n", options.output, verdict, judged,
                         judged == 1 ? "" : "s", made.charts, made.charts == 1 ? "" : "s", made.html.size());
  if (made.undrawn > 0) {
    const std::string why = made.without_charts.empty()
                                ? fmt::format("of a kind, the first {} are drawn", page::kMostPanels)
                                : made.without_charts;
    out.text += fmt::format("{} chart{} left out: {}\n", made.undrawn, made.undrawn == 1 ? "" : "s", why);
  }
  out.json = one_document({{"command", "report"},
                           {"output", options.output},
                           {"verdict", content.verdict},
                           {"cells", judged},
                           {"bytes", made.html.size()},
                           {"charts", made.charts},
                           {"charts_left_out", made.undrawn},
                           {"without_charts", made.without_charts}});
  return out;
}

}  // namespace pageproof::cli
