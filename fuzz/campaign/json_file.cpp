#include "fuzz/campaign/json_file.hpp"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace pageproof::fuzz {
namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t{64} << 20;

std::unexpected<Error> refused(const std::string& path, const std::string& field,
                               const std::string& problem) {
  return std::unexpected(Error{path, field, "", problem});
}

}  // namespace

Expected<nlohmann::json> read_json(const std::string& path) {
  std::error_code code;
  const std::filesystem::file_status status = std::filesystem::status(path, code);
  if (code || !std::filesystem::exists(status)) return refused(path, "", "no such file");
  if (!std::filesystem::is_regular_file(status)) return refused(path, "", "not a regular file");
  if (std::filesystem::file_size(path, code) > kLargestFile || code) return refused(path, "", "above 64 MiB");
  std::ifstream in(path, std::ios::binary);
  if (!in) return refused(path, "", std::string("cannot be read: ") + std::strerror(errno));
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) return refused(path, "", "cannot be read");
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) return refused(path, "", "not a JSON document");
  return json;
}

Expected<void> write_json(const std::string& path, const nlohmann::json& json) {
  const std::filesystem::path target(path);
  std::error_code code;
  if (target.has_parent_path()) std::filesystem::create_directories(target.parent_path(), code);
  if (code) return refused(path, "", "its folder cannot be made: " + code.message());
  const std::string beside = path + ".new";
  {
    std::ofstream out(beside, std::ios::binary | std::ios::trunc);
    out << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
    out.flush();
    if (!out) {
      std::filesystem::remove(beside, code);
      return refused(path, "", "cannot be written");
    }
  }
  std::filesystem::rename(beside, target, code);
  if (!code) return {};
  const std::string why = code.message();
  std::filesystem::remove(beside, code);
  return refused(path, "", "cannot be written: " + why);
}

Fields::Fields(const nlohmann::json& object, std::string subject)
    : object_(object), subject_(std::move(subject)) {
  if (!object.is_object()) error_ = Error{subject_, "", object.type_name(), "not an object"};
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
