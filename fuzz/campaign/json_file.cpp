#include "fuzz/campaign/json_file.hpp"

#include <cmath>
#include <filesystem>

#include "golden/container/atomic_file.hpp"
#include "golden/container/mapped_file.hpp"
#include "model/json/strict_json.hpp"

namespace pageproof::fuzz {
namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t{64} << 20;
// A report holds properties, their failures, the case of each and what that describes.
constexpr std::size_t kDeepest = 32;

std::unexpected<Error> refused(const std::string& path, const std::string& problem) {
  return std::unexpected(Error{path, "", "", problem});
}

}  // namespace

Expected<nlohmann::json> read_json(const std::string& path) {
  const auto file = golden::MappedFile::open(path);
  if (!file) return std::unexpected(file.error());
  const std::span<const std::byte> bytes = file->bytes();
  if (bytes.size() > kLargestFile) return refused(path, "above 64 MiB");
  return parse_strict_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                           {.subject = path, .field = "", .deepest = kDeepest});
}

Expected<void> write_json(const std::string& path, const nlohmann::json& json) {
  const std::filesystem::path target(path);
  std::error_code code;
  if (target.has_parent_path()) std::filesystem::create_directories(target.parent_path(), code);
  if (code) return refused(path, "its folder cannot be made: " + code.message());
  const std::string text = json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  return golden::write_file_atomically(target, std::string_view(text));
}

Fields::Fields(const nlohmann::json& object, std::string subject)
    : object_(object), subject_(std::move(subject)) {
  if (!object.is_object()) error_ = Error{subject_, "$", object.type_name(), "not an object"};
}

void Fields::refuse(const char* name, const std::string& problem) {
  if (error_) return;
  const bool known = object_.contains(name);
  const std::string value =
      known ? object_[name].dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) : "missing";
  error_ = Error{subject_, name, value, problem};
}

const nlohmann::json* Fields::find(const char* name) {
  if (error_) return nullptr;
  const auto found = object_.find(name);
  return found == object_.end() ? nullptr : &*found;
}

std::uint64_t Fields::number(const char* name) {
  const nlohmann::json* field = find(name);
  if (field != nullptr && field->is_number_unsigned()) return field->get<std::uint64_t>();
  refuse(name, "a whole number belongs here");
  return 0;
}

double Fields::real(const char* name) {
  const nlohmann::json* field = find(name);
  const double value = field != nullptr && field->is_number() ? field->get<double>() : -1;
  if (std::isfinite(value) && value >= 0) return value;
  refuse(name, "a number of at least 0 belongs here");
  return 0;
}

std::string Fields::text(const char* name) {
  const nlohmann::json* field = find(name);
  if (field != nullptr && field->is_string()) return field->get<std::string>();
  refuse(name, "a text belongs here");
  return {};
}

std::vector<std::uint64_t> Fields::numbers(const char* name) {
  std::vector<std::uint64_t> values;
  for (const nlohmann::json& element : list(name)) {
    if (!element.is_number_unsigned()) {
      refuse(name, "whole numbers belong here");
      return {};
    }
    values.push_back(element.get<std::uint64_t>());
  }
  return values;
}

nlohmann::json Fields::any(const char* name) {
  const nlohmann::json* field = find(name);
  if (field != nullptr) return *field;
  refuse(name, "this field is needed");
  return {};
}

nlohmann::json Fields::list(const char* name) {
  const nlohmann::json* field = find(name);
  if (field != nullptr && field->is_array()) return *field;
  refuse(name, "a list belongs here");
  return nlohmann::json::array();
}

void Fields::expect(const char* name, const std::string& value) {
  if (text(name) != value) refuse(name, "\"" + value + "\" belongs here");
}

}  // namespace pageproof::fuzz
