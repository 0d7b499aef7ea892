#include "golden/formats/fixture_json.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "golden/pages/fields.hpp"
#include "golden/pages/shared_json.hpp"
#include "model/json/strict_json.hpp"

namespace pageproof::golden::formats {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kDeepest = 7;  // suite, groups, group, tests, test, difference, first

constexpr std::array kOperations{"convert", "place", "find"};
constexpr std::array kRegions{"pages", "planes"};
constexpr std::array kSides{"KV", "K"};

ordered_json json_of(const Format& format) {
  return {{"regions", format.regions},
          {"sides", format.sides},
          {"k", format.key},
          {"v", format.value},
          {"source", {{"states", format.states}, {"arithmetic", format.arithmetic}}}};
}

ordered_json json_of(const FormatPages& pages) {
  ordered_json tensors = ordered_json::array();
  for (const StoredTensor& stored : pages.tensors) {
    tensors.push_back({{"tensor", stored.tensor}, {"sha256", stored.sha256}});
  }
  return {{"format", pages.format}, {"shift", pages.shift}, {"tensors", tensors}};
}

ordered_json json_of(const Test& test) {
  ordered_json out{{"tcId", test.tc_id},  {"comment", test.comment},
                   {"flags", test.flags}, {"operation", to_string(test.operation)},
                   {"shift", test.shift}, {"from", test.from},
                   {"to", test.to}};
  if (test.found) out["found"] = *test.found;
  if (test.difference) out["difference"] = golden::json_of(*test.difference);
  if (test.rule) {
    out["rule"] = {{"field", test.rule->field}, {"value", test.rule->value}, {"problem", test.rule->problem}};
  }
  out["result"] = test.valid ? "valid" : "invalid";
  return out;
}

ordered_json json_of(const Group& group) {
  ordered_json out{{"type", "FormatTest"},
                   {"shape", golden::json_of(group.shape, group.dtype)},
                   {"blocks", group.blocks},
                   {"file", group.file}};
  out["pages"] = ordered_json::array();
  for (const FormatPages& pages : group.pages) out["pages"].push_back(json_of(pages));
  out["tests"] = ordered_json::array();
  for (const Test& test : group.tests) out["tests"].push_back(json_of(test));
  return out;
}

Format read_format(Fields fields) {
  Format format;
  format.regions = kRegions[fields.one_of("regions", kRegions)];
  format.sides = kSides[fields.one_of("sides", kSides)];
  format.key = fields.text("k");
  format.value = fields.text("v");
  Fields source = fields.object("source");
  format.states = source.text("states");
  format.arithmetic = source.text("arithmetic");
  source.finish();
  fields.finish();
  return format;
}

FormatPages read_pages(Fields fields) {
  FormatPages pages{fields.text("format"), fields.number("shift"), {}};
  for (Fields& stored : fields.objects("tensors")) {
    pages.tensors.push_back({stored.text("tensor"), stored.text("sha256")});
    stored.finish();
  }
  fields.finish();
  return pages;
}

Test read_test(Fields fields) {
  Test test;
  test.tc_id = fields.number("tcId");
  test.comment = fields.text("comment");
  test.flags = fields.texts("flags");
  test.operation = static_cast<Operation>(fields.one_of("operation", kOperations));
  test.shift = fields.number("shift");
  test.from = fields.text("from");
  test.to = fields.text("to");
  if (fields.has("found")) test.found = fields.text("found");
  if (fields.has("difference")) test.difference = read_difference(fields.object("difference"));
  if (fields.has("rule")) {
    Fields rule = fields.object("rule");
    test.rule = Rule{rule.text("field"), rule.text("value"), rule.text("problem")};
    rule.finish();
  }
  test.valid = fields.one_of("result", std::array{"valid", "invalid"}) == 0;
  fields.finish();
  return test;
}

Group read_group(Fields fields) {
  Group group;
  fields.one_of("type", std::array{"FormatTest"});
  std::tie(group.shape, group.dtype) = read_shape(fields.object("shape"));
  group.blocks = fields.number("blocks");
  group.file = fields.text("file");
  for (Fields& pages : fields.objects("pages")) group.pages.push_back(read_pages(std::move(pages)));
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
  out["notes"] = golden::json_of(suite.notes);
  for (const auto& [tag, format] : suite.formats) out["formats"][tag] = json_of(format);
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
  suite.notes = read_notes(fields.object("notes"));
  Fields formats = fields.object("formats");
  for (const std::string& tag : formats.keys()) suite.formats[tag] = read_format(formats.object(tag));
  formats.finish();
  for (Fields& group : fields.objects("testGroups")) suite.groups.push_back(read_group(std::move(group)));
  fields.finish();
  if (error.found()) return std::unexpected(*error.found());
  return suite;
}

}  // namespace pageproof::golden::formats
