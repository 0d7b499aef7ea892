// Typed reading of the fields of one JSON object: each field is visited once, the first fault is kept with
// its path, and keys that nobody asked for can be refused.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/page/plain/error.hpp"

namespace pageproof {

class JsonFields {
 public:
  JsonFields(const nlohmann::json& object, std::string path, std::string subject);

  // A missing key leaves `out` as it is.
  void optional(const char* key, std::string& out);
  void optional(const char* key, bool& out);
  void optional(const char* key, std::uint64_t& out);
  void optional(const char* key, std::int64_t& out);
  void optional(const char* key, std::vector<std::uint64_t>& out);
  void optional(const char* key, std::vector<std::int64_t>& out);
  void optional(const char* key, std::vector<std::string>& out);
  void optional(const char* key, std::vector<std::vector<std::string>>& out);
  // null and a missing key: no value.
  template <class T>
  void nullable(const char* key, std::optional<T>& out) {
    const nlohmann::json* found = find(key);
    if (found == nullptr || found->is_null()) return;
    T value{};
    optional(key, value);
    out = std::move(value);
  }
  template <class T>
  void required(const char* key, T& out) {
    if (find(key) == nullptr) return fail(key, "", "missing required field");
    optional(key, out);
  }

  // The value under a key, or null where it is missing or a fault was found already.
  const nlohmann::json* find(const char* key);
  void fail(const char* key, std::string value, std::string problem);
  // As fail, for an Error that already names its field.
  void fail(Error error);
  void refuse_unknown_keys();

  std::string path_of(const char* key) const { return path_ + "." + key; }
  const std::optional<Error>& error() const { return error_; }

 private:
  bool read(const nlohmann::json& from, const std::string& path, std::string& out);
  bool read(const nlohmann::json& from, const std::string& path, bool& out);
  bool read(const nlohmann::json& from, const std::string& path, std::uint64_t& out);
  bool read(const nlohmann::json& from, const std::string& path, std::int64_t& out);
  template <class T>
  bool read(const nlohmann::json& from, const std::string& path, std::vector<T>& out);
  template <class T>
  void read_if_present(const char* key, T& out);
  bool mistyped(const nlohmann::json& from, const std::string& path, const char* wanted);

  const nlohmann::json& object_;
  std::string path_;
  std::string subject_;
  std::set<std::string> asked_;
  std::optional<Error> error_;
};

// A value as an Error shows it: short, and never throws on bytes that are not UTF-8.
std::string shown(const nlohmann::json& value);

}  // namespace pageproof
