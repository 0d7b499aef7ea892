#include "model/json/fields.hpp"

#include <fmt/format.h>

namespace pageproof {

using nlohmann::json;

std::string shown(const json& value) {
  if (value.is_structured() && value.size() > 8) {
    return fmt::format("{} of {}", value.is_array() ? "array" : "object", value.size());
  }
  if (value.is_binary()) return fmt::format("{} bytes", value.get_binary().size());
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

JsonFields::JsonFields(const json& object, std::string path, std::string subject)
    : object_(object), path_(std::move(path)), subject_(std::move(subject)) {
  if (!object_.is_object()) error_ = Error{subject_, path_, shown(object_), "expected an object"};
}

const json* JsonFields::find(const char* key) {
  asked_.insert(key);
  if (error_) return nullptr;
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

void JsonFields::fail(const char* key, std::string value, std::string problem) {
  fail(Error{subject_, path_of(key), std::move(value), std::move(problem)});
}

void JsonFields::fail(Error error) {
  if (!error_) error_ = std::move(error);
}

void JsonFields::refuse_unknown_keys() {
  if (error_) return;
  for (const auto& [key, value] : object_.items()) {
    if (!asked_.contains(key)) return fail(key.c_str(), shown(value), "no such field");
  }
}

bool JsonFields::mistyped(const json& from, const std::string& path, const char* wanted) {
  fail(Error{subject_, path, shown(from), fmt::format("expected {}", wanted)});
  return false;
}

bool JsonFields::read(const json& from, const std::string& path, std::string& out) {
  if (!from.is_string()) return mistyped(from, path, "a string");
  out = from.get_ref<const std::string&>();
  return true;
}

bool JsonFields::read(const json& from, const std::string& path, bool& out) {
  if (!from.is_boolean()) return mistyped(from, path, "true or false");
  out = from.get<bool>();
  return true;
}

bool JsonFields::read(const json& from, const std::string& path, std::uint64_t& out) {
  // A negative number would be read as a huge one, a fraction as a whole one.
  const bool whole = from.is_number_unsigned() || (from.is_number_integer() && from.get<std::int64_t>() >= 0);
  if (!whole) return mistyped(from, path, "a whole number from 0 to 2^64 - 1");
  out = from.get<std::uint64_t>();
  return true;
}

bool JsonFields::read(const json& from, const std::string& path, std::int64_t& out) {
  const bool fits =
      from.is_number_integer() && (!from.is_number_unsigned() || from.get<std::uint64_t>() <= INT64_MAX);
  if (!fits) return mistyped(from, path, "a whole number of 64 bits with a sign");
  out = from.get<std::int64_t>();
  return true;
}

template <class T>
bool JsonFields::read(const json& from, const std::string& path, std::vector<T>& out) {
  if (!from.is_array()) return mistyped(from, path, "an array");
  out.clear();
  out.reserve(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    T value{};
    if (!read(from[i], fmt::format("{}[{}]", path, i), value)) return false;
    out.push_back(std::move(value));
  }
  return true;
}

template <class T>
void JsonFields::read_if_present(const char* key, T& out) {
  if (const json* found = find(key)) read(*found, path_of(key), out);
}

void JsonFields::optional(const char* key, std::string& out) {
  read_if_present(key, out);
}
void JsonFields::optional(const char* key, bool& out) {
  read_if_present(key, out);
}
void JsonFields::optional(const char* key, std::uint64_t& out) {
  read_if_present(key, out);
}
void JsonFields::optional(const char* key, std::int64_t& out) {
  read_if_present(key, out);
}
void JsonFields::optional(const char* key, std::vector<std::uint64_t>& out) {
  read_if_present(key, out);
}
void JsonFields::optional(const char* key, std::vector<std::int64_t>& out) {
  read_if_present(key, out);
}
void JsonFields::optional(const char* key, std::vector<std::string>& out) {
  read_if_present(key, out);
}
void JsonFields::optional(const char* key, std::vector<std::vector<std::string>>& out) {
  read_if_present(key, out);
}

}  // namespace pageproof
