#include "fuzz/receive/trace.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

namespace pageproof::fuzz_receive {
namespace {

using nlohmann::ordered_json;
using rx::Step;

// Rows of the picture.
constexpr int kTransport = 1;
constexpr int kDevice = 2;
constexpr int kFirstRequest = 10;

int row_of_step(Step step, std::uint16_t slot) {
  switch (step) {
    case Step::read_ends:
    case Step::read_fails:
    case Step::tell_prefill:
    case Step::tell_abort:
    case Step::notice_dropped:
    case Step::lease_expires:
      return kTransport;
    case Step::zero_runs:
    case Step::retire_layer:
    case Step::decode_runs:
    case Step::decode_retires:
      return kDevice;
    default:
      return kFirstRequest + slot;
  }
}

ordered_json named_row(int row, const std::string& name) {
  return {{"ph", "M"}, {"pid", 1}, {"tid", row}, {"name", "thread_name"}, {"args", {{"name", name}}}};
}

}  // namespace

std::string chrome_trace(const std::vector<Record>& records, const WorldOptions& options) {
  ordered_json events = ordered_json::array();
  events.push_back(named_row(kTransport, "transport"));
  events.push_back(named_row(kDevice, "device"));
  for (std::uint32_t slot = 0; slot < options.slots; ++slot) {
    events.push_back(named_row(kFirstRequest + static_cast<int>(slot), fmt::format("slot {}", slot)));
  }
  World world(options);
  std::map<std::uint16_t, std::uint64_t> arrived;
  std::uint64_t time = 0;
  for (const Record& record : records) {
    if (!world.apply(record)) continue;
    ++time;
    if (record.arrival) {
      arrived[record.slot] = time;
      continue;
    }
    const ordered_json arguments = {{"request", record.request},
                                    {"phase", rx::phase_name(world.request(record.slot).life.phase)}};
    if (record.step == Step::forward) continue;
    events.push_back({{"ph", "X"},
                      {"pid", 1},
                      {"tid", row_of_step(record.step, record.slot)},
                      {"ts", time},
                      {"dur", 1},
                      {"name", fmt::format("{} {}", rx::to_string(record.step), record.request)},
                      {"args", arguments}});
    if (record.step != Step::end) continue;
    events.push_back({{"ph", "X"},
                      {"pid", 1},
                      {"tid", kFirstRequest + record.slot},
                      {"ts", arrived[record.slot]},
                      {"dur", time - arrived[record.slot]},
                      {"name", fmt::format("request {}", record.request)},
                      {"args", arguments}});
  }
  return ordered_json({{"traceEvents", events}, {"displayTimeUnit", "ms"}}).dump();
}

std::string event_log(const std::vector<Record>& records, const WorldOptions& options) {
  std::string text = fmt::format("{{\"time\":0,\"event\":\"setting\",\"layers\":{},\"blocks\":{}}}\n",
                                 options.layers, options.blocks);
  const char* stream = options.side ? "convert" : "main";
  World world(options);
  std::uint64_t time = 0;
  const auto line = [&](const char* event, std::uint32_t request, ordered_json more) {
    ordered_json object = {{"time", time}, {"event", event}, {"request", std::to_string(request)}};
    object.update(more);
    text += object.dump() + "\n";
  };
  for (const Record& record : records) {
    std::uint16_t handle = 0;
    const World::Request& request = world.request(record.slot);
    if ((record.step == Step::read_ends || record.step == Step::read_fails) && !record.arrival &&
        !request.outstanding.empty()) {
      handle = request.outstanding[record.handle % request.outstanding.size()];
    }
    const rx::Life<int> before = request.life;
    if (!world.apply(record) || record.arrival) continue;
    ++time;
    const std::string event = fmt::format("converted {}", record.request);
    switch (record.step) {
      case Step::allocate:
        line("allocate", record.request,
             {{"blocks", request.own},
              {"shared", request.shared},
              {"convert", before.verdict == rx::kConvert}});
        if (!request.own.empty()) {
          line("zero", record.request, {{"blocks", request.own}, {"stream", "zero"}});
        }
        break;
      case Step::zero_runs:
        if (!request.own.empty()) line("sync", record.request, {{"stream", "zero"}});
        break;
      case Step::post_read:
        line("post", record.request, {{"handle", before.posted}, {"blocks", request.own}});
        break;
      case Step::read_ends:
        line("read_done", record.request, {{"handle", handle}});
        break;
      case Step::read_fails:
        line("read_failed", record.request, {{"handle", handle}});
        break;
      case Step::launch_layer:
        line("convert", record.request,
             {{"blocks", request.own}, {"layer", before.launched}, {"stream", stream}});
        break;
      case Step::record_event:
        if (options.side) line("record", record.request, {{"name", event}, {"stream", stream}});
        break;
      case Step::report:
        if (options.side) line("sync", record.request, {{"name", event}});
        line("report", record.request, {{"ok", true}});
        break;
      case Step::use_as_landed:
        line("report", record.request, {{"ok", true}});
        break;
      case Step::report_failure:
        line("report", record.request, {{"ok", false}});
        break;
      case Step::recompute:
        line("recompute", record.request, {{"stream", "main"}});
        break;
      case Step::tell_prefill:
      case Step::tell_abort:
        line("notify", record.request, ordered_json::object());
        break;
      case Step::decode_queued:
        line("schedule", record.request, {{"stream", "main"}});
        break;
      case Step::decode_retires:
        line("step_done", record.request, ordered_json::object());
        break;
      case Step::free_blocks:
        // Before it, the worker waits for what it enqueued.
        if (before.launched > 0) line("sync", record.request, {{"stream", stream}});
        line("free", record.request, ordered_json::object());
        break;
      default:
        break;
    }
  }
  return text;
}

}  // namespace pageproof::fuzz_receive
