#include "golden/plans/plan_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace pageproof::golden::plans {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const Registered& side) {
  ordered_json regions = ordered_json::array();
  for (const Region& r : side.regions) {
    regions.push_back({{"base", r.base},
                       {"block_len", r.block_len},
                       {"block_stride", r.block_stride},
                       {"num_blocks", r.num_blocks},
                       {"group", r.group},
                       {"replicated", r.replicated}});
  }
  return {{"device", side.device}, {"regions", regions}};
}

ordered_json json_of(const Source& source, bool valid) {
  const Slice& s = source.slice;
  ordered_json json = {{"rank", source.rank},
                       {"remote", json_of(source.side)},
                       {"slice",
                        {{"ratio", s.ratio},
                         {"sources", s.sources},
                         {"slot", s.slot},
                         {"shares", s.shares},
                         {"rank_offset_factor", s.rank_offset_factor}}}};
  if (!valid) return json;
  json["local_ids"] = source.local_ids;
  json["remote_ids"] = source.remote_ids;
  json["local_rows"] = source.local_rows;
  json["remote_rows"] = source.remote_rows;
  json["posted"] = source.posted;
  return json;
}

ordered_json json_of(const Test& test) {
  ordered_json json = {
      {"tcId", test.tc_id},
      {"comment", test.comment},
      {"flags", test.flags},
      {"strategy", test.strategy},
      {"local", json_of(test.local)},
      {"units",
       {{"local_per_logical", test.local_per_logical}, {"remote_per_logical", test.remote_per_logical}}},
      {"local_blocks", test.local_blocks},
      {"remote_blocks", test.remote_blocks}};
  if (test.strategy == "staged")
    json["staging"] = {{"base", test.staging.base}, {"bytes", test.staging.bytes}};
  json["sources"] = ordered_json::array();
  for (const Source& source : test.sources) json["sources"].push_back(json_of(source, test.valid));
  if (test.valid) json["content_sha256"] = test.content_sha256;
  json["result"] = test.valid ? "valid" : "invalid";
  if (!test.valid) json["field"] = test.field;
  return json;
}

}  // namespace

std::string to_json_text(const Suite& suite) {
  ordered_json notes = ordered_json::object();
  for (const auto& [flag, note] : suite.notes)
    notes[flag] = {{"description", note.description}, {"effect", note.effect}};
  std::string text =
      fmt::format("{{\n\"algorithm\": \"kv-block-read\",\n\"schema\": \"{}\",\n", kPlansSchema);
  text += fmt::format("\"numberOfTests\": {},\n\"header\": {},\n\"notes\": {},\n", suite.tests.size(),
                      ordered_json(suite.header).dump(1), notes.dump(1));
  text +=
      "\"testGroups\": [{\"type\": \"PlanTest\", \"source\": {\"name\": \"model/region and oracle/offset\", "
      "\"version\": \"1.0.0\"}, \"tests\": [\n";
  for (std::size_t i = 0; i < suite.tests.size(); ++i)
    text += json_of(suite.tests[i]).dump() + (i + 1 < suite.tests.size() ? ",\n" : "\n");
  return text + "]}]\n}\n";
}

}  // namespace pageproof::golden::plans
