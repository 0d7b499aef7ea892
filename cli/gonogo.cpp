// pageproof gonogo: the RFC's go/no-go over measured runs.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/gonogo_command.hpp"
#include "cli/json.hpp"
#include "golden/container/atomic_file.hpp"
#include "reports/gonogo/document.hpp"
#include "reports/gonogo/inputs.hpp"
#include "reports/gonogo/judge.hpp"
#include "reports/gonogo/words.hpp"
#include "reports/results/goodput.hpp"
#include "reports/results/mapping.hpp"
#include "reports/results/read.hpp"

namespace pageproof::cli {
namespace {

namespace fs = std::filesystem;
constexpr std::uintmax_t kMostBytes = std::uintmax_t{64} << 20;  // of a plan or of weights

Expected<std::string> text_of(const std::string& path) {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(path, error);
  if (error) return std::unexpected(Error{path, "file", "", error.message()});
  if (bytes > kMostBytes)
    return std::unexpected(Error{path, "file size", fmt::format("{} B", bytes), "too large"});
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) return std::unexpected(Error{path, "file", "", "cannot be read"});
  return text;
}

// What the person wrote beside the results.
struct Beside {
  results::Mapping mapping;
  std::vector<gonogo::Planned> plan;
  gonogo::Choices choices;
};

Expected<Beside> read_beside(const GonogoOptions& options) {
  Beside out{.mapping = {}, .plan = {}, .choices = options.choices};
  std::vector<std::string>& same = out.choices.same;
  for (const std::string& key : options.same) {
    if (std::ranges::find(same, key) == same.end()) same.push_back(key);
  }
  std::erase_if(same, [&](const std::string& key) { return std::ranges::count(options.differ, key) > 0; });
  if (!options.goodput.empty()) {
    const auto objectives = results::parse_objectives(options.goodput, "--goodput");
    if (!objectives) return std::unexpected(objectives.error());
    out.choices.objectives = *objectives;
  }
  if (!options.mapping.empty()) {
    auto mapping = results::read_mapping(options.mapping);
    if (!mapping) return std::unexpected(mapping.error());
    out.mapping = std::move(*mapping);
  }
  if (!options.plan.empty()) {
    const auto text = text_of(options.plan);
    if (!text) return std::unexpected(text.error());
    auto plan = gonogo::parse_plan(*text, options.plan);
    if (!plan) return std::unexpected(plan.error());
    out.plan = std::move(*plan);
  }
  if (!options.weights.empty()) {
    const auto text = text_of(options.weights);
    if (!text) return std::unexpected(text.error());
    auto weights = gonogo::parse_weights(*text, options.weights);
    if (!weights) return std::unexpected(weights.error());
    out.choices.weights = std::move(*weights);
    out.choices.aggregation = gonogo::Aggregation::weights;
  }
  return out;
}

constexpr std::string_view kForms = ".txt, .md, .csv or .json";

std::optional<std::string> form_of(const std::string& path) {
  const std::string ending = fs::path(path).extension().string();
  for (const std::string form : {".txt", ".md", ".csv", ".json"}) {
    if (ending == form) return form;
  }
  return std::nullopt;
}

// A file that was read is not written over.
std::optional<Error> overwritten(const GonogoOptions& options, const results::Results& read) {
  std::vector<std::string> inputs = options.inputs;
  inputs.insert(inputs.end(), {options.mapping, options.plan, options.weights});
  for (const results::Run& run : read.runs) inputs.push_back(run.file);
  for (const std::string& output : options.outputs) {
    for (const std::string& input : inputs) {
      std::error_code none;
      if (!input.empty() && fs::equivalent(output, input, none)) {
        return Error{"--output", "file", output, "is an input: it would be written over"};
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Result gonogo(const GonogoOptions& options) {
  for (const std::string& path : options.outputs) {
    if (!form_of(path)) {
      return std::unexpected(Error{"--output", "ending", path, fmt::format("{} says the form", kForms)});
    }
  }
  const auto beside = read_beside(options);
  if (!beside) return std::unexpected(beside.error());
  const gonogo::Choices& choices = beside->choices;
  const results::Results read = results::read_results(
      options.inputs, beside->mapping,
      {.failed_ratio = choices.failed_share,
       .output_tolerance = choices.output_share,
       .input_tolerance = choices.input_share,
       .objectives = options.goodput.empty() ? std::optional<results::Objectives>() : choices.objectives,
       .keep_arrays = false});
  if (read.runs.empty() && read.refused.empty()) {
    return std::unexpected(Error{options.inputs.front(), "", "", "no result of a benchmark is there"});
  }
  if (const auto error = overwritten(options, read)) return std::unexpected(*error);
  const gonogo::Judgement judgement = gonogo::judge({.runs = read.runs,
                                                     .refused = read.refused,
                                                     .left_out = read.left_out,
                                                     .plan = beside->plan,
                                                     .keys = options.keys,
                                                     .choices = choices});
  const auto sections = gonogo::sections_of(judgement, {.most_rows = options.rows});
  Report report{.holds = judgement.go == gonogo::Truth::yes, .text = "", .json = ""};
  report.json = one_document(gonogo::document_of(judgement));
  const auto in_form = [&](std::string_view form) {
    if (form == ".json") return report.json + "\n";
    if (form == ".csv") return gonogo::csv_of(judgement);
    return form == ".md" ? gonogo::to_markdown(sections) : gonogo::to_text(sections);
  };
  report.text = in_form(options.csv ? ".csv" : options.markdown ? ".md" : ".txt");
  report.refused = read.refused;
  for (const std::string& path : options.outputs) {
    const auto written = golden::write_file_atomically(path, std::string_view(in_form(*form_of(path))));
    if (!written) report.refused.push_back(written.error());
  }
  return report;
}

}  // namespace pageproof::cli
