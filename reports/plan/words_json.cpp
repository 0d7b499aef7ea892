#include <nlohmann/json.hpp>

#include "kernels/plan/posted.hpp"
#include "reports/plan/words.hpp"

namespace pageproof::reports {
namespace {

using nlohmann::ordered_json;
using plan::Descriptor;

ordered_json json_of(const std::vector<Descriptor>& rows) {
  ordered_json list = ordered_json::array();
  for (const Descriptor& row : rows) list.push_back({row.address, row.bytes, row.device});
  return list;
}

ordered_json json_of(const plan::DescriptorTable& table) {
  std::vector<Descriptor> rows(table.rows());
  table.fill(0, rows);
  return json_of(rows);
}

ordered_json json_of(const plan::Option& option) {
  ordered_json json = {{"strategy", to_string(option.strategy)},
                       {"can_be_chosen", option.not_chosen.empty()},
                       {"why_not", option.not_chosen}};
  if (!option.plan) return json;
  const plan::Cost& cost = option.plan->cost;
  json["cost"] = {{"planned", cost.planned},
                  {"posted", cost.posted},
                  {"bytes", cost.bytes},
                  {"runs", cost.runs},
                  {"staging_bytes", cost.staging_bytes},
                  {"conversion_bytes", cost.conversion_bytes},
                  {"post_seconds", cost.post_seconds},
                  {"link_seconds", cost.link_seconds},
                  {"convert_seconds", cost.convert_seconds},
                  {"seconds", cost.seconds()}};
  return json;
}

}  // namespace

ordered_json plan_json(const PlanAnswer& answer, bool all_rows) {
  const plan::Request& request = answer.pair.request;
  ordered_json json = {{"command", "plan"},
                       {"local", answer.local},
                       {"remote", answer.remote},
                       {"pages", answer.pair.pages},
                       {"notes", answer.pair.notes},
                       {"empty", request.blocks.empty()},
                       {"strategies", ordered_json::array()}};
  for (const plan::Option& option : answer.choice.options) json["strategies"].push_back(json_of(option));
  json["chosen"] = to_string(answer.plan().strategy);
  json["because"] = answer.because;
  json["reads"] = ordered_json::array();
  for (std::size_t i = 0; i < request.sources.size(); ++i) {
    const plan::Read& read = answer.plan().reads[i];
    const plan::Rows rows = rows_of(read);
    ordered_json posted = ordered_json::array();
    for (const plan::Posted& one : plan::posted(read.local, read.local_ids, read.remote, read.remote_ids))
      posted.push_back({{"position", one.position}, {"pairs", one.pairs}, {"bytes", one.bytes}});
    ordered_json source = {{"rank", request.sources[i].rank},     {"local_ids", read.local_ids},
                           {"remote_ids", read.remote_ids},       {"local_rows", json_of(rows.local)},
                           {"remote_rows", json_of(rows.remote)}, {"posted", posted}};
    if (all_rows) {
      source["local_list"] = json_of(read.local);
      source["remote_list"] = json_of(read.remote);
    }
    json["reads"].push_back(std::move(source));
  }
  return json;
}

}  // namespace pageproof::reports
