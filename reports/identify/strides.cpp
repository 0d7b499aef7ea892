#include "reports/identify/strides.hpp"

namespace pageproof::reports {
namespace {

using Contents = std::vector<SlotContent>;

constexpr const char* kDenseStores =
    "block b written at b·S instead of b·2S: dense block stride on a [B, 2, ...] allocation";
constexpr const char* kWideStores = "block b written at b·2S instead of b·S: block stride 2S on dense planes";
constexpr const char* kDenseReads =
    "block b read at b·S instead of b·2S: dense block stride on a [B, 2, ...] allocation";
constexpr const char* kWideReads = "block b read at b·2S instead of b·S: block stride 2S on dense planes";

// Of run r of the allocation, after stores with the wrong stride.
Contents dense_stores(std::uint64_t r, std::uint64_t blocks) {
  Contents in;
  if (r < blocks) in.push_back({Side::key, r});
  if (r >= 1 && r - 1 < blocks) in.push_back({Side::value, r - 1});
  return in;
}

Contents wide_stores(std::uint64_t r, std::uint64_t blocks) {
  Contents in;
  if (r % 2 == 0) in.push_back({Side::key, r / 2});
  if (r >= blocks && (r - blocks) % 2 == 0) in.push_back({Side::value, (r - blocks) / 2});
  return in;
}

// Each plane an allocation of its own: K does not run into V.
Contents wide_stores_apart(std::uint64_t r, std::uint64_t blocks) {
  if (r < blocks) return r % 2 == 0 ? Contents{{Side::key, r / 2}} : Contents{};
  return (r - blocks) % 2 == 0 ? Contents{{Side::value, (r - blocks) / 2}} : Contents{};
}

// Of run r of a right allocation.
Contents interleaved(std::uint64_t r) {
  return {{r % 2 == 0 ? Side::key : Side::value, r / 2}};
}

Contents dense(std::uint64_t r, std::uint64_t blocks) {
  if (r >= 2 * blocks) return {};  // beyond the allocation
  return {{r < blocks ? Side::key : Side::value, r % blocks}};
}

}  // namespace

std::vector<WrongStride> wrong_strides(bool two_tensors, std::uint64_t blocks) {
  const std::uint64_t B = blocks;
  if (!two_tensors) {
    return {{kDenseStores, [B](std::uint64_t n) { return dense_stores(n, B); }},
            {kWideStores, [B](std::uint64_t n) { return wide_stores(n, B); }}};
  }
  return {{kDenseStores, [B](std::uint64_t n) { return dense_stores(n < B ? 2 * n : 2 * (n - B) + 1, B); }},
          {kWideStores, [B](std::uint64_t n) { return wide_stores(n, B); }},
          {kWideStores, [B](std::uint64_t n) { return wide_stores_apart(n, B); }},
          {kDenseReads, [B](std::uint64_t n) { return interleaved(n < B ? n : n - B + 1); }},
          {kWideReads, [B](std::uint64_t n) { return dense(n < B ? 2 * n : B + 2 * (n - B), B); }}};
}

}  // namespace pageproof::reports
