#include "reports/page/read.hpp"

#include <algorithm>
#include <array>

#include "model/json/strict_json.hpp"
#include "reports/page/fields.hpp"

namespace pageproof::page {
namespace {

constexpr std::size_t kDeepest = 16;

struct Kind {
  std::string_view command;
  void (*read)(const Node& document, Content& content);
};
constexpr std::array<Kind, 7> kKinds{{{"gonogo", read_gonogo},
                                      {"cost", read_cost},
                                      {"calibrate", read_validation},
                                      {"validate", read_validation},
                                      {"simulate", read_simulation},
                                      {"plan-runs", read_plan},
                                      {"sensitivity", read_sensitivity}}};

}  // namespace

Expected<void> read_document(std::string_view text, const std::string& name, Content& content) {
  const auto json = parse_strict_json(text, {.subject = name, .field = "", .deepest = kDeepest});
  if (!json) return std::unexpected(json.error());
  Refusal refusal{.document = name};
  const Node document(&*json, "$", refusal);
  const Node command = document.at("command");
  const std::string word = command.as_text();
  if (refusal.error) return std::unexpected(*refusal.error);
  const auto kind = std::ranges::find(kKinds, word, &Kind::command);
  if (kind == kKinds.end()) {
    command.refuse(
        "no document for this page: it takes those of gonogo, cost, calibrate, validate, simulate, "
        "plan-runs, sensitivity");
  } else {
    kind->read(document, content);
  }
  if (refusal.error) return std::unexpected(*refusal.error);
  content.sources.push_back({.name = name, .kind = word, .bytes = text.size(), .sha256 = {}});
  return {};
}

}  // namespace pageproof::page
