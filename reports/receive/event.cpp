#include "reports/receive/event.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "model/json/strict_json.hpp"

namespace pageproof::receive_log {
namespace {

constexpr std::array<std::string_view, 19> kNames{"setting",   "allocate",    "zero",   "copy",   "post",
                                                  "read_done", "read_failed", "fence",  "digest", "convert",
                                                  "record",    "wait",        "sync",   "report", "recompute",
                                                  "schedule",  "step_done",   "notify", "free"};
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
  bool flag(const char* name, bool otherwise) {
    if (!object_.contains(name)) return otherwise;
    const nlohmann::json& value = object_[name];
    if (value.is_boolean()) return value.get<bool>();
    refuse(name, value.dump(), "neither true nor false");
    return otherwise;
  }
  std::vector<std::uint64_t> numbers(const char* name, bool optional, std::uint64_t below) {
    std::vector<std::uint64_t> all;
    if (optional && !object_.contains(name)) return all;
    const nlohmann::json* value = find(name);
    if (value == nullptr) return all;
    if (!value->is_array() || value->size() > kMostBlocks) {
      refuse(name, value->dump(), "no list of at most 2^20 block ids");
      return all;
    }
    for (const nlohmann::json& one : *value) {
      if (!one.is_number_unsigned()) {
        refuse(name, one.dump(), "no block id");
        return all;
      }
      all.push_back(one.get<std::uint64_t>());
      if (all.back() >= below) {
        refuse(name, one.dump(), fmt::format("beyond the pool of {} blocks", below));
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

void read_fields(Fields& line, Event& event, std::uint64_t pool) {
  const std::uint64_t below = pool == 0 ? UINT64_MAX : pool;
  if (event.kind == Kind::setting) {
    event.layers = line.number("layers");
    event.pool = line.number("blocks");
    event.fence = line.flag("fence_needed", false);
    if (event.layers == 0 || event.layers > 65535) {
      line.refuse("layers", std::to_string(event.layers), "not 1 to 65535");
    }
    return;
  }
  const bool of_a_stream = event.kind == Kind::record || event.kind == Kind::wait ||
                           event.kind == Kind::sync || event.kind == Kind::fence;
  if (!of_a_stream) event.request = line.text("request");
  switch (event.kind) {
    case Kind::allocate:
      event.blocks = line.numbers("blocks", false, below);
      event.shared = line.numbers("shared", true, below);
      event.convert = line.flag("convert", true);
      break;
    case Kind::zero:
    case Kind::copy:
    case Kind::digest:
      event.blocks = line.numbers("blocks", false, below);
      event.stream = line.text("stream");
      break;
    case Kind::post:
      event.handle = line.number("handle");
      event.blocks = line.numbers("blocks", false, below);
      break;
    case Kind::read_done:
    case Kind::read_failed:
      event.handle = line.number("handle");
      break;
    case Kind::convert:
      event.blocks = line.numbers("blocks", false, below);
      event.layer = line.number("layer");
      event.stream = line.text("stream");
      break;
    case Kind::record:
    case Kind::wait:
      event.name = line.text("name");
      event.stream = line.text("stream");
      break;
    default:
      break;
  }
  const auto optional_text = [&](const char* name, bool wanted, std::string& place) {
    if (wanted) place = line.text(name);
  };
  optional_text("stream", event.kind == Kind::schedule || event.kind == Kind::recompute, event.stream);
  if (event.kind == Kind::schedule || event.kind == Kind::free)
    event.blocks = line.numbers("blocks", true, below);
  if (event.kind == Kind::report) event.ok = line.flag("ok", true);
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
    read_fields(fields, event, pool_);
    if (event.kind == Kind::sync) {
      if (json->contains("name")) event.name = fields.text("name");
      if (json->contains("stream")) event.stream = fields.text("stream");
      if (event.name.empty() == event.stream.empty()) {
        fields.refuse("sync", "", "either the name of an event or a stream");
      }
    }
    if (event.kind == Kind::fence && json->contains("stream")) event.stream = fields.text("stream");
  }
  line.usable = !fields.error();
  if (timed && event.time < time_) {
    fields.refuse("time", std::to_string(event.time), fmt::format("before {}, time goes backwards", time_));
  }
  if (timed) time_ = event.time;
  if (line.usable && event.kind == Kind::setting) pool_ = event.pool;
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
