#include "fuzz/receive/record.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fuzz/receive/device.hpp"

namespace pageproof::fuzz_receive {

std::string to_string(const Record& record) {
  constexpr const char* kVerdicts[] = {"rejected", "match", "convert"};
  constexpr const char* kStreamNames[] = {"main", "convert", "zero"};
  switch (record.move) {
    case Move::arrival:
      return fmt::format("request {} arrives: {} pair, prompt {} of {} tokens, {} reads", record.request,
                         kVerdicts[record.arrival->life.verdict], record.arrival->prompt.number,
                         record.arrival->prompt.tokens, record.arrival->life.reads);
    case Move::piece:
      return fmt::format("request {} handle {}: a piece lands", record.request, record.handle);
    case Move::read_breaks:
      return fmt::format("request {} handle {}: breaks", record.request, record.handle);
    case Move::delivered:
      return fmt::format("request {}: the notice arrives", record.request);
    case Move::lost:
      return fmt::format("request {}: the notice is lost", record.request);
    case Move::copied:
      return fmt::format("request {}: the notice is copied", record.request);
    case Move::tick:
      return fmt::format("the device goes on with stream {}", kStreamNames[record.handle % kStreams]);
    case Move::peer_dies:
      return fmt::format("prefill {} dies", record.handle);
    case Move::peer_returns:
      return fmt::format("prefill {} returns", record.handle);
    case Move::peer_moves:
      return fmt::format("prefill {} moves its pages", record.handle);
    case Move::step:
      break;
  }
  std::string text = fmt::format("request {} {}", record.request, rx::to_string(record.step));
  if (record.step == rx::Step::read_ends || record.step == rx::Step::read_fails) {
    text += fmt::format(" handle {}", record.handle);
  }
  if (!record.own.empty()) text += fmt::format(" blocks {}", fmt::join(record.own, ","));
  if (!record.shared.empty()) text += fmt::format(" sharing {}", fmt::join(record.shared, ","));
  return text;
}

}  // namespace pageproof::fuzz_receive
