#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/decision/break_even.hpp"
#include "reports/decision/cost_sheet.hpp"
#include "reports/decision/rfc_figures.hpp"

namespace pageproof::decision {

using Json = nlohmann::ordered_json;

namespace {

// JSON has no infinity: "never" stands for it.
Json number(double value) {
  return std::isinf(value) ? Json("never") : Json(value);
}

}  // namespace

Json cost_json(const CostSheet& sheet) {
  const CostQuestion& q = sheet.question;
  Json lines = Json::array();
  for (const CostLine& line : sheet.lines) {
    lines.push_back({{"topic", line.topic},
                     {"name", line.name},
                     {"least", number(line.least)},
                     {"most", number(line.most)},
                     {"unit", line.unit},
                     {"formula", line.formula},
                     {"source", line.source}});
  }
  return {{"command", "cost"},  {"model", q.model.key},      {"device", q.device.key},
          {"tp", q.tp},         {"batch", q.batch},          {"context", q.context},
          {"output", q.output}, {"lines", std::move(lines)}, {"break_even", break_even_json(sheet)}};
}

Json figures_json(const std::vector<Figure>& figures) {
  Json all = Json::array();
  for (const Figure& figure : figures) {
    Json one = {{"name", figure.name},
                {"in_rfc", figure.of_rfc},
                {"says", figure.says},
                {"formula", figure.formula},
                {"unit", figure.unit},
                {"state", to_string(figure.state())},
                {"assumption", figure.assumption}};
    if (figure.computed) {
      one["stated"] = number(figure.stated);
      one["ours"] = number(figure.ours);
    }
    all.push_back(std::move(one));
  }
  return {{"command", "cost"}, {"figures", std::move(all)}};
}

}  // namespace pageproof::decision
