// pageproof calibrate, pageproof validate: a step-time model from measured runs, and how well it predicts.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/decision_commands.hpp"
#include "cli/json.hpp"
#include "golden/container/atomic_file.hpp"
#include "golden/container/mapped_file.hpp"
#include "reports/decision/validation.hpp"

namespace pageproof::cli {
namespace {

using decision::Validation;

Report report_of(const std::vector<decision::StepModel>& models, const Validation& validation,
                 const decision::Measured& measured, const char* command, bool every_cell) {
  Report report{.text = "", .json = ""};
  for (const auto& list : {measured.left_out, validation.left_out}) {
    for (const Error& error : list) report.text += fmt::format("left out: {}\n", to_string(error));
  }
  report.text += decision::validation_text(models, validation, every_cell);
  nlohmann::ordered_json json = {{"command", command}};
  json["model"] = decision::models_json(models);
  json.update(decision::validation_json(validation));
  report.json = one_document(json);
  report.refused = measured.refused;
  return report;
}

Expected<void> nothing_measured(const decision::Measured& measured) {
  if (!measured.cells.empty()) return {};
  if (!measured.refused.empty()) return std::unexpected(measured.refused.front());
  if (!measured.left_out.empty()) return std::unexpected(measured.left_out.front());
  return std::unexpected(Error{"FILE", "", "", "no measured cell in these files"});
}

}  // namespace

Result calibrate(const CalibrateOptions& options) {
  const auto rule = decision::split_rule_named(options.split);
  if (!rule) return std::unexpected(rule.error());
  if (options.swap && *rule == decision::SplitRule::none) {
    return std::unexpected(Error{"--swap", "", "", "no cell is held out without --split"});
  }
  const decision::Measured measured = decision::read_measured(options.inputs);
  if (const auto ok = nothing_measured(measured); !ok) return std::unexpected(ok.error());
  const decision::Halves halves = decision::split_cells(measured.cells, *rule, options.swap);
  const auto models = decision::fit_setups(halves.fitted, options.prefills_elsewhere);
  if (!models) return std::unexpected(models.error());
  Report report =
      report_of(*models, decision::validate(*models, measured.cells), measured, "calibrate", options.cells);
  for (const auto& [path, text] :
       {std::pair{options.output, one_document(decision::models_json(*models)) + "\n"},
        {options.step_table, decision::step_table_csv(*models)}}) {
    if (path.empty()) continue;
    if (const auto written = golden::write_file_atomically(path, std::string_view(text)); !written) {
      return std::unexpected(written.error());
    }
  }
  return report;
}

Result validate(const ValidateOptions& options) {
  const auto file = golden::MappedFile::open(options.model);
  if (!file) return std::unexpected(file.error());
  const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  const auto models = decision::models_from_json(text, options.model);
  if (!models) return std::unexpected(models.error());
  const decision::Measured measured = decision::read_measured(options.inputs);
  if (const auto ok = nothing_measured(measured); !ok) return std::unexpected(ok.error());
  return report_of(*models, decision::validate(*models, measured.cells), measured, "validate", options.cells);
}

}  // namespace pageproof::cli
