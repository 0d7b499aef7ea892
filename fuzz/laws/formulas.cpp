#include "fuzz/laws/formulas.hpp"

#include <map>

namespace pageproof::fuzz {
namespace {

using U = std::uint64_t;

U shuffled_k(const At& a) {
  return a.h * a.N * a.D + (a.d / a.x) * a.N * a.x + a.t * a.x + a.d % a.x;
}
U shuffled_v(const At& a) {
  return a.h * a.N * a.D + (a.t / a.x) * a.D * a.x + a.d * a.x + a.t % a.x;
}
U shuffled(const At& a) {
  return a.s == 0 ? shuffled_k(a) : shuffled_v(a);
}
// page: which 16-token page of the block.
U page16(const At& a, U page) {
  if (a.s == 0) {
    return ((page * a.H + a.h) * (a.D / a.x) + a.d / a.x) * 16 * a.x + (a.t % 16) * a.x + a.d % a.x;
  }
  return ((page * a.H + a.h) * (16 / a.x) + (a.t % 16) / a.x) * a.D * a.x + a.d * a.x + a.t % a.x;
}

const std::map<std::string_view, Formula>& formulas() {
  static const std::map<std::string_view, Formula> all{
      {"standard", [](const At& a) { return a.h * 2 * a.N * a.D + a.t * 2 * a.D + a.s * a.D + a.d; }},
      {"standard-nhd", [](const At& a) { return a.t * a.H * 2 * a.D + a.h * 2 * a.D + a.s * a.D + a.d; }},
      {"aiter-shuffled", shuffled},
      {"aiter-shuffled-lbhnc", [](const At& a) { return a.s * a.H * a.N * a.D + shuffled(a); }},
      {"aiter-page16", [](const At& a) { return page16(a, a.t / 16); }},
      {"aiter-page16-lbhnc", [](const At& a) { return page16(a, a.t / 16 + a.s * (a.N / 16)); }},
      {"classic-paged",
       [](const At& a) { return a.s == 0 ? shuffled_k(a) : a.h * a.D * a.N + a.d * a.N + a.t; }},
      {"sglang-vectorized-5d", shuffled},
      {"flashinfer-nhd", [](const At& a) { return ((a.s * a.N + a.t) * a.H + a.h) * a.D + a.d; }},
      {"flashinfer-hnd", [](const At& a) { return ((a.s * a.H + a.h) * a.N + a.t) * a.D + a.d; }},
      {"xqa-0", [](const At& a) { return (a.h * a.N + a.t) * a.D + a.d; }},
      {"xqa-1", [](const At& a) { return (a.t * a.H + a.h) * a.D + a.d; }},
      {"cpu-vec",
       [](const At& a) {
         return a.h * 2 * a.N * a.D + (a.s == 0 ? a.d * a.N + a.t : a.N * a.D + a.t * a.D + a.d);
       }},
      {"cpu-amx",
       [](const At& a) {
         const U key = (a.t / 16) * 16 * a.D + (a.d / 2) * 32 + (a.t % 16) * 2 + a.d % 2;
         const U value = a.N * a.D + (a.d / 16) * 16 * a.N + (a.t / 2) * 32 + (a.d % 16) * 2 + a.t % 2;
         return a.h * 2 * a.N * a.D + (a.s == 0 ? key : value);
       }},
      {"cpu-neon",
       [](const At& a) {
         const U key = (a.t / 8) * 8 * a.D + (a.d / 4) * 32 + ((a.t % 8) / 2) * 8 + (a.t % 2) * 4 + a.d % 4;
         const U value = a.N * a.D + (a.d / 2) * 2 * a.N + (a.t / 4) * 8 + (a.d % 2) * 4 + a.t % 4;
         return a.h * 2 * a.N * a.D + (a.s == 0 ? key : value);
       }},
      {"mfma-16x16",
       [](const At& a) { return (a.t / 16) * 16 * a.D + (a.d / 16) * 256 + (a.t % 16) * 16 + a.d % 16; }},
      {"aiter-mla-shuffled",
       [](const At& a) {
         return (a.t / 16) * 16 * a.D + (a.d / a.x) * 16 * a.x + (a.t % 16) * a.x + a.d % a.x;
       }},
  };
  return all;
}

}  // namespace

Formula formula_of(std::string_view tag) {
  const auto found = formulas().find(tag);
  return found == formulas().end() ? nullptr : found->second;
}

}  // namespace pageproof::fuzz
