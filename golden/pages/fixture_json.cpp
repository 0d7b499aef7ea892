#include "golden/pages/fixture_json.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "golden/pages/fields.hpp"
#include "model/json/strict_json.hpp"

namespace pageproof::golden {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t kDeepest = 7;  // suite, groups, group, tests, test, planes, side

constexpr std::array kOperations{"convert", "convert_in_place", "land", "find"};

ordered_json json_of(const Stored& stored) {
  return {{"tensor", stored.tensor}, {"sha256", stored.sha256}, {"pool_sha256", stored.pool_sha256}};
}

ordered_json json_of(const StoredPlanes& planes) {
  return {{"k", json_of(planes.key)}, {"v", json_of(planes.value)}};
}

ordered_json json_of(const Difference& difference) {
  const Coordinate& c = difference.first;
  return {{"first",
           {{"block", c.block},
            {"side", to_string(c.side)},
            {"head", c.head},
            {"token", c.token},
            {"dim", c.dim}}},
          {"bytes", difference.bytes}};
}

ordered_json json_of(const Test& test) {
  ordered_json out{{"tcId", test.tc_id},
                   {"comment", test.comment},
                   {"flags", test.flags},
                   {"operation", to_string(test.operation)},
                   {"fill", {{"kind", test.fill.kind}, {"shift", test.fill.shift}}}};
  out["standard"] = {{"num_blocks", test.standard_pool.num_blocks},
                     {"block_ids", test.standard_pool.block_ids}};
  out["standard"].update(json_of(test.standard));
  out["planes"] = {{"num_blocks", test.planes_pool.num_blocks}, {"block_ids", test.planes_pool.block_ids}};
  if (test.landing) out["landing"] = json_of(*test.landing);
  if (test.expected) out["expected"] = json_of(*test.expected);
  if (test.found) out["found"] = json_of(*test.found);
  if (test.difference) out["difference"] = json_of(*test.difference);
  if (test.request) {
    out["request"] = {{"standard_block_ids", test.request->standard_block_ids},
                      {"block_ids", test.request->block_ids}};
  }
  out["result"] = test.valid ? "valid" : "invalid";
  return out;
}

ordered_json json_of(const Group& group) {
  ordered_json out{{"type", "PageTest"},
                   {"source", {{"name", group.source_name}, {"version", group.source_version}}},
                   {"shape",
                    {{"heads", group.shape.heads},
                     {"tokens", group.shape.tokens},
                     {"head_dim", group.shape.head_dim},
                     {"element_bytes", group.shape.element_bytes},
                     {"dtype", name(group.dtype)}}},
                   {"file", group.file}};
  out["tests"] = ordered_json::array();
  for (const Test& test : group.tests) out["tests"].push_back(json_of(test));
  return out;
}

Stored read_stored(Fields& fields) {
  return {fields.text("tensor"), fields.text("sha256"), fields.text("pool_sha256")};
}

StoredPlanes read_planes(Fields fields) {
  const auto side = [&](const char* key) {
    Fields stored = fields.object(key);
    Stored out = read_stored(stored);
    stored.finish();
    return out;
  };
  StoredPlanes planes{side("k"), side("v")};
  fields.finish();
  return planes;
}

Difference read_difference(Fields fields) {
  Fields first = fields.object("first");
  Difference difference;
  difference.first.block = first.number("block");
  difference.first.side = first.one_of("side", std::array{"K", "V"}) == 0 ? Side::key : Side::value;
  difference.first.head = first.number("head");
  difference.first.token = first.number("token");
  difference.first.dim = first.number("dim");
  first.finish();
  difference.bytes = fields.number("bytes");
  fields.finish();
  return difference;
}

Test read_test(Fields fields) {
  Test test;
  test.tc_id = fields.number("tcId");
  test.comment = fields.text("comment");
  test.flags = fields.texts("flags");
  test.operation = static_cast<Operation>(fields.one_of("operation", kOperations));
  Fields fill = fields.object("fill");
  constexpr std::array kKinds{"index", "bits"};
  test.fill.kind = kKinds[fill.one_of("kind", kKinds)];
  test.fill.shift = fill.number("shift");
  fill.finish();
  Fields standard = fields.object("standard");
  test.standard_pool = {standard.number("num_blocks"), standard.integers("block_ids")};
  test.standard = read_stored(standard);
  standard.finish();
  Fields planes = fields.object("planes");
  test.planes_pool = {planes.number("num_blocks"), planes.integers("block_ids")};
  planes.finish();
  if (fields.has("landing")) test.landing = read_planes(fields.object("landing"));
  if (fields.has("expected")) test.expected = read_planes(fields.object("expected"));
  if (fields.has("found")) test.found = read_planes(fields.object("found"));
  if (fields.has("difference")) test.difference = read_difference(fields.object("difference"));
  if (fields.has("request")) {
    Fields request = fields.object("request");
    test.request = Request{request.integers("standard_block_ids"), request.integers("block_ids")};
    request.finish();
  }
  test.valid = fields.one_of("result", std::array{"valid", "invalid"}) == 0;
  fields.finish();
  return test;
}

Group read_group(Fields fields) {
  Group group;
  fields.one_of("type", std::array{"PageTest"});
  Fields source = fields.object("source");
  group.source_name = source.text("name");
  group.source_version = source.text("version");
  source.finish();
  Fields shape = fields.object("shape");
  group.shape = {shape.number("heads"), shape.number("tokens"), shape.number("head_dim"),
                 shape.number("element_bytes")};
  const std::string dtype = shape.text("dtype");
  if (const auto known = dtype_from_name(dtype)) {
    group.dtype = *known;
  } else {
    shape.refuse("dtype", dtype, "no type of the safetensors format");
  }
  shape.finish();
  group.file = fields.text("file");
  for (Fields& test : fields.objects("tests")) group.tests.push_back(read_test(std::move(test)));
  fields.finish();
  return group;
}

}  // namespace

std::string_view to_string(Operation operation) {
  return kOperations[static_cast<std::size_t>(operation)];
}

std::string to_json_text(const Suite& suite) {
  ordered_json out{{"algorithm", kAlgorithm},
                   {"schema", kSchemaFile},
                   {"numberOfTests", suite.number_of_tests},
                   {"header", suite.header}};
  for (const auto& [flag, note] : suite.notes) {
    out["notes"][flag] = {
        {"bugType", note.bug_type}, {"description", note.description}, {"effect", note.effect}};
  }
  out["testGroups"] = ordered_json::array();
  for (const Group& group : suite.groups) out["testGroups"].push_back(json_of(group));
  return out.dump(1) + "\n";
}

Expected<Suite> read_suite(std::string_view text, const std::string& subject) {
  const auto document = parse_strict_json(text, {.subject = subject, .field = "", .deepest = kDeepest});
  if (!document) return std::unexpected(document.error());
  FirstError error(subject);
  Fields fields(*document, "", error);
  Suite suite;
  fields.one_of("algorithm", std::array{kAlgorithm});
  fields.one_of("schema", std::array{kSchemaFile});
  suite.number_of_tests = fields.number("numberOfTests");
  suite.header = fields.texts("header");
  Fields notes = fields.object("notes");
  for (const std::string& flag : notes.keys()) {
    Fields note = notes.object(flag);
    suite.notes[flag] = {note.text("bugType"), note.text("description"), note.text("effect")};
    note.finish();
  }
  for (Fields& group : fields.objects("testGroups")) suite.groups.push_back(read_group(std::move(group)));
  fields.finish();
  if (error.found()) return std::unexpected(*error.found());
  return suite;
}

}  // namespace pageproof::golden
