// JSON from files that anybody may have written: limited in size and depth, no key twice, fields taken with
// their type checked. Every refusal names the file and the field.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/page/plain/error.hpp"

namespace pageproof::fuzz {

Expected<nlohmann::json> read_json(const std::string& path);

// Whole or not at all. Folders are made.
Expected<void> write_json(const std::string& path, const nlohmann::json& json);

// Reads fields of one object; after the first that is missing or of another type every further read answers
// with an empty value, and `error` says which it was.
class Fields {
 public:
  Fields(const nlohmann::json& object, std::string subject);

  std::uint64_t number(const char* name);
  double real(const char* name);  // finite and not negative
  std::string text(const char* name);
  std::vector<std::uint64_t> numbers(const char* name);
  nlohmann::json any(const char* name);
  nlohmann::json list(const char* name);  // an array
  // Refuses unless the text field has this value.
  void expect(const char* name, const std::string& value);
  void refuse(const char* name, const std::string& problem);

  const std::optional<Error>& error() const { return error_; }

 private:
  const nlohmann::json* find(const char* name);

  const nlohmann::json& object_;
  std::string subject_;
  std::optional<Error> error_;
};

}  // namespace pageproof::fuzz
