// The reader trap: pages that arrive right and that no decode kernel can read. At D = 128 the dispatcher
// takes asm once batch · query heads exceeds twice the compute units, and asm kernels for bf16 and fp16 exist
// for 16-token pages and GQA ratios of 16 at most; beyond that the heuristic finds no kernel and aborts. D of
// 64 and 256 always takes ll4mi. Source: page_layouts.md §3; read from kernel tables and dispatch code, not
// run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/handshake/side.hpp"

namespace pageproof::handshake {

// The smallest batch at which the dispatcher takes asm; 0: never (another D, or a path without asm).
std::uint64_t asm_batch(const region::Engine& engine);

// What will go wrong when this decoder reads its own shuffled pages; empty for other formats.
std::vector<std::string> reader_traps(const EngineSide& decoder);

}  // namespace pageproof::handshake
