#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "model/json/fields.hpp"
#include "model/json/strict_json.hpp"
#include "reports/decision/validation.hpp"

namespace pageproof::decision {

using Json = nlohmann::ordered_json;

namespace {

constexpr double kMostCoefficient = 1e12;  // ms, and tokens
constexpr const char* kModelKind = "pageproof step-time model";

struct Coefficient {
  const char* key;
  double StepModel::* value;
  const char* meaning;
};
constexpr Coefficient kCoefficients[] = {
    {"base_ms", &StepModel::base_ms, "t0: a step whatever it holds, weights included"},
    {"per_request_ms", &StepModel::per_request_ms, "t_B: each running request"},
    {"per_kv_token_ms", &StepModel::per_kv_token_ms, "t_kv: each token of KV read"},
    {"join_per_token_ms", &StepModel::join_per_token_ms,
     "j1: what a prompt token that joins costs the running requests"},
    {"join_per_token2_ms", &StepModel::join_per_token2_ms, "j2: the same, by its square"},
    {"first_token_ms", &StepModel::first_token_ms, "f0: of a first token, whatever the prompt"},
    {"prefill_per_token_ms", &StepModel::prefill_per_token_ms, "f1: a prompt token, prefilled elsewhere"},
    {"prefill_per_token2_ms", &StepModel::prefill_per_token2_ms, "f2: the same, by its square"},
    {"queue_share", &StepModel::queue_share, "w: share of the others' prefills that a request waits for"},
};

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string quality_line(const char* what, const Quality& q) {
  if (q.cells == 0) return fmt::format("{:<10} no cells\n", what);
  std::string line = fmt::format("{:<10} {:>3} cells   MAPE {}   bias {:+.1f} %   worst {}", what, q.cells,
                                 percent(q.mape), 100 * q.bias, percent(q.worst));
  if (q.correlation) line += fmt::format("   r {:.4f}   {}", *q.correlation, q.grade);
  if (q.throughput_mape) line += fmt::format("   output throughput: MAPE {}", percent(*q.throughput_mape));
  line += '\n';
  if (q.differential) {
    line +=
        fmt::format("{:<10} differences of {} pairs: mean error {} of TPOT, worst {}; same sign {}\n", "",
                    q.pairs, percent(*q.differential), percent(*q.differential_worst), percent(*q.same_sign));
  }
  return line;
}

Json quality_json(const Quality& q) {
  const auto maybe = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
  return {{"cells", q.cells},
          {"tpot_mape", q.mape},
          {"tpot_bias", q.bias},
          {"tpot_worst", q.worst},
          {"correlation", maybe(q.correlation)},
          {"grade", q.grade},
          {"output_throughput_mape", maybe(q.throughput_mape)},
          {"pairs", q.pairs},
          {"differential", maybe(q.differential)},
          {"differential_worst", maybe(q.differential_worst)},
          {"same_sign", maybe(q.same_sign)}};
}

std::unexpected<Error> wrong_model(const std::string& subject, std::string field, std::string value,
                                   std::string problem) {
  return std::unexpected(Error{subject, std::move(field), std::move(value), std::move(problem)});
}

Expected<double> number_at(const nlohmann::json& object, const char* key, const std::string& subject,
                           const std::string& path) {
  const auto found = object.find(key);
  if (found == object.end()) return wrong_model(subject, path + "." + key, "", "missing");
  if (!found->is_number()) return wrong_model(subject, path + "." + key, shown(*found), "not a number");
  const double value = found->get<double>();
  if (!std::isfinite(value) || value < 0)
    return wrong_model(subject, path + "." + key, shown(*found), "negative");
  if (value > kMostCoefficient) {
    return wrong_model(subject, path + "." + key, shown(*found), fmt::format("above {:g}", kMostCoefficient));
  }
  return value;
}

Expected<StepModel> model_of(const nlohmann::json& object, const std::string& subject,
                             const std::string& path) {
  if (!object.is_object()) return wrong_model(subject, path, shown(object), "not an object");
  StepModel model;
  JsonFields fields(object, path, subject);
  fields.required("setup", model.setup);
  fields.required("prefills_elsewhere", model.prefills_elsewhere);
  fields.required("fitted_on", model.fitted_on);
  std::vector<std::string> remarks;
  fields.optional("remarks", remarks);
  for (const Coefficient& one : kCoefficients) fields.find(one.key);
  fields.find("kv_tokens");
  fields.refuse_unknown_keys();
  if (fields.error()) return std::unexpected(*fields.error());
  if (model.fitted_on.empty()) return wrong_model(subject, path + ".fitted_on", "[]", "fitted on no cell");
  for (const Coefficient& one : kCoefficients) {
    const auto value = number_at(object, one.key, subject, path);
    if (!value) return std::unexpected(value.error());
    model.*one.value = *value;
  }
  model.kv_tokens = std::numeric_limits<double>::infinity();
  if (const auto found = object.find("kv_tokens"); found == object.end() || !found->is_null()) {
    const auto value = number_at(object, "kv_tokens", subject, path);
    if (!value) return std::unexpected(value.error());
    if (*value < 1) return wrong_model(subject, path + ".kv_tokens", shown(*found), "below 1");
    model.kv_tokens = *value;
  }
  return model;
}

}  // namespace

Json models_json(const std::vector<StepModel>& models) {
  Json all = Json::array();
  for (const StepModel& model : models) {
    Json one = {{"setup", model.setup}, {"prefills_elsewhere", model.prefills_elsewhere}};
    for (const Coefficient& coefficient : kCoefficients) one[coefficient.key] = model.*coefficient.value;
    one["kv_tokens"] = std::isinf(model.kv_tokens) ? Json() : Json(model.kv_tokens);
    one["fitted_on"] = model.fitted_on;
    one["remarks"] = model.remarks;
    all.push_back(std::move(one));
  }
  return {{"kind", kModelKind}, {"version", 1}, {"models", std::move(all)}};
}

Expected<std::vector<StepModel>> models_from_json(std::string_view text, const std::string& subject) {
  const auto json = parse_strict_json(text, {.subject = subject, .field = "", .deepest = 6});
  if (!json) return std::unexpected(json.error());
  if (!json->is_object() || json->value("kind", nlohmann::json()) != kModelKind) {
    return wrong_model(subject, "$.kind",
                       json->is_object() ? shown(json->value("kind", nlohmann::json())) : shown(*json),
                       fmt::format("not \"{}\", as calibrate writes", kModelKind));
  }
  if (json->value("version", nlohmann::json()) != 1) {
    return wrong_model(subject, "$.version", shown(json->value("version", nlohmann::json())), "not 1");
  }
  const auto found = json->find("models");
  if (found == json->end() || !found->is_array()) return wrong_model(subject, "$.models", "", "not a list");
  std::vector<StepModel> models;
  for (const nlohmann::json& one : *found) {
    auto model = model_of(one, subject, fmt::format("$.models[{}]", models.size()));
    if (!model) return std::unexpected(model.error());
    if (std::ranges::find(models, model->setup, &StepModel::setup) != models.end()) {
      return wrong_model(subject, fmt::format("$.models[{}].setup", models.size()), model->setup,
                         "stands twice");
    }
    models.push_back(std::move(*model));
  }
  if (models.empty()) return wrong_model(subject, "$.models", "[]", "no model");
  return models;
}

std::string validation_text(const std::vector<StepModel>& models, const Validation& validation,
                            bool every_cell) {
  std::string text;
  for (const StepModel& model : models) {
    text += fmt::format("Step time{}, fitted on {} cells\n", model.setup.empty() ? "" : " of " + model.setup,
                        model.fitted_on.size());
    for (const Coefficient& one : kCoefficients) {
      if (model.*one.value != 0)
        text += fmt::format("  {:<22} {:>11.4g}   {}\n", one.key, model.*one.value, one.meaning);
    }
    text += std::isinf(model.kv_tokens)
                ? fmt::format("  {:<22} {:>11}   K: no cell filled the KV cache\n", "kv_tokens", "-")
                : fmt::format("  {:<22} {:>11.0f}   K: tokens that fit the KV cache\n", "kv_tokens",
                              model.kv_tokens);
    for (const std::string& remark : model.remarks) text += fmt::format("  note: {}\n", remark);
  }
  if (every_cell) {
    text += fmt::format("\n{:<8}{:>7}{:>6}{:>6}  {:>9}{:>9}{:>8}  {:>9}{:>9}{:>8}  {:>7}\n", "", "isl", "osl",
                        "load", "TPOT ms", "pred.", "error", "tok/s", "pred.", "error", "batch");
    for (const CellError& one : validation.cells) {
      const MeasuredCell& cell = one.cell;
      text += fmt::format("{:<8}{:>7.0f}{:>6.0f}{:>6.0f}  {:>9.2f}{:>9.2f}{:>+7.1f}%",
                          one.fitted ? "fitted" : "held out", cell.input_tokens, cell.output_tokens,
                          cell.load, cell.tpot_ms, one.predicted.tpot_ms, 100 * one.tpot);
      if (one.throughput) {
        text += fmt::format("  {:>9.1f}{:>9.1f}{:>+7.1f}%", *cell.output_throughput,
                            one.predicted.output_throughput, 100 * *one.throughput);
      }
      text += fmt::format("  {:>7.1f}\n", one.predicted.batch);
    }
  }
  text += "\nTPOT, predicted against measured\n";
  text += quality_line("fitted", validation.fitted);
  text += quality_line("held out", validation.held_out);
  return text;
}

Json validation_json(const Validation& validation) {
  Json cells = Json::array();
  for (const CellError& one : validation.cells) {
    Json cell = {{"setup", one.cell.setup},
                 {"model", one.cell.model},
                 {"input_tokens", one.cell.input_tokens},
                 {"output_tokens", one.cell.output_tokens},
                 {"load", one.cell.load},
                 {"runs", one.cell.runs},
                 {"fitted", one.fitted},
                 {"tpot_ms", one.cell.tpot_ms},
                 {"predicted_tpot_ms", one.predicted.tpot_ms},
                 {"tpot_error", one.tpot},
                 {"predicted_batch", one.predicted.batch}};
    if (one.throughput) {
      cell["output_throughput"] = *one.cell.output_throughput;
      cell["predicted_output_throughput"] = one.predicted.output_throughput;
      cell["output_throughput_error"] = *one.throughput;
    }
    cells.push_back(std::move(cell));
  }
  return {{"cells", std::move(cells)},
          {"fitted", quality_json(validation.fitted)},
          {"held_out", quality_json(validation.held_out)}};
}

}  // namespace pageproof::decision
