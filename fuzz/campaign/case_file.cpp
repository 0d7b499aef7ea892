#include "fuzz/campaign/case_file.hpp"

#include <algorithm>

#include "fuzz/campaign/commit.hpp"
#include "fuzz/campaign/json_file.hpp"

namespace pageproof::fuzz {
namespace {

constexpr const char* kSchema = "fuzz_case_v1";

const char* name_of(Domain domain) {
  return domain == Domain::small ? "small" : "wide";
}

nlohmann::json values_of(const Property& property, Domain domain, const std::vector<std::uint64_t>& choices) {
  Choices again(recorded(choices));
  return property.describe(again, domain);
}

}  // namespace

CaseFile case_file(const Property& property, const Found& found, std::uint64_t seed, std::uint64_t round) {
  return {property.name, found.domain, found.choices,        values_of(property, found.domain, found.choices),
          seed,          round,        std::string(commit())};
}

nlohmann::json to_json(const CaseFile& file) {
  return {{"schema", kSchema},       {"property", file.property}, {"domain", name_of(file.domain)},
          {"choices", file.choices}, {"case", file.values},       {"seed", file.seed},
          {"round", file.round},     {"commit", file.commit}};
}

Expected<CaseFile> case_from_json(const nlohmann::json& json, const std::string& subject) {
  Fields fields(json, subject);
  fields.expect("schema", kSchema);
  CaseFile file;
  file.property = fields.text("property");
  const std::string domain = fields.text("domain");
  if (domain != "small" && domain != "wide") fields.refuse("domain", "small or wide belongs here");
  file.domain = domain == "small" ? Domain::small : Domain::wide;
  file.choices = fields.numbers("choices");
  file.values = fields.any("case");
  file.seed = fields.number("seed");
  file.round = fields.number("round");
  file.commit = fields.text("commit");
  if (fields.error()) return std::unexpected(*fields.error());
  return file;
}

Expected<CaseFile> read_case(const std::string& path) {
  const Expected<nlohmann::json> json = read_json(path);
  if (!json) return std::unexpected(json.error());
  return case_from_json(*json, path);
}

Expected<std::string> write_case(const CaseFile& file, const std::string& folder) {
  std::string path = folder + "/" + file.property + ".json";
  if (const auto written = write_json(path, to_json(file)); !written) return std::unexpected(written.error());
  return path;
}

Expected<std::optional<Failure>> replay(const CaseFile& file, std::span<const Property> properties,
                                        const std::string& path) {
  const auto property = std::ranges::find(properties, file.property, &Property::name);
  if (property == properties.end()) {
    return std::unexpected(Error{path, "property", file.property, "no property has this name"});
  }
  Choices describing(recorded(file.choices));
  const nlohmann::json values = property->describe(describing, file.domain);
  if (describing.made() != file.choices) {
    return std::unexpected(Error{path, "choices", nlohmann::json(file.choices).dump(),
                                 "not the choices of a case: " + file.property +
                                     " makes another number of them or "
                                     "bounds them lower"});
  }
  if (values != file.values) {
    return std::unexpected(
        Error{path, "case", file.values.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
              "the choices make another case; the generator has changed since commit " + file.commit});
  }
  Choices choices(recorded(file.choices));
  std::optional<Failure> failure = property->run(choices, file.domain);
  if (failure) failure->replay = "pageproof fuzz --replay " + path;
  return failure;
}

}  // namespace pageproof::fuzz
