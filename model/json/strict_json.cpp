#include "model/json/strict_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

namespace pageproof {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestKey = 64;  // as a path shows it

// Receives nlohmann's parse events (its parser keeps its own stack on the heap) and builds the document. The
// first event that breaks a rule stops the parse.
class Builder {
 public:
  explicit Builder(const StrictJsonRules& rules) : rules_(rules) {}

  bool null() { return value(json()); }
  bool boolean(bool v) { return value(json(v)); }
  bool number_integer(json::number_integer_t v) { return value(json(v)); }
  bool number_unsigned(json::number_unsigned_t v) { return value(json(v)); }
  bool number_float(json::number_float_t v, const std::string&) { return value(json(v)); }
  bool string(std::string& v) { return value(json(std::move(v))); }
  bool binary(json::binary_t&) { return refuse("binary", "JSON text has no binary values"); }

  bool key(std::string& name) {
    Level& object = open_.back();
    const bool fresh = !object.value->contains(name);
    object.key = std::move(name);
    return fresh || refuse(object.key, "the key appears twice in one object");
  }

  bool start_object(std::size_t) { return open(json::object()); }
  bool start_array(std::size_t) { return open(json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool parse_error(std::size_t byte, const std::string& token, const nlohmann::detail::exception&) {
    return refuse(token, fmt::format("not JSON at byte {}", byte));
  }

  std::unexpected<Error> refused(std::string problem) {
    refuse("", std::move(problem));
    return std::unexpected(*std::move(error_));
  }

  Expected<json> result() && {
    if (error_) return std::unexpected(std::move(*error_));
    return std::move(root_);
  }

 private:
  // Puts the value where the document stands: into the open array, under the last key, or at the root.
  json* place(json v) {
    if (open_.empty()) {
      root_ = std::move(v);
      return &root_;
    }
    json& parent = *open_.back().value;
    if (parent.is_array()) {
      parent.push_back(std::move(v));
      return &parent.back();
    }
    return &(parent[open_.back().key] = std::move(v));
  }

  bool value(json v) {
    place(std::move(v));
    return true;
  }

  bool open(json container) {
    if (open_.size() == rules_.deepest) {
      return refuse(fmt::format("{} levels", rules_.deepest + 1),
                    fmt::format("nested deeper than the {} levels that this file needs", rules_.deepest));
    }
    open_.push_back({place(std::move(container)), {}});
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  // Where the document stands: "$.model.layers[2]".
  std::string path() const {
    std::string path = "$";
    for (const Level& level : open_) {
      if (level.value->is_array()) {
        const bool awaits = &level == &open_.back();  // else its last element is open
        path += fmt::format("[{}]", level.value->size() - (awaits ? 0 : 1));
      } else if (!level.key.empty()) {
        path += "." + level.key.substr(0, kLongestKey);
      }
    }
    return path;
  }

  bool refuse(std::string found, std::string problem) {
    const std::string field = rules_.field.empty() ? path() : rules_.field + " " + path();
    error_ = Error{rules_.subject, field, std::move(found), std::move(problem)};
    return false;
  }

  struct Level {
    json* value;
    std::string key;  // of an object: the one read last
  };

  const StrictJsonRules& rules_;
  json root_;
  std::vector<Level> open_;  // from the root to where the document stands; an element moves only while closed
  std::optional<Error> error_;
};

}  // namespace

Expected<json> parse_strict_json(std::string_view text, const StrictJsonRules& rules) {
  Builder builder(rules);
  // nlohmann's lexer takes the first NUL for the end of the text, and what follows it for nothing.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return builder.refused(fmt::format("not JSON at byte {}, a NUL", nul + 1));
  }
  json::sax_parse(text.begin(), text.end(), &builder);
  return std::move(builder).result();
}

}  // namespace pageproof
