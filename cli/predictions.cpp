// pageproof predictions: what nobody has measured yet, and whether the file that says so is still what the
// model gives.
#include "reports/decision/predictions.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "cli/decision_commands.hpp"
#include "cli/json.hpp"
#include "golden/container/atomic_file.hpp"
#include "golden/container/mapped_file.hpp"

namespace pageproof::cli {
namespace {

Result check(const std::string& path) {
  const auto file = golden::MappedFile::open(path);
  if (!file) return std::unexpected(file.error());
  const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  const auto checked = decision::check_predictions(text, path);
  if (!checked) return std::unexpected(checked.error());
  Report report{.holds = checked->problems.empty(), .text = "", .json = ""};
  report.text = fmt::format("{}, of {}, sha256 {}\n", path, checked->date, checked->hash);
  for (const std::string& problem : checked->problems) report.text += fmt::format("  {}\n", problem);
  if (report.holds) report.text += "  the hash fits, and every figure is what the model gives today\n";
  report.json = one_document({{"command", "predictions"},
                              {"holds", report.holds},
                              {"date", checked->date},
                              {"sha256", checked->hash},
                              {"problems", checked->problems}});
  return report;
}

}  // namespace

Result predictions(const PredictionsOptions& options) {
  if (!options.check.empty()) return check(options.check);
  const std::string date =
      options.date.empty() ? fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))) : options.date;
  if (!decision::is_date(date)) return std::unexpected(Error{"--date", "", date, "not a day, as YYYY-MM-DD"});
  const auto made = decision::make_predictions();
  if (!made) return std::unexpected(made.error());
  const std::string json = one_document(decision::predictions_json(*made, date));
  if (!options.output.empty()) {
    const auto written = golden::write_file_atomically(options.output, std::string_view(json + "\n"));
    if (!written) return std::unexpected(written.error());
  }
  return Report{.text = decision::predictions_text(*made), .json = json};
}

}  // namespace pageproof::cli
