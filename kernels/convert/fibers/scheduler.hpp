// One workgroup on the CPU: a fiber per work-item, a barrier that all of them reach, and a seeded random
// order, so that what the barrier does not order really comes in another order. Between two barriers the
// work-items run one after the other; the order is drawn anew after each.
//
// ThreadSanitizer (PAGEPROOF_FIBERS_TSAN) sees every fiber as a thread that only the launch and the barrier
// order: a missing barrier is a data race, and so is a block that two workgroups write. scheduler.cpp itself
// must then be compiled without -fsanitize=thread. AddressSanitizer (PAGEPROOF_FIBERS_ASAN) is told of every
// change of stacks.
#pragma once

#include <cstdint>
#include <random>

namespace pageproof::convert::fibers {

using Random = std::mt19937_64;

// Runs body(context, i) for each work-item i of 0..count-1. `stage_bytes` of workgroup memory, filled with
// 0xCD, are the workgroup's own. Aborts, with a line on stderr, where some work-items wait at a barrier that
// others never reach: a GPU would hang.
void run_workgroup(std::uint32_t count, std::uint32_t stage_bytes, Random& random,
                   void (*body)(void*, std::uint32_t), void* context);

// The launch is over: what its work-items did happens before what the caller does next.
void finish_launch();

// For the body: waits for all work-items of the workgroup.
void barrier();

// For the body: the workgroup's memory, 64-byte aligned.
void* stage();

}  // namespace pageproof::convert::fibers
