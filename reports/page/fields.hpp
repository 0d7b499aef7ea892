// Reading a document: values by key with the type that is asked for. The first refusal is kept with the path
// of its value and ends the reading: after it everything reads as empty.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/page/plain/error.hpp"

namespace pageproof::page {

struct Refusal {
  std::string document;
  std::optional<Error> error = {};
};

class Node {
 public:
  Node(const nlohmann::json* value, std::string path, Refusal& refusal)
      : value_(value), path_(std::move(path)), refusal_(&refusal) {}

  bool has(const char* key) const;  // and it is not null
  Node at(const char* key) const;   // refuses where it is missing
  std::vector<Node> list(const char* key, std::size_t most) const;
  std::vector<Node> list_or_none(const char* key, std::size_t most) const;
  std::vector<std::pair<std::string, Node>> members(const char* key, std::size_t most) const;

  std::string text(const char* key) const { return at(key).as_text(); }
  std::string text_or_none(const char* key) const { return has(key) ? text(key) : std::string(); }
  double number(const char* key) const { return at(key).as_number(); }
  std::optional<double> number_or_none(const char* key) const {
    return has(key) ? std::optional(number(key)) : std::nullopt;
  }
  std::uint64_t count(const char* key) const { return at(key).as_count(); }
  bool flag(const char* key) const { return at(key).as_flag(); }

  std::string as_text() const;
  double as_number() const;  // finite
  std::uint64_t as_count() const;
  bool as_flag() const;
  bool is_text() const;
  bool is_null() const;

  void refuse(std::string problem) const;
  const std::string& document() const { return refusal_->document; }
  bool refused() const { return refusal_->error.has_value(); }

 private:
  const nlohmann::json* value_;  // null: missing, refused
  std::string path_;
  Refusal* refusal_;
};

// Documents of the other commands; defined beside read.cpp.
struct Content;
void read_gonogo(const Node& document, Content& content);
void read_cost(const Node& document, Content& content);
void read_validation(const Node& document, Content& content);
void read_simulation(const Node& document, Content& content);
void read_plan(const Node& document, Content& content);
void read_sensitivity(const Node& document, Content& content);

}  // namespace pageproof::page
