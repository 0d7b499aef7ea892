#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "golden/pages/sha256.hpp"
#include "model/json/fields.hpp"
#include "model/json/strict_json.hpp"
#include "reports/decision/predictions.hpp"

namespace pageproof::decision {

namespace {

constexpr const char* kPredictionsKind = "pageproof predictions";
constexpr double kSameFigure = 2e-5;  // of a figure: another compiler's last of five digits
constexpr int kVersion = 2;           // 2: runs can be repeated from the file

// Keys sorted, no white space, without the hash.
std::string hash_of(nlohmann::json document) {
  document.erase("sha256");
  const std::string canonical = document.dump();
  return golden::sha256_hex(std::as_bytes(std::span(canonical)));
}

bool same_figure(const nlohmann::json& one, const nlohmann::json& other) {
  if (!one.is_number() || !other.is_number()) return one == other;
  if (one.is_number_integer() && other.is_number_integer()) return one == other;
  const double a = one.get<double>(), b = other.get<double>();
  return a == b || std::abs(a - b) <= kSameFigure * std::max(std::abs(a), std::abs(b));
}

// Where two documents differ in more than a figure's last digit.
void compare(const nlohmann::json& file, const nlohmann::json& today, const std::string& path,
             std::vector<std::string>& problems) {
  if (file.is_object() && today.is_object() && file.size() == today.size()) {
    for (const auto& [key, value] : today.items()) {
      if (!file.contains(key)) {
        problems.push_back(fmt::format("{}.{}: missing", path, key));
      } else {
        compare(file.at(key), value, path + "." + key, problems);
      }
    }
  } else if (file.is_array() && today.is_array() && file.size() == today.size()) {
    for (std::size_t i = 0; i < file.size(); ++i)
      compare(file[i], today[i], fmt::format("{}[{}]", path, i), problems);
  } else if (!same_figure(file, today)) {
    problems.push_back(fmt::format("{}: {} in the file, {} today", path, shown(file), shown(today)));
  }
}

nlohmann::ordered_json run_json(const PredictedRun& run) {
  nlohmann::ordered_json json = {{"setups", run.setups},
                                 {"model", run.model},
                                 {"workload", run.workload},
                                 {"tp", run.tp},
                                 {"pd", run.pd},
                                 {"isl", run.isl},
                                 {"osl", run.osl},
                                 {"num_prompts", run.num_prompts},
                                 {"simulate", run.simulate}};
  if (run.max_concurrency > 0) {
    json["max_concurrency"] = run.max_concurrency;
  } else {
    json["request_rate"] = run.request_rate;
  }
  return json;
}

}  // namespace

bool is_date(std::string_view text) {
  const std::string_view form = "0000-00-00";
  const bool formed = text.size() == form.size() && std::ranges::equal(text, form, [](char c, char f) {
                        return f == '-' ? c == '-' : c >= '0' && c <= '9';
                      });
  if (!formed) return false;
  const auto part = [&](std::size_t from, std::size_t size) {
    int value = 0;
    for (const char c : text.substr(from, size)) value = 10 * value + (c - '0');
    return value;
  };
  using namespace std::chrono;
  return part(0, 4) > 0 && year_month_day(year(part(0, 4)), month(static_cast<unsigned>(part(5, 2))),
                                          day(static_cast<unsigned>(part(8, 2))))
                               .ok();
}

nlohmann::ordered_json predictions_json(const std::vector<Prediction>& predictions, const std::string& date) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Prediction& p : predictions) {
    nlohmann::ordered_json figures = nlohmann::ordered_json::array(), wrong = nlohmann::ordered_json::array(),
                           repeat = nlohmann::ordered_json::array();
    for (const PredictedRun& run : p.repeat) repeat.push_back(run_json(run));
    for (const PredictedFigure& one : p.figures)
      figures.push_back({{"name", one.name}, {"value", one.value}, {"unit", one.unit}});
    for (const Threshold& one : p.falsified_where) {
      wrong.push_back(
          {{"metric", one.metric}, {"relation", one.relation}, {"value", one.value}, {"unit", one.unit}});
    }
    all.push_back({{"id", p.id},
                   {"claim", p.claim},
                   {"figures", std::move(figures)},
                   {"runs", p.runs},
                   {"repeat", std::move(repeat)},
                   {"falsified_where", std::move(wrong)}});
  }
  nlohmann::ordered_json document = {
      {"kind", kPredictionsKind}, {"version", kVersion}, {"date", date}, {"predictions", std::move(all)}};
  document["sha256"] = hash_of(nlohmann::json(document));
  return document;
}

Expected<PredictionsCheck> check_predictions(std::string_view text, const std::string& subject) {
  const auto document = parse_strict_json(text, {.subject = subject, .field = "", .deepest = 8});
  if (!document) return std::unexpected(document.error());
  const auto word = [&](const char* key) {
    const auto found = document->is_object() ? document->find(key) : document->end();
    return found != document->end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (!document->is_object() || word("kind") != kPredictionsKind) {
    return std::unexpected(Error{subject, "$.kind", document->is_object() ? word("kind") : shown(*document),
                                 fmt::format("not \"{}\"", kPredictionsKind)});
  }
  PredictionsCheck check{.date = word("date"), .hash = word("sha256"), .problems = {}};
  if (const std::string hash = hash_of(*document); hash != check.hash) {
    check.problems.push_back(fmt::format("sha256: {} in the file, its contents give {}", check.hash, hash));
  }
  if (!is_date(check.date)) {
    check.problems.push_back(fmt::format("$.date: {} is no day, as YYYY-MM-DD", shown(check.date)));
  }
  const auto predictions = make_predictions();
  if (!predictions) return std::unexpected(predictions.error());
  nlohmann::json today = predictions_json(*predictions, check.date);
  nlohmann::json file = *document;
  today.erase("sha256");
  file.erase("sha256");
  compare(file, today, "$", check.problems);
  return check;
}

}  // namespace pageproof::decision
