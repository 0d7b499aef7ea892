// Reading a JSON object field by field, strictly. The first thing that is wrong (missing, wrongly typed,
// unknown) is kept with its path ("testGroups[2].tests[0].planes.num_blocks"); later reads give empty values,
// so a reader is a plain list of its fields, and the caller asks once at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/page/plain/error.hpp"

namespace pageproof::golden {

class FirstError {
 public:
  explicit FirstError(std::string subject) : subject_(std::move(subject)) {}
  void refuse(std::string field, std::string value, std::string problem);
  const std::optional<Error>& found() const { return error_; }

 private:
  std::string subject_;
  std::optional<Error> error_;
};

class Fields {
 public:
  // `object`, `error` must outlive the value; `path` is empty for the document.
  Fields(const nlohmann::json& object, std::string path, FirstError& error);

  bool has(const std::string& key) const;
  std::vector<std::string> keys() const;

  std::uint64_t number(const std::string& key);  // 0 to 2^63-1
  std::string text(const std::string& key);
  std::vector<std::string> texts(const std::string& key);
  std::vector<std::int64_t> integers(const std::string& key);
  std::size_t one_of(const std::string& key, std::span<const char* const> choices);  // its index
  Fields object(const std::string& key);
  std::vector<Fields> objects(const std::string& key);

  void refuse(const std::string& key, std::string value, std::string problem);
  // Every key that no call above asked for is unknown.
  void finish();

 private:
  const nlohmann::json& member(const std::string& key);
  const nlohmann::json& list(const std::string& key);

  const nlohmann::json* object_;
  std::string path_;
  FirstError* error_;
  std::set<std::string> read_;
};

}  // namespace pageproof::golden
