#include "fuzz/receive/trace.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

namespace pageproof::fuzz_receive {
namespace {

using nlohmann::ordered_json;
using rx::Step;
using What = Happening::What;

// Rows of the picture.
constexpr int kWire = 1;
constexpr int kFirstStream = 2;
constexpr int kFirstSlot = 10;

ordered_json named_row(int row, const std::string& name) {
  return {{"ph", "M"}, {"pid", 1}, {"tid", row}, {"name", "thread_name"}, {"args", {{"name", name}}}};
}

const char* to_string(Kernel::Kind kind) {
  constexpr const char* kNames[] = {"zero", "convert", "prefill here", "decode"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace

std::string chrome_trace(const std::vector<Record>& records, const WorldOptions& options) {
  ordered_json events = ordered_json::array();
  events.push_back(named_row(kWire, "wire"));
  events.push_back(named_row(kFirstStream, "stream main"));
  events.push_back(named_row(kFirstStream + 1, "stream convert"));
  events.push_back(named_row(kFirstStream + 2, "stream zero"));
  for (std::uint32_t slot = 0; slot < options.slots; ++slot) {
    events.push_back(named_row(kFirstSlot + static_cast<int>(slot), fmt::format("slot {}", slot)));
  }
  std::uint64_t time = 0;
  std::map<std::uint16_t, std::uint64_t> arrived;
  const auto bar = [&](int row, std::uint64_t from, std::uint64_t length, std::string name) {
    events.push_back(
        {{"ph", "X"}, {"pid", 1}, {"tid", row}, {"ts", from}, {"dur", length}, {"name", std::move(name)}});
  };
  World world(options, [&](const Happening& did) {
    const int slot = kFirstSlot + did.slot;
    switch (did.what) {
      case What::arrived:
        arrived[did.slot] = time;
        break;
      case What::step:
        if (did.step == Step::forward) break;
        bar(slot, time, 1, fmt::format("{} {}", rx::to_string(did.step), did.request));
        break;
      case What::piece:
        bar(kWire, time, 1, fmt::format("handle {} of {}", did.handle, did.request));
        break;
      case What::tick:
        bar(kFirstStream + static_cast<int>(did.stream), time, 1,
            fmt::format("{} of {}", to_string(did.kernel), did.request));
        break;
      case What::ended:
        bar(slot, arrived[did.slot], time - arrived[did.slot], fmt::format("request {}", did.request));
        break;
      default:
        break;
    }
  });
  for (const Record& record : records) {
    ++time;
    world.apply(record);
  }
  return ordered_json({{"traceEvents", events}, {"displayTimeUnit", "ms"}}).dump();
}

}  // namespace pageproof::fuzz_receive
