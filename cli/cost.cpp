// pageproof cost: what a conversion costs and from how many output tokens it pays.
#include <nlohmann/json.hpp>

#include "cli/decision_commands.hpp"
#include "cli/json.hpp"
#include "reports/decision/cost_sheet.hpp"
#include "reports/decision/rfc_figures.hpp"

namespace pageproof::cli {
namespace {

Error of_option(Error error, const char* option) {
  return {option, "", error.value, error.problem};
}

Report figures_report(bool markdown) {
  const auto figures = decision::rfc_figures();
  return {.holds = decision::wrong_figures(figures).empty(),
          .text = markdown ? decision::figures_markdown(figures) : decision::figures_text(figures),
          .json = one_document(decision::figures_json(figures))};
}

}  // namespace

Result cost(const CostOptions& options) {
  if (options.rfc || options.markdown) return figures_report(options.markdown);
  const auto model = serving::model_preset(options.model);
  if (!model) return std::unexpected(of_option(model.error(), "--model"));
  const auto device = serving::device_preset(options.device);
  if (!device) return std::unexpected(of_option(device.error(), "--device"));
  decision::CostQuestion question{.model = *model,
                                  .device = *device,
                                  .tp = options.tp,
                                  .batch = options.batch,
                                  .context = options.context,
                                  .output = options.output,
                                  .block_tokens = options.block_tokens,
                                  .saving_ms = options.saving_ms,
                                  .launch_microseconds = options.launch_microseconds,
                                  .with_launches = options.with_launches,
                                  .step = {}};
  if (!options.traffic.empty()) question.traffic = options.traffic;
  if (!options.terabytes.empty()) {
    question.bytes_per_second.clear();
    for (const double terabytes : options.terabytes) question.bytes_per_second.push_back(terabytes * 1e12);
  }
  const auto sheet = decision::cost_sheet(question);
  if (!sheet) return std::unexpected(sheet.error());
  return Report{.text = decision::cost_text(*sheet), .json = one_document(decision::cost_json(*sheet))};
}

}  // namespace pageproof::cli
