#include "reports/receive/event.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "model/json/strict_json.hpp"
#include "reports/receive/fields.hpp"

namespace pageproof::receive_log {
namespace {

constexpr std::array<std::string_view, 21> kNames{
    "setting",   "allocate", "zero",      "copy",   "post", "read_done", "read_failed",
    "fence",     "digest",   "convert",   "record", "wait", "sync",      "report",
    "recompute", "schedule", "step_done", "notify", "free", "send",      "receive"};
constexpr std::size_t kMostBytes = std::size_t{1} << 24;  // of a line
constexpr std::size_t kDeepest = 4;

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
    read_fields(fields, event, {"block id", pool_, "beyond the pool of {} blocks"},
                {"layer", layers_, "beyond {} layers"});
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
