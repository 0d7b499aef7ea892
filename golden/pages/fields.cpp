#include "golden/pages/fields.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace pageproof::golden {
namespace {

using nlohmann::json;

const json kNothing;
constexpr std::uint64_t kLargestNumber = std::numeric_limits<std::int64_t>::max();

bool is_integer(const json& value) {
  return value.is_number_unsigned() ? value.get<std::uint64_t>() <= kLargestNumber
                                    : value.is_number_integer();
}

}  // namespace

void FirstError::refuse(std::string field, std::string value, std::string problem) {
  if (!error_) error_ = Error{subject_, std::move(field), std::move(value), std::move(problem)};
}

Fields::Fields(const json& object, std::string path, FirstError& error)
    : object_(&object), path_(std::move(path)), error_(&error) {
  if (!object.is_object()) error_->refuse(path_.empty() ? "$" : path_, object.dump(), "not an object");
}

bool Fields::has(const std::string& key) const {
  return object_->is_object() && object_->contains(key);
}

std::vector<std::string> Fields::keys() const {
  std::vector<std::string> out;
  if (!object_->is_object()) return out;
  for (const auto& [key, value] : object_->items()) out.push_back(key);
  return out;
}

const json& Fields::member(const std::string& key) {
  read_.insert(key);
  if (has(key)) return (*object_)[key];
  refuse(key, "", "missing");
  return kNothing;
}

const json& Fields::list(const std::string& key) {
  const json& value = member(key);
  if (!value.is_array()) refuse(key, value.dump(), "not a list");
  return value.is_array() ? value : kNothing;
}

std::uint64_t Fields::number(const std::string& key) {
  const json& value = member(key);
  if (value.is_number_unsigned() && is_integer(value)) return value.get<std::uint64_t>();
  refuse(key, value.dump(), "not a whole number from 0 to 2^63-1");
  return 0;
}

std::string Fields::text(const std::string& key) {
  const json& value = member(key);
  if (value.is_string()) return value.get<std::string>();
  refuse(key, value.dump(), "not a string");
  return {};
}

std::vector<std::string> Fields::texts(const std::string& key) {
  std::vector<std::string> out;
  for (const json& value : list(key)) {
    if (!value.is_string()) refuse(key, value.dump(), "not a string");
    out.push_back(value.is_string() ? value.get<std::string>() : "");
  }
  return out;
}

std::vector<std::int64_t> Fields::integers(const std::string& key) {
  std::vector<std::int64_t> out;
  for (const json& value : list(key)) {
    if (!is_integer(value)) refuse(key, value.dump(), "not a whole number below 2^63");
    out.push_back(is_integer(value) ? value.get<std::int64_t>() : 0);
  }
  return out;
}

std::size_t Fields::one_of(const std::string& key, std::span<const char* const> choices) {
  const std::string value = text(key);
  std::string known;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (value == choices[i]) return i;
    known += (i == 0 ? "" : ", ") + std::string(choices[i]);
  }
  refuse(key, value, fmt::format("not one of: {}", known));
  return 0;
}

Fields Fields::object(const std::string& key) {
  return Fields(member(key), path_.empty() ? key : path_ + "." + key, *error_);
}

std::vector<Fields> Fields::objects(const std::string& key) {
  std::vector<Fields> out;
  for (const json& value : list(key)) {
    out.emplace_back(value, fmt::format("{}{}{}[{}]", path_, path_.empty() ? "" : ".", key, out.size()),
                     *error_);
  }
  return out;
}

void Fields::refuse(const std::string& key, std::string value, std::string problem) {
  error_->refuse(path_.empty() ? key : path_ + "." + key, std::move(value), std::move(problem));
}

void Fields::finish() {
  for (const std::string& key : keys()) {
    if (!read_.contains(key)) refuse(key, (*object_)[key].dump(), "unknown field");
  }
}

}  // namespace pageproof::golden
