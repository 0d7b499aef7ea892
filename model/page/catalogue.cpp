// The data of the catalogue: one line a format. Sources are sections of the layout notes the orders were read
// in, with the pull request or the project that writes the format.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "model/page/format.hpp"
#include "model/page/nearest.hpp"

namespace pageproof::page {
namespace {

struct Line {
  std::string_view tag;
  std::string_view key;
  std::string_view value;  // "=": the line of `key` holds both sides; "": the format holds K only
  std::string_view readers;
  std::string_view source;
  Needs needs = {};
};

constexpr Needs kTiles16{.tokens_multiple = 16};
constexpr Needs kFp8Tiles{
    .tokens_multiple = 16, .head_dim_multiple = 16, .element_bytes = 1, .one_head = true};
constexpr Needs kOneHeadTiles{.tokens_multiple = 16, .one_head = true};
constexpr Needs kAmx{.tokens_multiple = 32, .head_dim_multiple = 16, .element_bytes = 2};
constexpr Needs kNeon{.tokens_multiple = 32, .head_dim_multiple = 4, .element_bytes = 2};

// The catalogue itself.
constexpr Line kLines[] = {
    {"standard", "h t s d", "=",
     "every vLLM backend on packed pages under LBHNC (HND): FLASH_ATTN, TRITON_ATTN, "
     "ROCM_AITER_UNIFIED_ATTN, unshuffled ROCM_AITER_FA",
     "vLLM #44455: K and V side by side in the content of one (head, token)"},
    {"standard-nhd", "t h s d", "=", "FLASH_ATTN and TRITON_ATTN on packed pages under LBNHC (NHD)",
     "vLLM #44455, layout LBNHC"},
    {"aiter-shuffled", "h d/x t d%x", "h t/x d t%x",
     "AITER decode under LHBNC: asm and ll4mi (16- and 32-token pages), gluon (128-token pages): one order, "
     "another N",
     "vLLM #29887, #43660: reshape_and_cache_shuffle_triton"},
    {"aiter-shuffled-lbhnc", "s h d/x t d%x", "s h t/x d t%x",
     "the same two planes as two head slots of one page: the two-slot view under LBHNC",
     "vLLM #51718, #52849: num_head_slots = 2"},
    {"aiter-page16", "t/16 h d/x t%16 d%x", "t/16 h t%16/x d t%x",
     "AITER sparse paged attention (MiniMax-M3), ATOM: a block is N/16 pages of 16 tokens, dense planes",
     "ATOM's shuffle writer", kTiles16},
    {"aiter-page16-lbhnc", "s t/16 h d/x t%16 d%x", "s t/16 h t%16/x d t%x",
     "the same with K and V pages in one block, slots rebased to 2·b·N + t", "ATOM's shuffle writer",
     kTiles16},
    {"classic-paged", "h d/x t d%x", "h d t",
     "ROCM_ATTN and vLLM's HIP paged attention, AITER ll4mi with a 4-D V, gluon with V not transposed",
     "vLLM reshape_and_cache: V is [H, D, N]"},
    {"sglang-vectorized-5d", "h d/x t d%x", "h t/x d t%x",
     "SGLang on AITER: gluon decode, CK batch prefill, unified attention; 64-token pages by default",
     "SGLANG_AITER_KV_CACHE_LAYOUT=vectorized_5d"},
    {"flashinfer-nhd", "s t h d", "=", "FlashInfer, one tensor [P, 2, N, H, D]", "FlashInfer, kv_layout NHD"},
    {"flashinfer-hnd", "s h t d", "=", "FlashInfer, one tensor [P, 2, H, N, D]", "FlashInfer, kv_layout HND"},
    {"xqa-0", "h t d", "h t d",
     "TensorRT-LLM XQA layout 0: pages [H, N, D] of K or V; FlashInfer's (K, V) tuple, HND",
     "TensorRT-LLM XQA, PAGED_KV_CACHE_LAYOUT 0"},
    {"xqa-1", "t h d", "t h d",
     "TensorRT-LLM XQA layout 1: pools of [N, H, D]; FlashInfer's (K, V) tuple, NHD",
     "TensorRT-LLM XQA, PAGED_KV_CACHE_LAYOUT 1"},
    {"cpu-vec", "h s d t", "h s t d", "vLLM CPU_ATTN: vec, vec16, and neon but for bf16",
     "vLLM CPU attention, packed in [.., N, 2D]"},
    {"cpu-amx", "h s t/16 d/2 t%16 d%2", "h s d/16 t/2 d%16 t%2", "vLLM CPU_ATTN: AMX tiles, bf16",
     "vLLM CPU attention, AMX", kAmx},
    {"cpu-neon", "h s t/8 d/4 t%8 d%4", "h s d/2 t/4 d%2 t%4", "vLLM CPU_ATTN: Arm BFMMLA, bf16",
     "vLLM CPU attention, neon bf16", kNeon},
    {"mfma-16x16", "t/16 d/16 t%16 d%16", "",
     "AITER indexer_k_quant_and_cache with preshuffle, SGLang DSA: the indexer's K, before its scales",
     "AITER MFMA 16x16 preshuffle", kFp8Tiles},
    {"aiter-mla-shuffled", "t/16 d/x t%16 d%x", "",
     "AITER MLA on gfx950 and gfx1250: one part, the latent or the rope; head_dim is the part's size",
     "AITER MLA shuffled", kOneHeadTiles},
};

constexpr NotAnOrder kNotOrders[] = {
    {"landing",
     "a byte function over the standard order: byte p lies in the K plane where p < S, else in the V plane; "
     "an "
     "odd head count tears a head at token N/2, so no digit is the half",
     "the byte-half contract of the RFC, §3"},
    {"aiter-mla-shuffled, both parts",
     "the latent and the rope part have unequal sizes, the rope begins at N·d_latent: one offset is no fold "
     "of "
     "one order; each part alone is aiter-mla-shuffled",
     "AITER MLA"},
    {"aiter-diffkv",
     "D_v differs from D_k and each side has room for the larger: the shorter side leaves a gap, so the "
     "order "
     "is not onto; each side alone is aiter-shuffled with its own D",
     "AITER DIFFKV (MiMo)"},
    {"mfma-16x16 with scales",
     "4 bytes of scale for each quantisation group follow the elements at N·D: bytes that are no coordinate",
     "AITER indexer_k_quant_and_cache"},
    {"triton per-token-head quantised",
     "each half of a content is padded by 4 bytes of scale: bytes that are no coordinate",
     "vLLM TRITON_ATTN"},
    {"aiter-nvfp4-shuffled",
     "two elements share a byte and shuffled block scales follow them: no element has a byte of its own",
     "AITER unified attention on gfx1250"},
};

PageFormat built(const Line& line) {
  const auto order = [](std::string_view text) {
    Expected<DigitOrder> parsed = parse_order(text);
    assert(parsed.has_value());
    return *std::move(parsed);
  };
  PageFormat format{.tag = std::string(line.tag),
                    .key = order(line.key),
                    .value = {},
                    .regions = Regions::planes,
                    .readers = std::string(line.readers),
                    .source = std::string(line.source),
                    .needs = line.needs};
  if (!line.value.empty()) format.value = line.value == "=" ? format.key : order(line.value);
  if (has_side(format.key)) format.regions = Regions::page;
  return format;
}

}  // namespace

std::span<const PageFormat> catalogue() {
  static const std::vector<PageFormat> formats = [] {
    std::vector<PageFormat> all;
    for (const Line& line : kLines) all.push_back(built(line));
    return all;
  }();
  return formats;
}

std::span<const NotAnOrder> not_orders() {
  return kNotOrders;
}

Expected<const PageFormat*> find_format(std::string_view tag) {
  const std::span<const PageFormat> formats = catalogue();
  const auto found = std::ranges::find(formats, tag, &PageFormat::tag);
  if (found != formats.end()) return &*found;
  std::vector<std::string> tags;
  for (const PageFormat& format : formats) tags.push_back(format.tag);
  std::string problem = "no such page format; " + did_you_mean(tag, tags);
  for (const NotAnOrder& other : kNotOrders) {
    if (other.name == tag) problem = fmt::format("no order of digits: {}", other.reason);
  }
  return std::unexpected(Error{"format", "tag", std::string(tag), std::move(problem)});
}

std::vector<std::string> same_order_as(const PageFormat& format) {
  std::vector<std::string> tags;
  for (const PageFormat& other : catalogue()) {
    if (other.tag != format.tag && other.regions == format.regions &&
        normal_form(other.key) == normal_form(format.key) &&
        normal_form(other.value) == normal_form(format.value)) {
      tags.push_back(other.tag);
    }
  }
  return tags;
}

}  // namespace pageproof::page
