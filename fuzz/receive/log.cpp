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

using enum rx::Guard;

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

const std::vector<Shown>& shown_table() {
  constexpr const char* kNegotiated =
      "no line says what the handshake agreed on, or that its callback has run";
  constexpr const char* kOthers = "the log is one worker's; what another one reports is not in it";
  constexpr const char* kPrefill = "what the prefill does with its pages is not in the decode worker's log";
  static const std::vector<Shown> table{
      {block_is_free, "reused_while_held", ""},
      {prefix_is_published, "unconverted_scheduled", ""},
      {zero_has_run, "zeroed_after_landing", ""},
      {pair_is_accepted, "", kNegotiated},
      {engine_is_ready, "", kNegotiated},
      {engine_is_not_busy, "", kNegotiated},
      {prefill_still_holds, "", kPrefill},
      {notice_after_reads, "told_before_reads_end", ""},
      {abort_notice_after_reads, "told_before_reads_end", ""},
      {prefill_frees_once, "", kPrefill},
      {reads_have_ended, "converted_while_read", ""},
      {all_reads_posted, "", "blocks whose READ was never posted: the checker judges by handles"},
      {no_read_failed, "failed_converted", ""},
      {pair_converts, "match_converted", ""},
      {not_converted_before, "converted_twice", ""},
      {own_blocks_only, "converted_twice", ""},
      {every_layer_launched, "unconverted_scheduled", ""},
      {event_completed, "unconverted_decoded", ""},
      {failure_after_reads, "failure_before_reads_end", ""},
      {every_worker_reported, "", kOthers},
      {no_worker_failed, "", kOthers},
      {policy_once, "", "the policy is the scheduler's: no line says that it was applied"},
      {free_after_reads, "freed_while_touched", ""},
      {free_after_conversion, "freed_while_touched", ""},
      {free_after_decode, "freed_while_touched", ""},
  };
  return table;
}

}  // namespace pageproof::fuzz_receive
