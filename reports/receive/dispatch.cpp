// Whom a line is about, and what is done with it.
#include <fmt/format.h>

#include "reports/receive/checker.hpp"

namespace pageproof::receive_log {
namespace {

// Other lines may carry a request; it says nothing there.
bool names_a_request(Kind kind) {
  return kind != Kind::setting && kind != Kind::record && kind != Kind::wait && kind != Kind::sync &&
         kind != Kind::fence && kind != Kind::send && kind != Kind::receive;
}

}  // namespace

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
  if (refused) return refused;
  if (!usable) {
    follow(event, found->second);
    return {};
  }
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
      if (step_ends(request)) return {};
      return refuse(event, "request", event.request, "has no step on the device");
    case Kind::notify:
      return notify(event, request);
    case Kind::free:
      return free_blocks(event, request);
    default:
      return {};
  }
}

}  // namespace pageproof::receive_log
