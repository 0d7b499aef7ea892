#include "reports/page/fields.hpp"

#include <cmath>

#include "model/json/fields.hpp"

namespace pageproof::page {

void Node::refuse(std::string problem) const {
  if (refusal_->error) return;
  const std::string found = value_ == nullptr ? std::string() : shown(*value_);
  refusal_->error = Error{refusal_->document, path_, found, std::move(problem)};
}

bool Node::has(const char* key) const {
  if (refused() || value_ == nullptr || !value_->is_object()) return false;
  const auto found = value_->find(key);
  return found != value_->end() && !found->is_null();
}

Node Node::at(const char* key) const {
  const std::string path = path_ + "." + key;
  if (refused() || value_ == nullptr) return {nullptr, path, *refusal_};
  if (!value_->is_object()) {
    refuse("expected an object");
    return {nullptr, path, *refusal_};
  }
  const auto found = value_->find(key);
  const Node node(found == value_->end() ? nullptr : &*found, path, *refusal_);
  if (found == value_->end()) node.refuse("missing");
  return node;
}

std::vector<Node> Node::list(const char* key, std::size_t most) const {
  const Node node = at(key);
  if (refused()) return {};
  if (!node.value_->is_array()) {
    node.refuse("expected a list");
    return {};
  }
  if (node.value_->size() > most) {
    node.refuse(
        fmt::format("the page takes at most {} of these, the document has {}", most, node.value_->size()));
    return {};
  }
  std::vector<Node> out;
  for (std::size_t i = 0; i < node.value_->size(); ++i) {
    out.emplace_back(&(*node.value_)[i], fmt::format("{}[{}]", node.path_, i), *refusal_);
  }
  return out;
}

std::vector<Node> Node::list_or_none(const char* key, std::size_t most) const {
  return has(key) ? list(key, most) : std::vector<Node>();
}

std::vector<std::pair<std::string, Node>> Node::members(const char* key, std::size_t most) const {
  const Node node = at(key);
  if (refused()) return {};
  if (!node.value_->is_object()) {
    node.refuse("expected an object");
    return {};
  }
  if (node.value_->size() > most) {
    node.refuse(
        fmt::format("the page takes at most {} of these, the document has {}", most, node.value_->size()));
    return {};
  }
  std::vector<std::pair<std::string, Node>> out;
  for (const auto& [name, value] : node.value_->items()) {
    out.emplace_back(name, Node(&value, node.path_ + "." + name, *refusal_));
  }
  return out;
}

bool Node::is_text() const {
  return !refused() && value_ != nullptr && value_->is_string();
}

bool Node::is_null() const {
  return !refused() && value_ != nullptr && value_->is_null();
}

std::string Node::as_text() const {
  if (refused() || value_ == nullptr) return {};
  if (!value_->is_string()) {
    refuse("expected a string");
    return {};
  }
  return value_->get<std::string>();
}

double Node::as_number() const {
  if (refused() || value_ == nullptr) return 0;
  const double value = value_->is_number() ? value_->get<double>() : std::nan("");
  if (std::isfinite(value)) return value;
  refuse("expected a finite number");
  return 0;
}

std::uint64_t Node::as_count() const {
  if (refused() || value_ == nullptr) return 0;
  if (value_->is_number_unsigned()) return value_->get<std::uint64_t>();
  refuse("expected a whole number, not negative");
  return 0;
}

bool Node::as_flag() const {
  if (refused() || value_ == nullptr) return false;
  if (value_->is_boolean()) return value_->get<bool>();
  refuse("expected true or false");
  return false;
}

}  // namespace pageproof::page
