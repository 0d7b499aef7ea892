// pageproof identify: files in, an identification out; the search is reports/identify.
#include "reports/identify/identify.hpp"

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "reports/identify/dump.hpp"

namespace pageproof::cli {
namespace {

// Null for an empty tag.
Expected<const page::PageFormat*> named_format(const std::string& tag, const char* option) {
  if (tag.empty()) return nullptr;
  Expected<const page::PageFormat*> format = page::find_format(tag);
  if (!format) {
    Error error = format.error();
    error.subject = option;
    return std::unexpected(error);
  }
  return format;
}

}  // namespace

Result identify(const IdentifyOptions& options) {
  if (options.threads == 0) return std::unexpected(Error{"--threads", "", "0", "at least 1 thread"});
  const auto reference_format = named_format(options.reference_format, "--ref-format");
  if (!reference_format) return std::unexpected(reference_format.error());
  const auto expected = named_format(options.expected, "--expect");
  if (!expected) return std::unexpected(expected.error());
  if (*expected != nullptr && (*expected)->key_only()) {
    return std::unexpected(
        Error{"--expect", options.expected, "",
              "holds K only (an indexer's, or one part of MLA), so no pages with K and V"});
  }
  const auto file = golden::SafetensorsFile::open(options.input);
  if (!file) return std::unexpected(file.error());
  const auto against = golden::SafetensorsFile::open(options.against);
  if (!against) return std::unexpected(against.error());
  const Expected<reports::DumpedPages> dump = reports::read_dump(*file);
  if (!dump) return std::unexpected(dump.error());
  const Expected<reports::KnownPages> known = reports::read_reference(*against, *reference_format);
  if (!known) return std::unexpected(known.error());

  const Expected<reports::Identification> found = reports::identify(
      *dump, *known, {.expected = *expected, .threads = options.threads}, options.input, options.against);
  if (!found) return std::unexpected(found.error());
  nlohmann::ordered_json json = reports::to_json(*found);
  json["input"] = options.input;
  json["against"] = options.against;
  return Report{found->as_wanted(), reports::to_text(*found), one_document(json)};
}

}  // namespace pageproof::cli
