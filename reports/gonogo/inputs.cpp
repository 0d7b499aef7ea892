#include "reports/gonogo/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

namespace pageproof::gonogo {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 8> kCellKeys = {"model", "workload", "pd",    "isl",
                                                       "osl",   "load",     "batch", "infeasible"};

std::string shown(const Json& value) {
  return printable(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::optional<std::string> text_of(const Json& object, const char* key, std::string absent) {
  const auto found = object.find(key);
  if (found == object.end()) return absent;
  if (!found->is_string() || found->get_ref<const std::string&>().empty()) return std::nullopt;
  return found->get<std::string>();
}

std::optional<std::uint64_t> count_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_unsigned() || found->get<std::uint64_t>() == 0)
    return std::nullopt;
  return found->get<std::uint64_t>();
}

// "c48", "r6", 48.
bool read_load(const Json& value, CellKey& key) {
  if (value.is_number()) {
    key.load = value.get<double>();
  } else if (value.is_string() && value.get_ref<const std::string&>().size() > 1) {
    const std::string& text = value.get_ref<const std::string&>();
    if (text[0] != 'c' && text[0] != 'r') return false;
    key.load_kind = text[0];
    const Json number = Json::parse(text.begin() + 1, text.end(), nullptr, false);
    if (!number.is_number()) return false;
    key.load = number.get<double>();
  }
  return std::isfinite(key.load) && key.load > 0;
}

Expected<Planned> planned_of(const Json& cell, const std::string& source, std::size_t index) {
  const auto refuse = [&](const std::string& key, const std::string& problem) {
    const std::string value =
        cell.is_object() && cell.contains(key) ? shown(cell[key]) : std::string("absent");
    return std::unexpected(Error{source, fmt::format("cells[{}].{}", index, printable(key)), value, problem});
  };
  if (!cell.is_object())
    return std::unexpected(Error{source, fmt::format("cells[{}]", index), shown(cell), "no object"});
  for (const auto& [key, value] : cell.items()) {
    if (std::ranges::find(kCellKeys, key) == kCellKeys.end()) return refuse(key, "no key of a planned cell");
  }
  Planned out;
  const auto model = text_of(cell, "model", "-");
  const auto workload = text_of(cell, "workload", "-");
  const auto pd = text_of(cell, "pd", "-");
  const auto infeasible = text_of(cell, "infeasible", "");
  if (!model) return refuse("model", "not a word");
  if (!workload) return refuse("workload", "not a word");
  if (!pd) return refuse("pd", "not a word");
  if (!infeasible) return refuse("infeasible", "not a reason");
  out.key.model = *model;
  out.key.workload = *workload;
  out.key.pd = *pd;
  out.infeasible = *infeasible;
  for (const auto& [key, number] : {std::pair("isl", &out.key.isl), std::pair("osl", &out.key.osl)}) {
    const auto count = count_of(cell, key);
    if (!count) return refuse(key, "not a count of tokens");
    *number = *count;
  }
  if (!cell.contains("load") || !read_load(cell["load"], out.key))
    return refuse("load", "not a load such as c64 or r6");
  if (cell.contains("batch")) {
    const Json& batch = cell["batch"];
    if (!batch.is_number() || !(batch.get<double>() > 0)) return refuse("batch", "not a decode batch");
    out.batch = batch.get<double>();
  }
  return out;
}

}  // namespace

Expected<std::vector<Planned>> parse_plan(std::string_view text, const std::string& source) {
  const Json document = Json::parse(text, nullptr, false);
  if (document.is_discarded()) return std::unexpected(Error{source, "plan", "", "not JSON"});
  if (!document.is_object() || !document.contains("cells") || !document["cells"].is_array()) {
    return std::unexpected(Error{source, "cells", "absent", "a plan is {\"cells\": [...]}"});
  }
  for (const auto& [key, value] : document.items()) {
    if (key != "cells")
      return std::unexpected(Error{source, printable(key), shown(value), "no key of a plan"});
  }
  std::vector<Planned> out;
  std::set<CellKey> seen;
  for (const Json& cell : document["cells"]) {
    const auto planned = planned_of(cell, source, out.size());
    if (!planned) return std::unexpected(planned.error());
    if (!seen.insert(planned->key).second) {
      return std::unexpected(Error{source, fmt::format("cells[{}]", out.size()), to_string(planned->key),
                                   "the same cell twice"});
    }
    out.push_back(*planned);
  }
  return out;
}

Expected<std::map<std::string, double>> parse_weights(std::string_view text, const std::string& source) {
  const Json document = Json::parse(text, nullptr, false);
  if (document.is_discarded()) return std::unexpected(Error{source, "weights", "", "not JSON"});
  if (!document.is_object())
    return std::unexpected(Error{source, "weights", shown(document), "not {CELL: WEIGHT}"});
  std::map<std::string, double> out;
  double sum = 0;
  for (const auto& [cell, weight] : document.items()) {
    const bool number =
        weight.is_number() && std::isfinite(weight.get<double>()) && weight.get<double>() >= 0;
    if (!number)
      return std::unexpected(Error{source, printable(cell), shown(weight), "not a weight of 0 or more"});
    out[cell] = weight.get<double>();
    sum += out[cell];
  }
  if (!(sum > 0)) return std::unexpected(Error{source, "weights", shown(document), "all weights are 0"});
  return out;
}

}  // namespace pageproof::gonogo
