#include <fmt/format.h>

#include <algorithm>

#include "golden/plans/plan_json.hpp"
#include "model/json/fields.hpp"
#include "model/json/strict_json.hpp"

namespace pageproof::golden::plans {
namespace {

using nlohmann::json;

constexpr std::size_t kDeepest = 10;

bool is_ids(const json& value) {
  return value.is_array() &&
         std::all_of(value.begin(), value.end(), [](const json& id) { return id.is_number_unsigned(); });
}

// Visits the inner object under a key.
template <class Read>
void object(JsonFields& outer, const char* key, const std::string& subject, const Read& read) {
  const json* found = outer.find(key);
  if (found == nullptr || !found->is_object())
    return outer.fail(key, found == nullptr ? "" : shown(*found), "an object is needed");
  JsonFields fields(*found, outer.path_of(key), subject);
  read(fields);
  fields.refuse_unknown_keys();
  if (fields.error()) outer.fail(*fields.error());
}

// Visits each object of the list under a key.
template <class Read>
void objects(JsonFields& outer, const char* key, const std::string& subject, const Read& read) {
  const json* found = outer.find(key);
  if (found == nullptr || !found->is_array())
    return outer.fail(key, found == nullptr ? "" : shown(*found), "a list is needed");
  for (std::size_t i = 0; i < found->size() && !outer.error(); ++i) {
    const std::string path = fmt::format("{}[{}]", outer.path_of(key), i);
    if (!(*found)[i].is_object())
      return outer.fail(Error{subject, path, shown((*found)[i]), "not an object"});
    JsonFields fields((*found)[i], path, subject);
    read(fields);
    fields.refuse_unknown_keys();
    if (fields.error()) outer.fail(*fields.error());
  }
}

void lists(JsonFields& fields, const char* key, std::vector<Ids>& out) {
  const json* found = fields.find(key);
  if (found == nullptr || !found->is_array() || !std::all_of(found->begin(), found->end(), is_ids))
    return fields.fail(key, found == nullptr ? "" : shown(*found), "not a list of lists of ids");
  for (const json& list : *found) out.push_back(list.get<Ids>());
}

void rows(JsonFields& fields, const char* key, std::vector<Row>& out) {
  const json* found = fields.find(key);
  const auto row = [](const json& value) { return is_ids(value) && value.size() == 3; };
  if (found == nullptr || !found->is_array() || !std::all_of(found->begin(), found->end(), row))
    return fields.fail(key, found == nullptr ? "" : shown(*found), "not a list of three numbers each");
  for (const json& value : *found) out.push_back(value.get<Row>());
}

void read_side(JsonFields& outer, const char* key, const std::string& subject, Registered& side) {
  object(outer, key, subject, [&](JsonFields& fields) {
    fields.required("device", side.device);
    objects(fields, "regions", subject, [&](JsonFields& region) {
      Region& r = side.regions.emplace_back();
      region.required("base", r.base);
      region.required("block_len", r.block_len);
      region.required("block_stride", r.block_stride);
      region.required("num_blocks", r.num_blocks);
      region.required("group", r.group);
      region.required("replicated", r.replicated);
    });
  });
}

void read_source(JsonFields& fields, const std::string& subject, bool valid, Source& source) {
  fields.required("rank", source.rank);
  read_side(fields, "remote", subject, source.side);
  object(fields, "slice", subject, [&](JsonFields& slice) {
    slice.required("ratio", source.slice.ratio);
    slice.required("sources", source.slice.sources);
    slice.required("slot", source.slice.slot);
    slice.required("shares", source.slice.shares);
    slice.required("rank_offset_factor", source.slice.rank_offset_factor);
  });
  if (!valid) return;
  fields.required("local_ids", source.local_ids);
  fields.required("remote_ids", source.remote_ids);
  rows(fields, "local_rows", source.local_rows);
  rows(fields, "remote_rows", source.remote_rows);
  rows(fields, "posted", source.posted);
}

void read_test(JsonFields& fields, const std::string& subject, Test& test) {
  std::string result;
  fields.required("tcId", test.tc_id);
  fields.required("comment", test.comment);
  fields.required("flags", test.flags);
  fields.required("strategy", test.strategy);
  fields.required("result", result);
  if (result != "valid" && result != "invalid") fields.fail("result", result, "neither valid nor invalid");
  test.valid = result == "valid";
  read_side(fields, "local", subject, test.local);
  object(fields, "units", subject, [&](JsonFields& units) {
    units.required("local_per_logical", test.local_per_logical);
    units.required("remote_per_logical", test.remote_per_logical);
  });
  lists(fields, "local_blocks", test.local_blocks);
  lists(fields, "remote_blocks", test.remote_blocks);
  if (test.strategy == "staged") {
    object(fields, "staging", subject, [&](JsonFields& staging) {
      staging.required("base", test.staging.base);
      staging.required("bytes", test.staging.bytes);
    });
  }
  objects(fields, "sources", subject,
          [&](JsonFields& source) { read_source(source, subject, test.valid, test.sources.emplace_back()); });
  if (test.sources.empty() && !fields.error()) fields.fail("sources", "[]", "no source rank");
  if (test.valid) {
    fields.required("content_sha256", test.content_sha256);
  } else {
    fields.required("field", test.field);
  }
}

}  // namespace

Expected<Suite> read_suite(std::string_view text, const std::string& subject) {
  const auto value = parse_strict_json(text, {.subject = subject, .field = "", .deepest = kDeepest});
  if (!value) return std::unexpected(value.error());
  if (!value->is_object()) return std::unexpected(Error{subject, "$", shown(*value), "not an object"});
  JsonFields fields(*value, "$", subject);
  Suite suite;
  std::string algorithm, schema;
  std::uint64_t count = 0;
  fields.required("algorithm", algorithm);
  fields.required("schema", schema);
  fields.required("numberOfTests", count);
  fields.required("header", suite.header);
  if (algorithm != "kv-block-read") fields.fail("algorithm", algorithm, "not kv-block-read");
  if (schema != kPlansSchema) fields.fail("schema", schema, fmt::format("not {}", kPlansSchema));
  const json* notes = fields.find("notes");
  if (notes == nullptr || !notes->is_object()) {
    fields.fail("notes", "", "an object is needed");
  } else {
    object(fields, "notes", subject, [&](JsonFields& table) {
      for (const auto& [flag, unused] : notes->items()) {
        object(table, flag.c_str(), subject, [&, &note = suite.notes[flag]](JsonFields& one) {
          one.required("description", note.description);
          one.required("effect", note.effect);
        });
      }
    });
  }
  objects(fields, "testGroups", subject, [&](JsonFields& group) {
    std::string type;
    group.required("type", type);
    if (type != "PlanTest") group.fail("type", type, "not PlanTest");
    object(group, "source", subject, [](JsonFields& source) {
      std::string name, version;
      source.required("name", name);
      source.required("version", version);
    });
    objects(group, "tests", subject,
            [&](JsonFields& test) { read_test(test, subject, suite.tests.emplace_back()); });
  });
  fields.refuse_unknown_keys();
  if (!fields.error() && count != suite.tests.size())
    fields.fail("numberOfTests", std::to_string(count), fmt::format("there are {}", suite.tests.size()));
  if (fields.error()) return std::unexpected(*fields.error());
  return suite;
}

}  // namespace pageproof::golden::plans
