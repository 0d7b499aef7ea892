// Case files and reports of campaigns. A case of a known property is run again.
#include "fuzz/campaign/case_file.hpp"
#include "fuzz/campaign/json_file.hpp"
#include "fuzz/campaign/report.hpp"
#include "fuzz/decoders/decoder.hpp"
#include "fuzz/decoders/memory_file.hpp"

namespace pageproof::fuzz {

void decode_one(Bytes input) {
  const MemoryFile stored(input);
  const auto json = decoded(input, [&] { return read_json(stored.path()); });
  if (!json) return;

  must(text_of(input).find('\0') == std::string_view::npos, "JSON has no NUL byte");
  if (const auto report = decoded(input, [&] { return report_from_json(*json, "input"); })) {
    const auto again = report_from_json(to_json(*report), "input");
    must(again && to_json(*again) == to_json(*report), "a report comes back from JSON");
    if (const auto twice = merged(*report, *report, "input"); !twice) must_be_one_line(twice.error());
    must(!to_string(*report).empty(), "a report has a table");
  }

  const auto file = decoded(input, [&] { return case_from_json(*json, "input"); });
  if (!file) return;
  const auto again = case_from_json(to_json(*file), "input");
  must(again && to_json(*again) == to_json(*file), "a case file comes back from JSON");
  const auto replayed = replay(*file, all_properties(), "input");
  if (!replayed) return must_be_one_line(replayed.error());
  must(!*replayed, "every case of every property holds");
}

}  // namespace pageproof::fuzz
