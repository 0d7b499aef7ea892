// The event log of a connector: one JSON object a line. Lines of one thread stand in the order in which it
// wrote them; what orders the lines of one thread behind those of another is a message between them (send,
// receive). Which line says what, and where to write it: docs/receive.md.
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
  allocate,     // blocks to fill, blocks shared with others; also further ones of a request that has some
  zero,         // a kernel that zeroes blocks, enqueued on a stream
  copy,         // a kernel that fills blocks from others here (partial reuse), enqueued on a stream
  post,         // a READ of some blocks
  read_done,    // a handle was seen DONE
  read_failed,  // a handle was seen bad, or could not be posted
  fence,        // makes received bytes visible to kernels that are enqueued behind it
  digest,       // a kernel that reads blocks for a digest which the sender's is compared with
  convert,      // a conversion of one layer, enqueued on a stream
  record,       // an event, recorded on a stream
  wait,         // a stream waits for an event
  sync,         // this thread waits for an event, for a stream or for the device
  report,       // the request is reported: ok or failed
  recompute,    // the prompt is computed here: a step, enqueued on a stream
  schedule,     // a decode step of the request, enqueued on a stream
  step_done,    // that step is known to have ended
  notify,       // the prefill is told that its pages may go
  free,         // the request's blocks, or some that no step reads any more, go back to the pool
  send,         // a message to another thread or process
  receive,      // and its receipt: what follows is behind what came before the send
};
std::string_view to_string(Kind kind);

struct Event {
  std::size_t line = 0;  // from 1
  std::uint64_t time = 0;
  Kind kind = Kind::setting;
  std::string thread = {};  // who writes the line; one thread where no line says
  std::string request = {};
  std::vector<std::uint64_t> blocks = {};  // of schedule, recompute and free: empty where all are meant
  std::vector<std::uint64_t> shared = {};  // allocate: filled by others of the log
  std::vector<std::uint64_t> local = {};   // allocate: filled by this engine, and the log does not show how
  std::vector<std::uint64_t> from = {};    // copy: a source for each of the blocks, or empty
  std::vector<std::uint64_t> layers = {};  // convert: which; allocate: those that the blocks hold, empty: all
  std::uint64_t handle = 0;
  std::string stream = {};
  std::string name = {};           // of an event or a message
  bool ok = true;                  // report
  bool convert = true;             // allocate: what lands has to be converted
  std::optional<bool> read = {};   // allocate: the blocks are filled by READs
  bool device = false;             // sync: every stream
  std::uint64_t model_layers = 0;  // setting
  std::uint64_t pool = 0;
  std::uint64_t workers = 0;  // whose reports the log has; 0: unknown
  bool fence = false;         // setting: a kernel sees received bytes behind a fence only
};

struct Line {
  Event event;
  // File, line, field and value, where something is wrong: no JSON object, an unknown event, a field missing
  // or of another type, a block beyond the pool, a layer beyond the model's, more than 2^20 blocks, more than
  // 2^24 bytes, time going backwards.
  std::optional<Error> refused = {};
  bool usable = true;      // false: the event is not to be used. Time that goes backwards leaves it usable
  bool no_object = false;  // whom it is about cannot be known
};

// Goes through a log line by line; nothing is kept of the lines before.
class Reader {
 public:
  Reader(std::string_view text, std::string subject) : rest_(text), subject_(std::move(subject)) {}

  std::optional<Line> next();  // nullopt: the end
  // A last line that is cut in the middle, as a killed process leaves it; next() leaves it out.
  const std::optional<Error>& truncated() const { return truncated_; }

 private:
  std::string_view rest_;
  std::string subject_;
  std::size_t number_ = 0;
  std::uint64_t time_ = 0;
  std::uint64_t pool_ = 0;
  std::uint64_t layers_ = 0;
  std::optional<Error> truncated_;
};

// A line's text by its number, from 1, cut for a report.
std::string text_of_line(std::string_view text, std::size_t number);

}  // namespace pageproof::receive_log
