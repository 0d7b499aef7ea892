// What is said of cost and of runs that nobody has made: the RFC's figures, and the dated predictions.
#include <fmt/format.h>

#include "golden/container/mapped_file.hpp"
#include "reports/decision/predictions.hpp"
#include "reports/decision/rfc_figures.hpp"
#include "reports/verify/check.hpp"

namespace pageproof::reports {
namespace {

// Every figure comes out as the table says, and every wrong formula changes one.
CheckResult rfc_figures_hold(const CheckOptions&) {
  CheckResult result;
  const auto figures = decision::rfc_figures();
  result.cases = figures.size();
  for (const decision::Figure& figure : decision::wrong_figures(figures)) {
    result.failures.push_back(
        {"cost.rfc_figures", "the RFC's figures come out as the table says",
         figure.name + ": " + figure.formula,
         fmt::format("{:g} {}{}", figure.stated, figure.unit, figure.differs ? " differs" : ""),
         fmt::format("{:g} {}", figure.ours, figure.unit), "pageproof cost --rfc"});
  }
  for (const decision::FormulaFault& fault : decision::formula_faults()) {
    ++result.cases;
    if (!decision::wrong_figures(decision::rfc_figures(fault.formulas)).empty()) continue;
    result.failures.push_back({"cost.rfc_figures", "a wrong formula changes a figure",
                               fault.name + ": " + fault.what, "a figure that does not come out", "none",
                               "pageproof verify cost.rfc_figures"});
  }
  return result;
}

CheckResult predictions_are_current(const CheckOptions&) {
  const std::string path = PAGEPROOF_SOURCE_DIR "/reports/predictions.json";
  CheckResult result;
  const auto failed = [&](const std::string& found) {
    result.failures.push_back({"predictions.current",
                               "the dated predictions are what the model gives, and unchanged", path,
                               "the hash fits, the figures agree", found,
                               "pageproof predictions --check reports/predictions.json"});
  };
  const auto file = golden::MappedFile::open(path);
  if (!file) {
    failed(to_string(file.error()));
    return result;
  }
  const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  const auto checked = decision::check_predictions(text, path);
  if (!checked) {
    failed(to_string(checked.error()));
    return result;
  }
  result.cases = 1;
  for (const std::string& problem : checked->problems) failed(problem);
  return result;
}

const Registered kRfcFigures({.name = "cost.rfc_figures",
                              .claim = "every figure of the RFC's cost arithmetic comes out as `pageproof "
                                       "cost --rfc` says, and 18 wrong formulas are noticed",
                              .run = rfc_figures_hold});
const Registered kPredictions(
    {.name = "predictions.current",
     .claim = "the dated predictions have their hash, and every figure in them is what the model gives",
     .run = predictions_are_current});

}  // namespace
}  // namespace pageproof::reports
