#include "oracle/offset/engines.hpp"

#include <algorithm>

namespace pageproof::oracle {
namespace {

using U = std::uint64_t;
using PlainSizes = Sizes<U>;
using PlainElement = Element<U>;

// A statement as a function of plain values.
template <U (*kByte)(const PlainSizes&, const PlainElement&)>
U at(const Shape& shape, const Coordinate& c) {
  return kByte(plain(shape), plain(c));
}

// The page-16 statements with what each allocation passes: dense planes, or K and V pages in one block.
U page16_key(const Shape& s, const Coordinate& c) {
  return page16_key_byte(plain(s), plain(c), s.tokens / 16);
}
U page16_value(const Shape& s, const Coordinate& c) {
  return page16_value_byte<U>(plain(s), plain(c), s.tokens / 16, 0);
}
U page16_block_key(const Shape& s, const Coordinate& c) {
  return page16_key_byte(plain(s), plain(c), 2 * s.tokens / 16);
}
U page16_block_value(const Shape& s, const Coordinate& c) {
  return page16_value_byte(plain(s), plain(c), 2 * s.tokens / 16, s.tokens / 16);
}

constexpr std::string_view kShuffledKey = "h·D·N + (d/x)·N·x + t·x + d%x";
constexpr std::string_view kShuffledValue = "h·D·N + (t/x)·D·x + d·x + t%x";

constexpr EngineFormat kFormats[] = {
    {"standard", true, false, at<standard_byte>, at<standard_byte>, "h·2·N·D + t·2·D + d",
     "h·2·N·D + t·2·D + D + d", "writer", "vLLM #44455: packed pages [B, H, N, 2D]"},
    {"standard-nhd", true, false, at<standard_nhd_byte>, at<standard_nhd_byte>, "t·H·2·D + h·2·D + d",
     "t·H·2·D + h·2·D + D + d", "engines", "vLLM #44455 under LBNHC: [B, N, H, 2D]"},
    {"aiter-shuffled", false, false, at<shuffled_key_byte>, at<shuffled_value_byte>, kShuffledKey,
     kShuffledValue, "writer", "vLLM's shuffle writer, reshape_and_cache_shuffle_triton"},
    {"aiter-shuffled-lbhnc", true, false, at<two_slot_key_byte>, at<two_slot_value_byte>, kShuffledKey,
     "H·N·D + h·D·N + (t/x)·D·x + d·x + t%x", "engines, over writer",
     "vLLM #51718: the writer's two planes as head slots of one page"},
    {"aiter-page16", false, false, page16_key, page16_value,
     "((t/16·H + h)·(D/x) + d/x)·16·x + (t%16)·x + d%x", "((t/16·H + h)·(16/x) + (t%16)/x)·D·x + d·x + t%x",
     "engines", "ATOM's writer over N/16 physical pages a block"},
    {"aiter-page16-lbhnc", true, false, page16_block_key, page16_block_value,
     "((t/16·H + h)·(D/x) + d/x)·16·x + (t%16)·x + d%x",
     "(((t/16 + N/16)·H + h)·(16/x) + (t%16)/x)·D·x + d·x + t%x", "engines",
     "ATOM's writer over 2·N/16 physical pages a block, V shifted by N/16"},
    {"classic-paged", false, false, at<gather_key_byte>, at<classic_value_byte>, kShuffledKey,
     "h·D·N + d·N + t", "readers (K: gather), engines (V)",
     "vLLM reshape_and_cache: V [H, D, N]; K as vLLM's gather reads it"},
    {"sglang-vectorized-5d", false, false, at<gluon_key_byte>, at<gluon_value_byte>, kShuffledKey,
     kShuffledValue, "readers (gluon)",
     "gluon's strides of contiguous K [P, H, D/x, N, x] and V [P, H, N/x, D, x]"},
    {"flashinfer-nhd", true, false, at<flashinfer_nhd_byte>, at<flashinfer_nhd_byte>, "(t·H + h)·D + d",
     "((N + t)·H + h)·D + d", "engines", "FlashInfer, one tensor [P, 2, N, H, D]"},
    {"flashinfer-hnd", true, false, at<flashinfer_hnd_byte>, at<flashinfer_hnd_byte>, "(h·N + t)·D + d",
     "((H + h)·N + t)·D + d", "engines", "FlashInfer, one tensor [P, 2, H, N, D]"},
    {"xqa-0", false, false, at<xqa_0_byte>, at<xqa_0_byte>, "(h·N + t)·D + d", "(h·N + t)·D + d", "engines",
     "TensorRT-LLM XQA layout 0: pages [H, N, D]"},
    {"xqa-1", false, false, at<xqa_1_byte>, at<xqa_1_byte>, "(t·H + h)·D + d", "(t·H + h)·D + d", "engines",
     "TensorRT-LLM XQA layout 1: pools [page][N][H][D]"},
    {"cpu-vec", true, false, at<cpu_vec_key_byte>, at<cpu_vec_value_byte>, "h·2·N·D + d·N + t",
     "h·2·N·D + N·D + t·D + d", "engines", "vLLM CPU_ATTN vec: a packed K, then a packed V, for each head"},
    {"cpu-amx", true, false, at<cpu_amx_key_byte>, at<cpu_amx_value_byte>,
     "h·2·N·D + (t/16)·16·D + (d/2)·32 + (t%16)·2 + d%2",
     "h·2·N·D + N·D + (d/16)·16·N + (t/2)·32 + (d%16)·2 + t%2", "engines",
     "vLLM CPU_ATTN AMX tiles, 4-byte words"},
    {"cpu-neon", true, false, at<cpu_neon_key_byte>, at<cpu_neon_value_byte>,
     "h·2·N·D + (t/8)·8·D + (d/4)·32 + ((t%8)/2)·8 + (t%2)·4 + d%4",
     "h·2·N·D + N·D + (d/2)·2·N + (t/4)·8 + (d%2)·4 + t%4", "engines", "vLLM CPU_ATTN Arm BFMMLA"},
    {"mfma-16x16", false, true, at<mfma_key_byte>, nullptr, "(t/16)·16·D + (d/16)·256 + (t%16)·16 + d%16", "",
     "engines", "AITER indexer_k_quant_and_cache, preshuffled"},
    {"aiter-mla-shuffled", false, true, at<mla_byte>, nullptr, "(t/16)·16·D + (d/x)·16·x + (t%16)·x + d%x",
     "", "engines", "AITER MLA, one part"},
};

}  // namespace

std::span<const EngineFormat> engine_formats() {
  return kFormats;
}

const EngineFormat* engine_format(std::string_view tag) {
  const auto* found = std::ranges::find(kFormats, tag, &EngineFormat::tag);
  return found == std::end(kFormats) ? nullptr : found;
}

}  // namespace pageproof::oracle
