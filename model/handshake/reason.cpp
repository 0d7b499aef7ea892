#include "model/handshake/reason.hpp"

#include <array>

namespace pageproof::handshake {
namespace {

constexpr std::array kReasons = {
    ReasonFacts{Reason::none, "none", "accepted", "", Origin::today},
    ReasonFacts{Reason::tag_missing, "tag_missing", "the prefill does not say its page format",
                "run a prefill that sends region_page_formats, or a decoder with standard pages",
                Origin::rfc_scope},
    ReasonFacts{Reason::remote_not_standard, "remote_not_standard", "the prefill's pages are not standard",
                "prefill with standard pages (without the shuffle)", Origin::rfc_scope},
    ReasonFacts{
        Reason::local_not_shuffled, "local_not_shuffled",
        "the decoder's pages are not AITER-shuffled, and no other format is converted to",
        "decode with ROCM_AITER_FA and VLLM_ROCM_SHUFFLE_KV_CACHE_LAYOUT=1, or with the prefill's format",
        Origin::rfc_scope},
    ReasonFacts{Reason::remote_layout, "remote_layout", "the prefill's cache is not laid out as LBHNC",
                "set VLLM_KV_CACHE_LAYOUT=LBHNC on the prefill", Origin::rfc_scope},
    ReasonFacts{Reason::local_layout, "local_layout", "the decoder's cache is not laid out as LHBNC",
                "set VLLM_KV_CACHE_LAYOUT=LHBNC on the decoder", Origin::rfc_scope},
    ReasonFacts{Reason::not_rocm, "not_rocm", "the decoder does not run on ROCm", "decode on ROCm",
                Origin::rfc_scope},
    ReasonFacts{Reason::gluon_decoder, "gluon_decoder", "the decoder is configured for gluon",
                "use the non-gluon path", Origin::rfc_scope},
    ReasonFacts{Reason::tokens_unequal, "tokens_unequal", "the blocks hold different numbers of tokens",
                "use one block size on both sides", Origin::rfc_scope},
    ReasonFacts{Reason::tokens_out_of_scope, "tokens_out_of_scope",
                "the decoder's pages hold neither 16 nor 32 tokens", "use 16-token blocks on both sides",
                Origin::rfc_scope},
    ReasonFacts{Reason::blocks_per_logical_unequal, "blocks_per_logical_unequal",
                "manager blocks are split into kernel blocks differently", "use one block size on both sides",
                Origin::rfc_scope},
    ReasonFacts{Reason::dtype_unequal, "dtype_unequal", "the cache dtypes differ",
                "use one dtype and one cache dtype", Origin::rfc_scope},
    ReasonFacts{Reason::dtype_out_of_scope, "dtype_out_of_scope", "the cache is neither bfloat16 nor float16",
                "use a bfloat16 or float16 cache", Origin::rfc_scope},
    ReasonFacts{Reason::tp_unequal, "tp_unequal", "the tensor-parallel sizes differ", "use one TP size",
                Origin::rfc_scope},
    ReasonFacts{Reason::context_parallel_unequal, "context_parallel_unequal",
                "the context-parallel sizes differ", "switch context parallelism off", Origin::added},
    ReasonFacts{Reason::context_parallel_out_of_scope, "context_parallel_out_of_scope",
                "context parallelism is out of scope", "switch context parallelism off", Origin::added},
    ReasonFacts{Reason::heads_unequal, "heads_unequal", "the ranks hold different numbers of KV heads",
                "serve one model with one TP size", Origin::rfc_layout},
    ReasonFacts{Reason::dims_unequal, "dims_unequal", "the head dimensions differ", "serve one model",
                Origin::rfc_layout},
    ReasonFacts{Reason::dims_not_granules, "dims_not_granules",
                "head_dim is no multiple of 8, a granule's elements", "this model cannot have shuffled pages",
                Origin::rfc_layout},
    ReasonFacts{Reason::latent_attention, "latent_attention", "MLA is out of scope",
                "decode without the shuffle", Origin::rfc_scope},
    ReasonFacts{Reason::hybrid_memory, "hybrid_memory",
                "a model with several KV-cache groups is out of scope", "decode without the shuffle",
                Origin::rfc_scope},
    ReasonFacts{Reason::push_mode, "push_mode", "push mode is out of scope", "use pull mode",
                Origin::rfc_scope},
    ReasonFacts{Reason::host_buffer, "host_buffer", "the decoder receives into host memory",
                "set kv_buffer_device to cuda", Origin::added},
    ReasonFacts{Reason::remote_block_len, "remote_block_len", "a prefill block is not one standard page",
                "serve one model with one shape on both sides", Origin::rfc_layout},
    ReasonFacts{Reason::local_block_len, "local_block_len", "a decoder block is not one side of a page",
                "serve one model with one shape on both sides", Origin::rfc_layout},
    ReasonFacts{Reason::region_count, "region_count",
                "the decoder has not two regions for each of the prefill's", "serve one model on both sides",
                Origin::rfc_layout},
    ReasonFacts{Reason::region_names, "region_names", "the regions name different layers", "serve one model",
                Origin::rfc_layout},
    ReasonFacts{
        Reason::conversion_disabled, "conversion_disabled", "the decoder does not convert page formats",
        "set convert_page_format to true in the decoder's kv_connector_extra_config", Origin::rfc_scope},
    ReasonFacts{Reason::block_sizes_unequal, "block_sizes_unequal",
                "blocks of different sizes would be regrouped by code that takes heads for tokens",
                "use one block size on both sides", Origin::added},
    ReasonFacts{Reason::slots_across_ranks, "slots_across_ranks",
                "a rank's share of a two-slot page is cut from its bytes, not from its heads",
                "use one TP size, or standard pages", Origin::added},
    ReasonFacts{Reason::permute_transposes, "permute_transposes",
                "the receive-side permute takes heads for tokens", "use one layout on both sides",
                Origin::added},
    ReasonFacts{Reason::malformed, "malformed", "the prefill's metadata contradicts itself",
                "report it: the peer is broken", Origin::today},
    ReasonFacts{Reason::todays_check, "todays_check", "one of today's checks fails", "", Origin::today},
    ReasonFacts{Reason::reader_trap, "reader_trap", "no decode kernel reads these pages at this batch",
                "use 16-token blocks, a GQA ratio of 16 at most, or a smaller batch", Origin::added},
};

}  // namespace

std::span<const ReasonFacts> reasons() {
  return kReasons;
}

const ReasonFacts& facts_of(Reason reason) {
  return kReasons[static_cast<std::size_t>(reason)];
}

std::string_view to_string(Reason reason) {
  return facts_of(reason).name;
}

std::string_view to_string(Origin origin) {
  constexpr std::array<std::string_view, 4> names = {"RFC, scope", "RFC, split read", "added", "today"};
  return names[static_cast<std::size_t>(origin)];
}

}  // namespace pageproof::handshake
