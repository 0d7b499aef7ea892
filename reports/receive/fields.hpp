// The fields of one line of a log, by name: whole numbers, words, flags, lists of ids. The first refusal
// stays.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "reports/receive/event.hpp"

namespace pageproof::receive_log {

inline constexpr std::size_t kShownBytes = 160;

// Ids below a bound, of blocks or of layers.
struct Ids {
  std::string_view what;    // "layer"
  std::uint64_t below;      // 0: any
  std::string_view beyond;  // "beyond {} layers"
};

class Fields {
 public:
  Fields(const nlohmann::json& object, std::string where) : object_(object), where_(std::move(where)) {}

  std::uint64_t number(const char* name);
  std::uint64_t number(const char* name, const Ids& of);
  std::string text(const char* name);  // not empty; a whole number counts as its digits
  bool flag(const char* name, bool otherwise);
  std::vector<std::uint64_t> ids(const char* name, bool optional, const Ids& of);  // each once, at most 2^20
  bool has(const char* name) const;

  void refuse(const char* name, std::string value, std::string problem);
  const std::optional<Error>& error() const { return error_; }

 private:
  const nlohmann::json* find(const char* name);
  bool in_range(const char* name, std::uint64_t id, const Ids& of);

  const nlohmann::json& object_;
  std::string where_;
  std::optional<Error> error_;
};

// What else a line of the event's kind says, behind its time and its thread.
void read_fields(Fields& line, Event& event, const Ids& block_ids, const Ids& layer_ids);

}  // namespace pageproof::receive_log
