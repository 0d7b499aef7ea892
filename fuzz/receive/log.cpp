#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "fuzz/receive/trace.hpp"

namespace pageproof::fuzz_receive {
namespace {

using nlohmann::ordered_json;
using What = Happening::What;

constexpr const char* kStreamNames[] = {"main", "convert", "zero"};

std::string name_of(const Happening& did) {
  const std::string turn = did.turn > 1 ? fmt::format(" {}", did.turn) : "";
  return fmt::format("{} {}{}", did.name, did.request, turn);
}

// Nothing for what no connector would write.
std::optional<ordered_json> line_of(const Happening& did) {
  const std::string request = std::to_string(did.request);
  const char* stream = kStreamNames[static_cast<std::size_t>(did.stream)];
  switch (did.what) {
    case What::allocate:
      return {{{"event", "allocate"},
               {"request", request},
               {"blocks", did.blocks},
               {"shared", did.shared},
               {"convert", did.converts}}};
    case What::zero:
      return {{{"event", "zero"}, {"request", request}, {"blocks", did.blocks}, {"stream", stream}}};
    case What::post:
      return {{{"event", "post"}, {"request", request}, {"handle", did.handle}, {"blocks", did.blocks}}};
    case What::read_done:
      return {{{"event", "read_done"}, {"request", request}, {"handle", did.handle}}};
    case What::read_failed:
      return {{{"event", "read_failed"}, {"request", request}, {"handle", did.handle}}};
    case What::convert:
      return {{{"event", "convert"},
               {"request", request},
               {"blocks", did.blocks},
               {"layer", did.layer},
               {"stream", stream}}};
    case What::record:
      return {{{"event", "record"}, {"name", name_of(did)}, {"stream", stream}}};
    case What::sync:
      return {{{"event", "sync"}, {"name", name_of(did)}}};
    case What::report:
      return {{{"event", "report"}, {"request", request}, {"ok", did.ok}}};
    case What::recompute:
      return {{{"event", "recompute"}, {"request", request}, {"stream", stream}}};
    case What::schedule:
      return {{{"event", "schedule"}, {"request", request}, {"stream", stream}}};
    case What::step_done:
      return {{{"event", "step_done"}, {"request", request}}};
    case What::notify:
      return {{{"event", "notify"}, {"request", request}}};
    case What::free:
      return {{{"event", "free"}, {"request", request}}};
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string event_log(const std::vector<Record>& records, const WorldOptions& options) {
  std::string text = fmt::format("{{\"time\":0,\"event\":\"setting\",\"layers\":{},\"blocks\":{}}}\n",
                                 options.layers, options.blocks);
  std::uint64_t time = 0;
  World world(options, [&](const Happening& did) {
    const auto line = line_of(did);
    if (!line) return;
    ordered_json object = {{"time", time}};
    object.update(*line);
    text += object.dump() + "\n";
  });
  for (const Record& record : records) {
    ++time;
    world.apply(record);
  }
  return text;
}

}  // namespace pageproof::fuzz_receive
