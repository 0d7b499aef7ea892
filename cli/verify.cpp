#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "golden/container/atomic_file.hpp"
#include "reports/verify/table.hpp"

namespace pageproof::cli {
namespace {

constexpr const char* kReport = "reports/out/verify.json";

// Where further peer pages may lie: the folder `shared` beside the source tree, unless the environment names
// another.
std::filesystem::path shared_folder() {
  const char* named = std::getenv("PAGEPROOF_SHARED");
  return named != nullptr ? std::filesystem::path(named)
                          : std::filesystem::path(PAGEPROOF_SOURCE_DIR).parent_path() / "shared";
}

Report listing(std::span<const reports::Check> checks) {
  Report report;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const reports::Check& check : checks) {
    report.text += fmt::format("{} {}\n", check.name, check.claim);
    json.push_back({{"check", check.name}, {"claim", check.claim}});
  }
  report.json = json.dump(2);
  return report;
}

}  // namespace

Result verify(const VerifyOptions& options) {
  const Expected<std::vector<reports::Check>> checks = reports::select_checks(options.checks);
  if (!checks) return std::unexpected(checks.error());
  if (options.list) return listing(*checks);

  reports::CheckOptions run{.quick = options.quick, .fixtures = options.fixtures, .shared = shared_folder()};
  if (run.fixtures.empty()) run.fixtures = std::filesystem::path(PAGEPROOF_SOURCE_DIR) / "golden";
  std::error_code unreadable;
  if (!std::filesystem::is_directory(run.fixtures, unreadable)) {
    return std::unexpected(Error{"verify", "--fixtures", run.fixtures.string(), "no such folder"});
  }
  const bool terminal = isatty(STDERR_FILENO) != 0;
  std::string current;
  const auto show = [&](const std::string& line) {
    if (terminal) fmt::print(stderr, "\r\033[K{}", line);
  };
  run.progress = [&](std::uint64_t done, std::uint64_t of) {
    show(fmt::format("{} {}/{}", current, done, of));
  };
  const std::vector<reports::Row> rows = reports::run_checks(*checks, run, [&](const reports::Check& check) {
    current = check.name;
    show(current);
  });
  show("");

  Report report{
      .holds = reports::holds(rows), .text = reports::to_table(rows), .json = reports::to_json(rows, run)};
  std::filesystem::path path = options.report;
  if (path.empty() && options.checks.empty()) {
    path = kReport;
    std::error_code ignored;
    std::filesystem::create_directories(path.parent_path(), ignored);
  }
  if (!path.empty()) {
    const Expected<void> written = golden::write_file_atomically(path, std::as_bytes(std::span(report.json)));
    if (written)
      report.text += fmt::format("report: {}\n", path.string());
    else
      report.unfinished = written.error();
  }
  return report;
}

}  // namespace pageproof::cli
