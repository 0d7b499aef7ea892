// What the fixtures of all page formats say: formats_v1.json as values. The page data stands beside it, in
// one safetensors file a group.
//
//   Suite -> Group (one shape, one file; the same pages in every format that fits it) -> Test (from one
//   format to another, or a format that must be refused, or pages in another format than they are said to be)
//
// Row i of a tensor is block i of its pool. How a format's tensors are named and shaped is tensors.hpp's.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "golden/container/dtype.hpp"
#include "golden/pages/fixture.hpp"
#include "model/page/plain/shape.hpp"

namespace pageproof::golden::formats {

inline constexpr const char* kAlgorithm = "page-format-to-page-format";
inline constexpr const char* kSuiteFile = "formats_v1.json";
inline constexpr const char* kFolder = "formats_v1";
inline constexpr const char* kSchemaFile = "schema/formats_v1_schema.json";

// A format as its project states it, and what the expected bytes rest on.
struct Format {
  std::string regions;     // "pages": K and V in one tensor; "planes": two tensors
  std::string sides;       // "KV", "K"
  std::string key;         // element offset of K within a block
  std::string value;       // of V; empty where there is none
  std::string states;      // whose arithmetic this is
  std::string arithmetic;  // where this project restates it

  friend bool operator==(const Format&, const Format&) = default;
};

struct StoredTensor {
  std::string tensor;
  std::string sha256;
};

// The group's pages under one fill, in one format: `pages`, or the K plane and the V plane, or K alone.
struct FormatPages {
  std::string format;
  std::uint64_t shift = 0;
  std::vector<StoredTensor> tensors;
};

enum class Operation : std::uint8_t {
  convert,  // pages of `from` become pages of `to`
  place,    // the K side of standard pages, put where `to`, a format of K only, has it
  find      // pages said to be in `to` are in the format `found`: the first difference must be found
};

// Why a shape or a pair is refused: a field, its value, the rule.
struct Rule {
  std::string field;
  std::string value;
  std::string problem;

  friend bool operator==(const Rule&, const Rule&) = default;
};

struct Test {
  std::uint64_t tc_id = 0;  // given by the generator alone, never reused
  std::string comment;
  std::vector<std::string> flags;  // each explained in the notes
  Operation operation = Operation::convert;
  std::uint64_t shift = 0;  // of the fill
  std::string from;
  std::string to;
  std::optional<std::string> found;      // find
  std::optional<Difference> difference;  // find: between `to` and what `found` holds
  std::optional<Rule> rule;              // must be refused, and nothing may be written
  bool valid = true;
};

struct Group {
  Shape shape;
  Dtype dtype = Dtype::bf16;
  std::uint64_t blocks = 0;
  std::string file;  // relative to the suite's folder
  std::vector<FormatPages> pages;
  std::vector<Test> tests;

  // Null where the group has no such pages.
  const FormatPages* find(const std::string& format, std::uint64_t shift) const {
    for (const FormatPages& stored : pages) {
      if (stored.format == format && stored.shift == shift) return &stored;
    }
    return nullptr;
  }
};

struct Suite {
  std::uint64_t number_of_tests = 0;
  std::vector<std::string> header;
  std::map<std::string, Note> notes;
  std::map<std::string, Format> formats;
  std::vector<Group> groups;
};

}  // namespace pageproof::golden::formats
