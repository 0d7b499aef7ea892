// Attention backends as data: the name that enters the compatibility hash, the layouts a backend declares,
// the page format its writer leaves, where it runs.
//
// Two backends share one hash name: ROCM_AITER_FA also answers "FLASH_ATTN" (connector spec §1.4, trap T1).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/page/plain/error.hpp"
#include "model/region/layout.hpp"

namespace pageproof::region {

enum class Backend : std::uint8_t {
  flash_attn,     // CUDA FlashAttention
  rocm_aiter_fa,  // with or without shuffled pages
  rocm_aiter_unified_attn,
  rocm_attn,
  triton_attn,
  flashinfer,
  cpu_attn,
};

enum class Platform : std::uint8_t { cuda, rocm, cpu };

// Which decode kernels an engine with shuffled pages may reach: asm_kernel is the dispatcher's default (asm
// above its batch threshold, ll4mi below), ll4mi is ll4mi alone, gluon is the 128-token path.
enum class KernelPath : std::uint8_t { asm_kernel, ll4mi, gluon };

struct BackendFacts {
  Backend backend;
  std::string_view name;       // as vLLM's option spells it: "ROCM_AITER_FA"
  std::string_view hash_name;  // get_name()
  Platform platform;           // where it usually runs; TRITON_ATTN also on the others
  std::string_view page_format;
  std::span<const Layout> layouts;  // in its order of preference; empty: any
  bool supports_connector;
};

std::span<const BackendFacts> backends();
const BackendFacts& facts_of(Backend backend);
Expected<Backend> parse_backend(std::string_view name, const std::string& subject);

std::string to_string(Backend backend);
std::string to_string(Platform platform);
std::string to_string(KernelPath path);  // "asm", "ll4mi", "gluon"

// Tags of the page formats that backends write, as the catalogue of model/page spells them. A tag names the
// order of bytes inside a page; its block size is told beside it, so one shuffled tag serves pages of 16, 32
// and 128 tokens, and the layout says whether K and V are planes or two slots of a page.
inline constexpr std::string_view kStandard = "standard";
inline constexpr std::string_view kShuffled = "aiter-shuffled";
inline constexpr std::string_view kClassicPaged = "classic-paged";  // K as shuffled, V [H, D, N]
inline constexpr std::string_view kCpuVec = "cpu-vec";              // K and V packed inside each head's run
inline constexpr std::string_view kPage16 = "aiter-page16";         // 16-token tiles inside a larger block

// Does the format keep K and V in two head slots (num_head_slots = 2, content H·D·e)? Otherwise a slot is a
// KV head with content 2·D·e. Refuses a tag that the catalogue does not have.
Expected<bool> has_two_slots(std::string_view page_format, const std::string& subject);

}  // namespace pageproof::region
