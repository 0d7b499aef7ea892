#include "reports/receive/event.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "model/json/strict_json.hpp"

namespace pageproof::receive_log {
namespace {

constexpr std::array<std::string_view, 21> kNames{
    "setting",   "allocate", "zero",      "copy",   "post", "read_done", "read_failed",
    "fence",     "digest",   "convert",   "record", "wait", "sync",      "report",
    "recompute", "schedule", "step_done", "notify", "free", "send",      "receive"};
constexpr std::uint64_t kMostLayers = 65535;
constexpr std::size_t kMostBlocks = std::size_t{1} << 20;
constexpr std::size_t kShownBytes = 160;
constexpr std::size_t kMostBytes = std::size_t{1} << 24;  // of a line
constexpr std::size_t kDeepest = 4;

// Fields of one line; the first refusal stays.
class Fields {
 public:
  Fields(const nlohmann::json& object, std::string where) : object_(object), where_(std::move(where)) {}

  std::uint64_t number(const char* name) {
    const nlohmann::json* value = find(name);
    if (value == nullptr) return 0;
    if (value->is_number_unsigned()) return value->get<std::uint64_t>();
    refuse(name, value->dump(), "not a whole number");
    return 0;
  }
  std::string text(const char* name) {
    const nlohmann::json* value = find(name);
    if (value == nullptr) return {};
    if (value->is_string()) return value->get<std::string>();
    if (value->is_number_unsigned()) return value->dump();  // a request id may be a number
    refuse(name, value->dump(), "no text");
    return {};
  }
  bool has(const char* name) const { return object_.contains(name); }
  bool flag(const char* name, bool otherwise) {
    if (!object_.contains(name)) return otherwise;
    const nlohmann::json& value = object_[name];
    if (value.is_boolean()) return value.get<bool>();
    refuse(name, value.dump(), "neither true nor false");
    return otherwise;
  }
  // Ids below a bound: of blocks or of layers, each once.
  struct Ids {
    const char* what;
    std::uint64_t below;
    const char* beyond;  // "the pool of {} blocks"
  };
  std::vector<std::uint64_t> ids(const char* name, bool optional, const Ids& of) {
    std::vector<std::uint64_t> all;
    if (optional && !object_.contains(name)) return all;
    const nlohmann::json* value = find(name);
    if (value == nullptr) return all;
    if (!value->is_array() || value->size() > kMostBlocks) {
      refuse(name, value->dump(), fmt::format("no list of at most 2^20 {}s", of.what));
      return all;
    }
    for (const nlohmann::json& one : *value) {
      if (!one.is_number_unsigned()) {
        refuse(name, one.dump(), fmt::format("no {}", of.what));
        return all;
      }
      all.push_back(one.get<std::uint64_t>());
      if (all.back() >= of.below) {
        refuse(name, one.dump(), fmt::format(fmt::runtime(of.beyond), of.below));
        return all;
      }
    }
    std::vector<std::uint64_t> sorted = all;
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
      refuse(name, std::to_string(*twice), "listed twice");
    }
    return all;
  }
  void refuse(const char* name, std::string value, std::string problem) {
    if (value.size() > kShownBytes) value = value.substr(0, kShownBytes) + "...";
    if (!error_) error_ = Error{where_, name, std::move(value), std::move(problem)};
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  const nlohmann::json* find(const char* name) {
    const auto found = object_.find(name);
    if (found != object_.end()) return &*found;
    refuse(name, "", "missing");
    return nullptr;
  }

  const nlohmann::json& object_;
  std::string where_;
  std::optional<Error> error_;
};

void read_setting(Fields& line, Event& event) {
  event.model_layers = line.number("layers");
  event.pool = line.number("blocks");
  event.fence = line.flag("fence_needed", false);
  if (line.has("workers")) event.workers = line.number("workers");
  if (event.model_layers == 0 || event.model_layers > kMostLayers) {
    line.refuse("layers", std::to_string(event.model_layers), fmt::format("not 1 to {}", kMostLayers));
  }
}

// Either a layer or a list of them.
void read_layers(Fields& line, Event& event, const Fields::Ids& layer_ids) {
  if (line.has("layers")) {
    event.layers = line.ids("layers", false, layer_ids);
    if (line.has("layer")) line.refuse("layers", "", "beside a layer");
    if (event.layers.empty()) line.refuse("layers", "[]", "names no layer");
    return;
  }
  event.layers = {line.number("layer")};
  if (event.layers.front() < layer_ids.below) return;
  line.refuse("layer", std::to_string(event.layers.front()),
              fmt::format(fmt::runtime(layer_ids.beyond), layer_ids.below));
}

void read_sync(Fields& line, Event& event) {
  if (line.has("name")) event.name = line.text("name");
  if (line.has("stream")) event.stream = line.text("stream");
  event.device = line.flag("device", false);
  if ((event.name.empty() ? 0 : 1) + (event.stream.empty() ? 0 : 1) + (event.device ? 1 : 0) != 1) {
    line.refuse("sync", "", "one of the name of an event, a stream, or device true");
  }
}

void read_fields(Fields& line, Event& event, const Fields::Ids& block_ids, const Fields::Ids& layer_ids) {
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

}  // namespace

std::string_view to_string(Kind kind) {
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<Line> Reader::next() {
  std::string_view here;
  bool whole = true;
  do {
    if (rest_.empty()) return {};
    const std::size_t end = rest_.find('\n');
    whole = end != std::string_view::npos;
    here = rest_.substr(0, end);
    rest_.remove_prefix(whole ? end + 1 : rest_.size());
    ++number_;
  } while (here.find_first_not_of(" \t\r") == std::string_view::npos);

  const std::string where = fmt::format("{}: line {}", subject_, number_);
  Line line{.event = {.line = number_}};
  const auto unread = [&](Error error) {
    line.refused = std::move(error);
    line.usable = false;
    line.no_object = true;
    return line;
  };
  if (here.size() > kMostBytes) {
    return unread({where, "", fmt::format("{} bytes", here.size()), "longer than 2^24 bytes"});
  }
  const auto json = parse_strict_json(here, {.subject = where, .field = "", .deepest = kDeepest});
  if (!whole && (!json || !json->is_object())) {
    truncated_ = Error{where, "", std::string(here.substr(0, 40)), "the last line has no end: left out"};
    return {};
  }
  if (!json) return unread(json.error());
  if (!json->is_object()) return unread({where, "", std::string(here.substr(0, 40)), "no JSON object"});

  Fields fields(*json, where);
  Event& event = line.event;
  // Also where the line is refused: whom it is about.
  if (const auto request = json->find("request"); request != json->end()) {
    if (request->is_string() || request->is_number_unsigned()) event.request = fields.text("request");
  }
  event.time = fields.number("time");
  const bool timed = !fields.error();
  const std::string name = fields.text("event");
  const auto kind = std::ranges::find(kNames, name);
  if (kind == kNames.end()) {
    fields.refuse("event", name, "no such event");
  } else {
    event.kind = static_cast<Kind>(kind - kNames.begin());
    read_fields(fields, event, {"block id", pool_ == 0 ? UINT64_MAX : pool_, "beyond the pool of {} blocks"},
                {"layer", layers_ == 0 ? UINT64_MAX : layers_, "beyond {} layers"});
  }
  if (fields.has("thread")) event.thread = fields.text("thread");
  line.usable = !fields.error();
  if (timed && event.time < time_) {
    fields.refuse("time", std::to_string(event.time), fmt::format("before {}, time goes backwards", time_));
  }
  if (timed) time_ = event.time;
  if (line.usable && event.kind == Kind::setting) {
    pool_ = event.pool;
    layers_ = event.model_layers;
  }
  line.refused = fields.error();
  return line;
}

std::string text_of_line(std::string_view text, std::size_t number) {
  for (; number > 1 && !text.empty(); --number) {
    const std::size_t end = text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return std::string(text.substr(0, std::min(text.find('\n'), kShownBytes)));
}

}  // namespace pageproof::receive_log
