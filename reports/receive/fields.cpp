#include "reports/receive/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace pageproof::receive_log {
namespace {

constexpr std::uint64_t kMostLayers = 65535;
constexpr std::uint64_t kMostWorkers = 64;  // a thread each
constexpr std::size_t kMostIds = std::size_t{1} << 20;

}  // namespace

std::uint64_t Fields::number(const char* name) {
  const nlohmann::json* value = find(name);
  if (value == nullptr) return 0;
  if (value->is_number_unsigned()) return value->get<std::uint64_t>();
  refuse(name, value->dump(), "not a whole number");
  return 0;
}

std::uint64_t Fields::number(const char* name, const Ids& of) {
  const std::uint64_t id = number(name);
  in_range(name, id, of);
  return id;
}

std::string Fields::text(const char* name) {
  const nlohmann::json* value = find(name);
  if (value == nullptr) return {};
  if (value->is_number_unsigned()) return value->dump();  // a request id may be a number
  if (value->is_string() && !value->get_ref<const std::string&>().empty()) return value->get<std::string>();
  refuse(name, value->dump(), value->is_string() ? "empty" : "no text");
  return {};
}

bool Fields::has(const char* name) const {
  return object_.contains(name);
}

bool Fields::flag(const char* name, bool otherwise) {
  if (!has(name)) return otherwise;
  const nlohmann::json& value = object_[name];
  if (value.is_boolean()) return value.get<bool>();
  refuse(name, value.dump(), "neither true nor false");
  return otherwise;
}

std::vector<std::uint64_t> Fields::ids(const char* name, bool optional, const Ids& of) {
  std::vector<std::uint64_t> all;
  if (optional && !has(name)) return all;
  const nlohmann::json* value = find(name);
  if (value == nullptr) return all;
  if (!value->is_array() || value->size() > kMostIds) {
    refuse(name, value->dump(), fmt::format("no list of at most 2^20 {}s", of.what));
    return all;
  }
  for (const nlohmann::json& one : *value) {
    if (!one.is_number_unsigned()) {
      refuse(name, one.dump(), fmt::format("no {}", of.what));
      return all;
    }
    all.push_back(one.get<std::uint64_t>());
    if (!in_range(name, all.back(), of)) return all;
  }
  std::vector<std::uint64_t> sorted = all;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
    refuse(name, std::to_string(*twice), "listed twice");
  }
  return all;
}

void Fields::refuse(const char* name, std::string value, std::string problem) {
  if (value.size() > kShownBytes) value = value.substr(0, kShownBytes) + "...";
  if (!error_) error_ = Error{where_, name, std::move(value), std::move(problem)};
}

const nlohmann::json* Fields::find(const char* name) {
  const auto found = object_.find(name);
  if (found != object_.end()) return &*found;
  refuse(name, "", "missing");
  return nullptr;
}

bool Fields::in_range(const char* name, std::uint64_t id, const Ids& of) {
  if (of.below == 0 || id < of.below) return true;
  refuse(name, std::to_string(id), fmt::format(fmt::runtime(of.beyond), of.below));
  return false;
}

namespace {

void read_setting(Fields& line, Event& event) {
  event.model_layers = line.number("layers");
  event.pool = line.number("blocks");
  event.fence = line.flag("fence_needed", false);
  if (line.has("workers")) event.workers = line.number("workers");
  if (event.workers > kMostWorkers) {
    line.refuse("workers", std::to_string(event.workers), fmt::format("not 0 to {}", kMostWorkers));
  }
  if (event.model_layers == 0 || event.model_layers > kMostLayers) {
    line.refuse("layers", std::to_string(event.model_layers), fmt::format("not 1 to {}", kMostLayers));
  }
}

// Either a layer or a list of them.
void read_layers(Fields& line, Event& event, const Ids& layer_ids) {
  if (line.has("layers")) {
    event.layers = line.ids("layers", false, layer_ids);
    if (line.has("layer")) line.refuse("layers", "", "beside a layer");
    if (event.layers.empty()) line.refuse("layers", "[]", "names no layer");
    return;
  }
  event.layers = {line.number("layer", layer_ids)};
}

void read_sync(Fields& line, Event& event) {
  if (line.has("name")) event.name = line.text("name");
  if (line.has("stream")) event.stream = line.text("stream");
  event.device = line.flag("device", false);
  if ((event.name.empty() ? 0 : 1) + (event.stream.empty() ? 0 : 1) + (event.device ? 1 : 0) != 1) {
    line.refuse("sync", "", "one of the name of an event, a stream, or device true");
  }
}

}  // namespace

void read_fields(Fields& line, Event& event, const Ids& block_ids, const Ids& layer_ids) {
  using enum Kind;
  switch (event.kind) {
    case setting:
      return read_setting(line, event);
    case record:
    case wait:
      event.name = line.text("name");
      event.stream = line.text("stream");
      return;
    case send:
    case receive:
      event.name = line.text("name");
      return;
    case sync:
      return read_sync(line, event);
    case fence:
      if (line.has("stream")) event.stream = line.text("stream");
      return;
    default:
      event.request = line.text("request");
      break;
  }
  const bool may_mean_all = event.kind == schedule || event.kind == recompute || event.kind == free;
  const bool no_blocks = event.kind == read_done || event.kind == read_failed || event.kind == report ||
                         event.kind == step_done || event.kind == notify;
  if (!no_blocks) event.blocks = line.ids("blocks", may_mean_all, block_ids);
  switch (event.kind) {
    case allocate:
      event.shared = line.ids("shared", true, block_ids);
      event.local = line.ids("local", true, block_ids);
      event.layers = line.ids("layers", true, layer_ids);
      event.convert = line.flag("convert", true);
      if (line.has("read")) event.read = line.flag("read", true);
      return;
    case post:
    case read_done:
    case read_failed:
      event.handle = line.number("handle");
      return;
    case convert:
      read_layers(line, event, layer_ids);
      break;
    case copy:
      event.from = line.ids("from", true, block_ids);
      if (!event.from.empty() && event.from.size() != event.blocks.size()) {
        line.refuse("from", std::to_string(event.from.size()),
                    fmt::format("not a source for each of the {} blocks", event.blocks.size()));
      }
      break;
    case report:
      event.ok = line.flag("ok", true);
      return;
    case step_done:
    case notify:
    case free:
      return;
    default:
      break;
  }
  event.stream = line.text("stream");
}

}  // namespace pageproof::receive_log
