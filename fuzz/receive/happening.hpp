// What a world says of what it does, when it does it: the worker's acts with what was really passed (blocks,
// stream, event), and beside them what wire and device did. The log and the picture of a run are made of
// nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "fuzz/receive/device.hpp"
#include "model/receive/steps.hpp"

namespace pageproof::fuzz_receive {

struct Happening {
  enum class What : std::uint8_t {
    // Of the worker's thread, as an instrumented connector would log them.
    allocate,
    zero,
    post,
    read_done,
    read_failed,
    convert,
    record,
    sync,
    report,
    recompute,
    schedule,
    step_done,
    notify,
    free,
    // Seen from outside alone.
    arrived,
    step,     // of the model
    piece,    // of a READ
    tick,     // of a kernel
    decoded,  // a decode step has read a block
    ended,
  };
  What what = What::step;
  std::uint32_t request = 0;
  std::uint16_t slot = 0;
  std::uint16_t handle = 0;
  std::uint16_t layer = 0;  // convert, decoded
  Stream stream = Stream::main;
  receive::Step step = receive::Step::forward;
  bool ok = true;          // report
  bool converts = true;    // allocate: what lands has to be converted
  const char* name = "";   // record and sync: "zeroed" or "converted"; with the request it is the event
  std::uint32_t turn = 0;  // record and sync: which of these of the request
  Kernel::Kind kernel = Kernel::Kind::zero;  // tick
  std::uint16_t appended = 0;                // decoded: tokens that decode steps wrote before
  std::uint16_t index = 0;                   // decoded: which block of the prompt
  std::span<const std::uint16_t> blocks = {};
  std::span<const std::uint16_t> shared = {};
};

using Listener = std::function<void(const Happening&)>;

}  // namespace pageproof::fuzz_receive
