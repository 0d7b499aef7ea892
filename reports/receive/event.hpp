// The event log of a connector: one JSON object a line, in the order in which the worker's thread wrote them.
// Which line says what, and where to write it: docs/receive.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/page/plain/error.hpp"

namespace pageproof::receive_log {

enum class Kind : std::uint8_t {
  setting,      // layers of the model, blocks of the pool; whether received bytes need a fence
  allocate,     // blocks to fill, blocks shared with others
  zero,         // a kernel that zeroes blocks, enqueued on a stream
  post,         // a READ of some blocks
  read_done,    // a handle was seen DONE
  read_failed,  // a handle was seen bad, or could not be posted
  fence,        // makes received bytes visible to kernels that are enqueued behind it
  convert,      // a conversion of one layer, enqueued on a stream
  record,       // an event, recorded on a stream
  wait,         // a stream waits for an event
  sync,         // this thread waits for an event or for a stream
  report,       // the request is reported: ok or failed
  recompute,    // the prompt is computed here instead: a step, enqueued on a stream
  schedule,     // a decode step of the request, enqueued on a stream
  step_done,    // that step is known to have ended
  notify,       // the prefill is told that its pages may go
  free,         // the request's blocks go back to the pool
};
std::string_view to_string(Kind kind);

struct Event {
  std::size_t line = 0;  // from 1
  std::uint64_t time = 0;
  Kind kind = Kind::setting;
  std::string request = {};
  std::vector<std::uint64_t> blocks = {};
  std::vector<std::uint64_t> shared = {};
  std::uint64_t handle = 0;
  std::uint64_t layer = 0;
  std::string stream = {};
  std::string name = {};  // of an event
  bool ok = true;         // report
  bool convert = true;    // allocate: what lands has to be converted
  std::uint64_t layers = 0;
  std::uint64_t pool = 0;
  bool fence = false;     // setting: a kernel sees received bytes behind a fence only
  std::string text = {};  // the line, cut for a report
};

struct Log {
  std::vector<Event> events;
  std::optional<Error> truncated = {};  // a last line without its end: the others are here
};

// Refused, naming line, field and value: what is no JSON object, an unknown event, a field missing or of
// another type, time going backwards, a block beyond the pool, more than 2^20 blocks in a line.
Expected<Log> read_log(std::string_view text, const std::string& subject);

}  // namespace pageproof::receive_log
