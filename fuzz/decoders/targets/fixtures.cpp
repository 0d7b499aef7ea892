// The suite of page fixtures: its JSON, and what its groups and tests say of themselves.
#include "fuzz/decoders/decoder.hpp"
#include "fuzz/decoders/memory_file.hpp"
#include "golden/container/safetensors.hpp"
#include "golden/pages/fixture_json.hpp"
#include "golden/pages/validate.hpp"

namespace pageproof::fuzz {
namespace {

// A container with the tensors of a test of one block: H=1 N=16 D=16 e=1.
const golden::SafetensorsFile& container() {
  static const std::string text = [] {
    std::string header = R"({"standard":{"dtype":"U8","shape":[1,1,16,32],"data_offsets":[0,512]},)"
                         R"("k":{"dtype":"U8","shape":[1,1,1,16,16],"data_offsets":[512,768]},)"
                         R"("v":{"dtype":"U8","shape":[1,1,1,16,16],"data_offsets":[768,1024]}})";
    std::string length(8, '\0');
    length[0] = static_cast<char>(header.size());
    return length + header + std::string(1024, '\1');
  }();
  static const MemoryFile stored(std::as_bytes(std::span(text)));
  static const auto file = golden::SafetensorsFile::open(stored.path());
  must(file.has_value(), "the container of the target can be opened");
  return *file;
}

}  // namespace

void decode_one(Bytes input) {
  const golden::SafetensorsFile& file = container();
  const auto suite = decoded(input, [&] { return golden::read_suite(text_of(input), "input"); });
  if (!suite) return;
  must(text_of(input).find('\0') == std::string_view::npos, "JSON has no NUL byte");
  const std::string text = golden::to_json_text(*suite);
  const auto again = golden::read_suite(text, "input");
  must(again && golden::to_json_text(*again) == text, "a suite comes back from JSON");
  for (const golden::Group& group : suite->groups) {
    if (!decoded(input, [&] { return golden::validate_group(group, "input"); })) continue;
    for (const golden::Test& test : group.tests) {
      (void)decoded(input, [&] { return golden::validate_test(group, test, file, "input"); });
    }
  }
}

}  // namespace pageproof::fuzz
