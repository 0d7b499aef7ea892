#include "reports/simulated/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace pageproof::simulated {
namespace {

enum Process : int { prefill = 1, link = 2, decoder = 3 };

class Trace {
 public:
  explicit Trace(std::uint64_t most) : most_(most) {}

  bool full() const { return events_ >= most_; }
  bool fits(std::uint64_t more) const { return events_ + more <= most_; }
  void name(const char* what, Process pid, std::uint64_t tid, std::string_view name) {
    event("{{\"ph\": \"M\", \"name\": \"{}\", \"pid\": {}, \"tid\": {}, \"args\": {{\"name\": \"{}\"}}}}",
          what, static_cast<int>(pid), tid, name);
  }
  void slice(Process pid, std::uint64_t tid, const std::string& name, double start, double seconds) {
    event("{{\"ph\": \"X\", \"name\": \"{}\", \"pid\": {}, \"tid\": {}, \"ts\": {:.3f}, \"dur\": {:.3f}}}",
          name, static_cast<int>(pid), tid, start * 1e6, seconds * 1e6);
  }
  void flow(const char* phase, Process pid, std::uint64_t tid, std::uint64_t id, double at) {
    event(
        "{{\"ph\": \"{}\", \"name\": \"request\", \"cat\": \"request\", \"id\": {}, \"pid\": {}, \"tid\": "
        "{}, "
        "\"ts\": {:.3f}{}}}",
        phase, id, static_cast<int>(pid), tid, at * 1e6, *phase == 'f' ? ", \"bp\": \"e\"" : "");
  }
  void counter(Process pid, const char* name, double at, double value) {
    event("{{\"ph\": \"C\", \"name\": \"{}\", \"pid\": {}, \"ts\": {:.3f}, \"args\": {{\"value\": {}}}}}",
          name, static_cast<int>(pid), at * 1e6, value);
  }
  std::string done() && { return "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n" + out_ + "\n]}\n"; }

 private:
  template <class... Values>
  void event(fmt::format_string<Values...> form, Values&&... values) {
    if (full()) return;
    if (events_++ > 0) out_ += ",\n";
    fmt::format_to(std::back_inserter(out_), form, std::forward<Values>(values)...);
  }
  std::uint64_t most_;
  std::uint64_t events_ = 0;
  std::string out_;
};

// Lanes so that no two slices of one lane overlap: requests in order of their beginning, each in the first
// free one.
class Lanes {
 public:
  std::uint64_t lane(double begin, double end) {
    const auto free = std::ranges::find_if(until_, [&](double until) { return until <= begin; });
    if (free == until_.end()) {
      until_.push_back(end);
      return until_.size() - 1;
    }
    *free = end;
    return static_cast<std::uint64_t>(free - until_.begin());
  }

 private:
  std::vector<double> until_;
};

}  // namespace

std::string chrome_trace(const serving::Simulation& run, const serving::Cell& cell, std::uint64_t most) {
  constexpr std::uint64_t kOfRequest = 7, kOfStep = 3;
  Trace trace(std::min(most, kMostTimelineEvents));
  trace.name("process_name", prefill, 0, "prefill");
  trace.name("process_name", link, 0, "link");
  trace.name("process_name", decoder, 0, fmt::format("decoder, setup {}", cell.setup.name));
  // Half of the events go to requests, in the order in which they come; the rest to steps.
  std::uint64_t shown = 0;
  double until = 0;
  Lanes servers, reads;
  for (const serving::RequestRecord& one : run.requests) {
    if (!trace.fits(2 * kOfRequest + (shown * kOfRequest))) break;
    const std::string name = fmt::format("request {}", shown);
    const std::uint64_t server = servers.lane(one.prefill_start, one.prefill_end);
    const std::uint64_t lane = reads.lane(one.read_start, one.read_end);
    trace.slice(prefill, server, name, one.prefill_start, one.prefill_end - one.prefill_start);
    trace.slice(link, lane, name + " posting", one.read_start, one.read_posted - one.read_start);
    trace.slice(link, lane, name + " bytes", one.read_posted, one.read_end - one.read_posted);
    trace.flow("s", prefill, server, shown, one.prefill_start);
    trace.flow("t", link, lane, shown, one.read_posted);
    trace.flow("f", decoder, one.decoder, shown, one.first_token - (one.first_token - one.joined) / 2);
    if (one.converted > one.noticed) {
      trace.slice(decoder, 1000 + one.decoder, "convert " + name, one.noticed, one.converted - one.noticed);
    }
    until = std::max(until, one.first_token);
    ++shown;
  }
  for (std::size_t number = 0; number < run.kept.size(); ++number) {
    for (const serving::StepRecord& step : run.kept[number]) {
      if (step.start > until || !trace.fits(kOfStep)) break;
      if (step.conversion > 0) trace.slice(decoder, number, "convert", step.start, step.conversion);
      trace.slice(decoder, number, fmt::format("decode B{}", step.batch), step.start + step.conversion,
                  step.seconds - step.conversion);
      trace.counter(decoder, run.kept.size() == 1 ? "running" : fmt::format("running {}", number).c_str(),
                    step.start, step.batch);
    }
  }
  return std::move(trace).done();
}

}  // namespace pageproof::simulated
