// An identification as one JSON document.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "reports/identify/identify.hpp"

namespace pageproof::reports {

std::vector<std::size_t> by_share(const Identification& found) {
  std::vector<std::size_t> order(found.candidates.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto rank = [&](std::size_t i) {
    const Candidate& c = found.candidates[i];
    const double share = c.found[0].share() + c.found[1].share();
    return std::tuple(!c.both_hold(), !(c.found[0].holds() || c.found[1].holds()), -share, !c.plain(), i);
  };
  std::ranges::sort(order, {}, rank);
  return order;
}

nlohmann::ordered_json to_json(const Identification& found) {
  constexpr const char* kVerdicts[] = {"identified", "ambiguous", "sides_differ", "accident", "unexplained"};
  constexpr const char* kLikeness[] = {"first", "same_order", "same_place", "same_data"};
  using Json = nlohmann::ordered_json;
  const auto finding = [](const Finding& one) {
    Json json = {{"judged", one.judged}};
    if (!one.judged) return json;
    json["holds"] = one.holds();
    json["all_bytes"] = one.all_bytes;
    json["tested_bytes"] = one.count.tested;
    json["bytes_in_place"] = one.count.in_place;
    return json;
  };
  const auto candidate_json = [&](const Candidate& candidate) {
    Json json = {{"format", candidate.format->tag},
                 {"accident", name(candidate.accident)},
                 {"words", candidate.words},
                 {"arrangement", to_string(candidate.arrangement)},
                 {"tokens", candidate.grouping.file_tokens},
                 {"K", finding(candidate.found[0])},
                 {"V", finding(candidate.found[1])}};
    if (candidate.written < 1) json["share_written"] = candidate.written;
    if (!candidate.detail.empty()) json["detail"] = candidate.detail;
    return json;
  };
  const auto answers_json = [&](std::span<const Answer> answers) {
    Json list = Json::array();
    for (const Answer& answer : answers) {
      const Candidate& candidate = found.candidates[answer.candidate];
      Json json = {{"format", candidate.format->tag},
                   {"accident", name(candidate.accident)},
                   {"words", candidate.words},
                   {"likeness", kLikeness[static_cast<std::size_t>(answer.likeness)]}};
      if (!candidate.detail.empty()) json["detail"] = candidate.detail;
      list.push_back(json);
    }
    return list;
  };
  Json json = {{"command", "identify"},
               {"verdict", kVerdicts[static_cast<std::size_t>(found.verdict)]},
               {"sentence", to_sentence(found)},
               {"holds", found.as_wanted()},
               {"shape",
                {{"heads", found.shape.heads},
                 {"tokens", found.shape.tokens},
                 {"head_dim", found.shape.head_dim},
                 {"element_bytes", found.shape.element_bytes},
                 {"x", found.shape.granule_elements()}}},
               {"file_blocks", found.file_blocks},
               {"reference_blocks", found.reference_blocks},
               {"compared_blocks", found.compared_blocks},
               {"data_can_tell", found.data_can_tell},
               {"head_term_visible", found.shape.heads > 1},
               {"block_stride_visible", found.file_blocks > 1},
               {"answers", answers_json(found.answers)},
               {"K_answers", answers_json(found.side_answers[0])},
               {"V_answers", answers_json(found.side_answers[1])}};
  if (found.expected != nullptr) json["expected"] = found.expected->tag;
  if (found.closest) {
    json["closest"] = candidate_json(found.candidates[*found.closest]);
    if (const auto out = first_out_of_place(found, *found.closest)) {
      json["first_out_of_place"] = {
          {"block", out->coordinate.block}, {"side", to_string(out->coordinate.side)},
          {"head", out->coordinate.head},   {"token", out->coordinate.token},
          {"dim", out->coordinate.dim},     {"byte_of_element", out->byte_of_element},
          {"tensor", out->tensor},          {"file_byte", out->file_byte},
          {"expected", out->expected},      {"got", out->got}};
    }
  }
  json["candidates"] = Json::array();
  for (const std::size_t i : by_share(found))
    json["candidates"].push_back(candidate_json(found.candidates[i]));
  json["not_applicable"] = Json::array();
  for (const NotApplicable& other : found.not_applicable) {
    json["not_applicable"].push_back({{"format", other.tag}, {"rule", other.rule}});
  }
  return json;
}

}  // namespace pageproof::reports
