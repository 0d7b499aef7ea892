// What a set of page fixtures says: pages_v1.json as values. The page data stands beside it, in one
// safetensors file a group.
//
//   Suite -> Group (one shape, one file) -> Test (one operation on one pool)
//
// A tensor holds only the blocks that a test lists: row i of it is block block_ids[i] of a pool of num_blocks
// blocks in which every other byte is kSentinel. So pools with high block ids stay small files, and a
// consumer rebuilds a pool in two lines. The idea of groups, flags and notes is Wycheproof's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "golden/container/dtype.hpp"
#include "model/page/plain/shape.hpp"

namespace pageproof::golden {

// What every byte of a pool holds that no listed block covers.
inline constexpr std::byte kSentinel{0xA5};

inline constexpr const char* kAlgorithm = "standard-to-aiter-shuffled";
inline constexpr const char* kSuiteFile = "pages_v1.json";
inline constexpr const char* kSchemaFile = "schema/pages_v1_schema.json";

// A request that must be refused may name ids that no pool has, so ids are signed.
using BlockIds = std::vector<std::int64_t>;

// One tensor of the group's file: its digest, and that of the whole pool in which its rows are put.
struct Stored {
  std::string tensor;
  std::string sha256;
  std::string pool_sha256;
};

struct StoredPlanes {
  Stored key;    // JSON: "k"
  Stored value;  // JSON: "v"
};

struct Pool {
  std::uint64_t num_blocks = 0;
  BlockIds block_ids;  // distinct, below num_blocks
};

enum class Operation : std::uint8_t {
  convert,           // standard pages -> shuffled planes, which hold the sentinel before
  convert_in_place,  // the landing -> shuffled planes, in the same bytes
  land,              // standard pages -> the landing (what the READ does)
  find               // planes that somebody has converted: the difference must be found
};

struct Fill {
  std::string
      kind;  // "index": an element holds its own index; "bits": bit patterns, NaNs included (fill.hpp)
  std::uint64_t shift = 0;
};

// The ids that a consumer must refuse; they replace those of the two pools.
struct Request {
  BlockIds standard_block_ids;
  BlockIds block_ids;
};

struct Difference {
  Coordinate first;         // blocks in the order of block_ids, K before V, then head, token, dim
  std::uint64_t bytes = 0;  // how many differ, over all listed blocks and both planes
};

struct Test {
  std::uint64_t tc_id = 0;  // given by the generator alone, never reused
  std::string comment;
  std::vector<std::string> flags;  // each explained in the notes
  Operation operation = Operation::convert;
  Fill fill;
  Pool standard_pool;
  Stored standard;
  Pool planes_pool;
  std::optional<StoredPlanes> landing;   // land: the result; convert_in_place: what the planes hold before
  std::optional<StoredPlanes> expected;  // the shuffled planes
  std::optional<StoredPlanes> found;     // find: the planes that are wrong
  std::optional<Difference> difference;  // find: between expected and found
  std::optional<Request> request;        // must be refused, and no byte of the planes may change
  bool valid = true;
};

struct Group {
  std::string source_name;
  std::string source_version;
  Shape shape;
  Dtype dtype = Dtype::bf16;
  std::string file;  // relative to the suite's folder
  std::vector<Test> tests;
};

struct Note {
  std::string bug_type;
  std::string description;
  std::string effect;
};

struct Suite {
  std::uint64_t number_of_tests = 0;
  std::vector<std::string> header;
  std::map<std::string, Note> notes;
  std::vector<Group> groups;
};

}  // namespace pageproof::golden
