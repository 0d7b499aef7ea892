#include "reports/receive/check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/receive/checker.hpp"

namespace pageproof::receive_log {

namespace {

// Other lines may carry a request; it says nothing there.
bool names_a_request(Kind kind) {
  return kind != Kind::setting && kind != Kind::record && kind != Kind::wait && kind != Kind::sync &&
         kind != Kind::fence && kind != Kind::send && kind != Kind::receive;
}

}  // namespace

Checked Checker::run(std::string_view text) {
  Reader reader(text, subject_);
  while (const std::optional<Line> line = reader.next()) {
    std::optional<Error> refused = line->refused;
    bool usable = line->usable;
    if (usable) {
      ++checked_.events;
      if (auto also = one(line->event)) {
        refused = std::move(also);
        usable = false;
      }
    }
    if (refused) {
      ++checked_.refused_lines;
      if (checked_.refused.size() < kShownRefusals) checked_.refused.push_back(*std::move(refused));
    }
    if (usable) continue;
    if (unread_ == 0) unread_ = line->event.line;
    nobody_known_ = nobody_known_ || line->no_object;
    if (!line->event.request.empty()) doubt(line->event.request);
  }
  checked_.truncated = reader.truncated();
  sum_up();
  return std::move(checked_);
}

void Checker::sum_up() {
  const auto add = [](Open& open, std::size_t line) {
    open.line = open.count == 0 ? line : std::min(open.line, line);
    ++open.count;
  };
  checked_.doubted = doubted_.size();
  for (const auto& [id, request] : requests_) {
    add(checked_.unfreed, request.allocated.line);
    for (const auto& [handle, read] : request.outstanding) add(checked_.unended, read.post.line);
  }
  for (const auto& [id, freed] : freed_) {
    if (freed.awaited_reads && !freed.told) add(checked_.untold, freed.allocated_line);
  }
}

Checker::Refused Checker::refuse(const Event& event, const char* field, std::string value,
                                 std::string problem) const {
  return Error{fmt::format("{}: line {}", subject_, event.line), field, std::move(value), std::move(problem)};
}

void Checker::breaks(const Named& rule, const Event& event, std::string what, std::vector<std::size_t> lines,
                     std::string missing_edge) {
  if (checked_.broken) return;
  lines.push_back(event.line);
  std::ranges::sort(lines);
  lines.erase(std::ranges::unique(lines).begin(), lines.end());
  checked_.broken = Broken{std::string(rule.name),
                           std::string(rule.claim),
                           fmt::format("request {}: {}", event.request, std::move(what)),
                           std::move(missing_edge),
                           std::move(lines),
                           unread_};
}

std::string Checker::missing(const Touch& first, const Event& event, std::string_view how) const {
  return fmt::format("line {} ({}) before line {} ({}): {}", first.line, to_string(first.kind), event.line,
                     to_string(event.kind), how);
}

// What it holds is free for others, and its blocks hold nobody knows what.
void Checker::doubt(const std::string& id) {
  doubted_.insert(id);
  freed_.erase(id);
  const auto found = requests_.find(id);
  if (found == requests_.end()) return;
  for (const auto& [number, given] : found->second.given) {
    Block& block = blocks_[number];
    block.holders.erase(id);
    if (given.own) block = Block{.holders = std::move(block.holders), .unknown = true};
  }
  requests_.erase(found);
}

Checker::Refused Checker::one(const Event& event) {
  if (layers_ == 0 && event.kind != Kind::setting) {
    if (unset_ || unread_ != 0) {  // the line that could not be used may be the setting
      unset_ = true;
      return {};
    }
    unset_ = true;
    return refuse(event, "event", std::string(to_string(event.kind)),
                  "before any setting: the first line says the layers; no rule can be judged");
  }
  if (!order_.on_thread(event.thread)) {
    return refuse(event, "thread", event.thread,
                  fmt::format("more than {} threads and streams", kMostChains));
  }
  if (!event.stream.empty() && event.kind != Kind::sync && !order_.knows(event.stream)) {
    return refuse(event, "stream", event.stream,
                  fmt::format("more than {} threads and streams", kMostChains));
  }
  if (event.kind == Kind::allocate) return allocate(event);
  return names_a_request(event.kind) ? of_request(event) : of_nobody(event);
}

Checker::Refused Checker::of_nobody(const Event& event) {
  constexpr const char* kNoEvent = "no event of this name was recorded before";
  switch (event.kind) {
    case Kind::setting:
      if (layers_ != 0 || unset_) return refuse(event, "event", "setting", "stands in the first line only");
      layers_ = event.model_layers;
      workers_ = event.workers;
      fence_needed_ = event.fence;
      return {};
    case Kind::record:
      order_.record(event.name, event.stream);
      return {};
    case Kind::wait:
      if (!order_.wait(event.name, event.stream)) return refuse(event, "name", event.name, kNoEvent);
      return {};
    case Kind::sync:
      if (event.device) order_.sync_device();
      if (!event.name.empty() && !order_.sync_event(event.name)) {
        return refuse(event, "name", event.name, kNoEvent);
      }
      if (!event.stream.empty() && !order_.sync_stream(event.stream)) {
        return refuse(event, "stream", event.stream, "nothing was enqueued on it before");
      }
      return {};
    case Kind::fence:
      fence(event);
      return {};
    case Kind::send:
      order_.send(event.name);
      return {};
    case Kind::receive:
      if (order_.receive(event.name)) return {};
      return refuse(event, "name", event.name,
                    "no message of this name was sent before: do the clocks differ?");
    default:
      return {};
  }
}

Checker::Refused Checker::of_request(const Event& event) {
  if (doubted_.contains(event.request)) return {};
  const auto found = requests_.find(event.request);
  if (found == requests_.end()) {
    if (const auto freed = freed_.find(event.request); freed != freed_.end()) {
      return behind_free(event, freed->second);
    }
    if (nobody_known_) {  // its allocation may be what could not be read
      doubted_.insert(event.request);
      return {};
    }
    return refuse(event, "request", event.request, "was never allocated");
  }
  bool usable = true;
  Refused refused = know_blocks(event, found->second, usable);
  if (refused || !usable) return refused;
  return dispatch(event, found->second);
}

Checker::Refused Checker::dispatch(const Event& event, Request& request) {
  switch (event.kind) {
    case Kind::zero:
    case Kind::copy:
      return overwrite(event, request);
    case Kind::digest:
      return digest(event, request);
    case Kind::post:
      return post(event, request);
    case Kind::read_done:
    case Kind::read_failed:
      return read_ends(event, request);
    case Kind::convert:
      return convert(event, request);
    case Kind::report:
      return report(event, request);
    case Kind::recompute:
      return recompute(event, request);
    case Kind::schedule:
      return schedule(event, request);
    case Kind::step_done:
      if (request.steps.empty()) {
        return refuse(event, "request", event.request, "has no step on the device");
      }
      order_.thread_after(request.steps.front().node);
      request.steps.pop_front();
      return {};
    case Kind::notify:
      return notify(event, request);
    case Kind::free:
      return free_blocks(event, request);
    default:
      return {};
  }
}

Checked check_log(std::string_view text, const std::string& subject) {
  return Checker(subject).run(text);
}

}  // namespace pageproof::receive_log
