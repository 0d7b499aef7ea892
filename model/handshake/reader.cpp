#include "model/handshake/reader.hpp"

#include <fmt/format.h>

namespace pageproof::handshake {
namespace {

using region::Engine;
using region::KernelPath;

constexpr std::uint64_t kAsmHeadDim = 128;
constexpr std::uint64_t kAsmTokens = 16;
constexpr std::uint64_t kAsmMostQueriesPerHead = 16;

}  // namespace

std::uint64_t asm_batch(const Engine& engine) {
  if (engine.kernel_path != KernelPath::asm_kernel || engine.model.head_dim != kAsmHeadDim) return 0;
  return 2 * engine.compute_units / region::query_heads_of_rank(engine) + 1;
}

std::vector<std::string> reader_traps(const EngineSide& decoder) {
  const Engine& engine = decoder.engine;
  std::vector<std::string> traps;
  if (region::page_format_of(engine) != region::kShuffled) return traps;
  if (engine.kernel_path != KernelPath::gluon && decoder.layout != region::Layout::lhbnc) {
    traps.push_back(
        fmt::format("the non-gluon decode asserts dense planes, and {} has none: VLLM_KV_CACHE_LAYOUT=LHBNC",
                    to_string(decoder.layout)));
  }
  const std::uint64_t batch = asm_batch(engine);
  if (batch == 0 || batch > engine.max_batch) return traps;
  const std::string when = fmt::format("from batch {} on (batch · {} query heads > 2 · {} compute units)",
                                       batch, region::query_heads_of_rank(engine), engine.compute_units);
  if (region::element_bytes_of(engine) == 2 && engine.kernel_block_size != kAsmTokens) {
    traps.push_back(
        fmt::format("no asm kernel reads {}-token pages: decode aborts {}", engine.kernel_block_size, when));
  }
  const std::uint64_t ratio = region::query_heads_of_rank(engine) / region::kv_heads_of_rank(engine);
  if (ratio > kAsmMostQueriesPerHead) {
    traps.push_back(fmt::format("no asm kernel has a GQA ratio of {}: decode aborts {}", ratio, when));
  }
  return traps;
}

}  // namespace pageproof::handshake
