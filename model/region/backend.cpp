#include "model/region/backend.hpp"

#include <algorithm>
#include <array>

#include "model/page/format.hpp"

namespace pageproof::region {
namespace {

// Source: connector spec §1.4 (names), §3.3 (declared layouts); page_layouts.md §2.3 (formats).
constexpr std::array kHeadsFirst = {Layout::lbhnc};
constexpr std::array kHeadsFirstThenPlanes = {Layout::lbhnc, Layout::lhbnc};
constexpr std::array kPlanesThenHeadsFirst = {Layout::lhbnc, Layout::lbhnc};

constexpr std::array<BackendFacts, 7> kBackends = {{
    {Backend::flash_attn, "FLASH_ATTN", "FLASH_ATTN", Platform::cuda, kStandard, {}, true},
    {Backend::rocm_aiter_fa, "ROCM_AITER_FA", "FLASH_ATTN", Platform::rocm, kStandard, kHeadsFirstThenPlanes,
     true},
    {Backend::rocm_aiter_unified_attn, "ROCM_AITER_UNIFIED_ATTN", "ROCM_AITER_UNIFIED_ATTN", Platform::rocm,
     kStandard, kHeadsFirst, true},
    {Backend::rocm_attn, "ROCM_ATTN", "ROCM_ATTN", Platform::rocm, kClassicPaged, kPlanesThenHeadsFirst,
     false},
    {Backend::triton_attn, "TRITON_ATTN", "TRITON_ATTN", Platform::rocm, kStandard, {}, true},
    {Backend::flashinfer, "FLASHINFER", "FLASHINFER", Platform::cuda, kStandard, {}, true},
    {Backend::cpu_attn, "CPU_ATTN", "CPU_ATTN", Platform::cpu, kCpuVec, kHeadsFirst, true},
}};

}  // namespace

std::span<const BackendFacts> backends() {
  return kBackends;
}

const BackendFacts& facts_of(Backend backend) {
  return kBackends[static_cast<std::size_t>(backend)];
}

Expected<Backend> parse_backend(std::string_view name, const std::string& subject) {
  const auto found = std::ranges::find(kBackends, name, &BackendFacts::name);
  if (found != kBackends.end()) return found->backend;
  std::string known;
  for (const BackendFacts& facts : kBackends) known += (known.empty() ? "" : ", ") + std::string(facts.name);
  return std::unexpected(Error{subject, "$.backend", std::string(name), "no such backend: one of " + known});
}

std::string to_string(Backend backend) {
  return std::string(facts_of(backend).name);
}

std::string to_string(Platform platform) {
  constexpr std::array names = {"cuda", "rocm", "cpu"};
  return names[static_cast<std::size_t>(platform)];
}

std::string to_string(KernelPath path) {
  constexpr std::array names = {"asm", "ll4mi", "gluon"};
  return names[static_cast<std::size_t>(path)];
}

Expected<bool> has_two_slots(std::string_view page_format, const std::string& subject) {
  const Expected<const page::PageFormat*> format = page::find_format(page_format);
  if (format) return (*format)->regions == page::Regions::planes;
  Error error = format.error();
  error.subject = subject;
  error.field = "$.page_format";
  return std::unexpected(std::move(error));
}

}  // namespace pageproof::region
