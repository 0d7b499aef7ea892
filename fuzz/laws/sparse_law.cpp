#include <sys/mman.h>

#include <cstring>

#include "fuzz/laws/verdict.hpp"
#include "oracle/offset/writer.hpp"

namespace pageproof::fuzz {
namespace {

constexpr std::uint64_t kFirst[] = {0};

// Zeroed address space of which only the pages that are written take memory.
class SparseBytes {
 public:
  explicit SparseBytes(std::uint64_t size) : size_(size) {
    void* at =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    start_ = at == MAP_FAILED ? nullptr : static_cast<std::byte*>(at);
  }
  ~SparseBytes() {
    if (start_ != nullptr) munmap(start_, size_);
  }
  SparseBytes(const SparseBytes&) = delete;
  SparseBytes& operator=(const SparseBytes&) = delete;
  std::byte* start() const { return start_; }

 private:
  std::uint64_t size_;
  std::byte* start_ = nullptr;
};

// A pool of a little over 4 GiB with two blocks that count: the first one at or beyond 2 GiB and the second
// at or beyond 4 GiB.
struct HighPool {
  SparseBytes bytes;
  Pool pool;
  std::vector<std::int64_t> ids;

  static std::uint64_t block_at(std::uint64_t byte, std::uint64_t stride) {
    return (byte + stride - 1) / stride;
  }
  explicit HighPool(std::uint64_t stride)
      : bytes(((std::uint64_t{1} << 32) / stride + 3) * stride),
        pool{{bytes.start()}, stride, (std::uint64_t{1} << 32) / stride + 3},
        ids{static_cast<std::int64_t>(block_at(std::uint64_t{1} << 31, stride)),
            static_cast<std::int64_t>(block_at(std::uint64_t{1} << 32, stride) + 1)} {}

  std::span<std::byte> block(std::size_t i, std::uint64_t size) const {
    return {bytes.start() + static_cast<std::uint64_t>(ids[i]) * pool.block_stride, size};
  }
};

// Compares the two high blocks with a dense memory of the same two blocks.
Verdict compare(const ConvertCase& two, const PlanesMemory& expected, const HighPool& key,
                const HighPool& value, const std::string& how) {
  PlanesMemory got = expected;
  const std::uint64_t side = two.shape.side_bytes();
  for (std::size_t i = 0; i < 2; ++i) {
    std::memcpy(&got.bytes[got.key.begin(0, two.to[i])], key.block(i, side).data(), side);
    std::memcpy(&got.bytes[got.value.begin(0, two.to[i])], value.block(i, side).data(), side);
  }
  return same(difference_in(two, expected, got),
              how + ", blocks 0 and 1 standing for the first one beyond 2 GiB and the second beyond 4 GiB");
}

}  // namespace

Verdict offsets_are_64_bit(const ConvertCase& c, const Converter& converter) {
  ConvertCase two = c;
  two.layers = 1;
  two.planes = Planes::separate;
  two.standard_blocks = 2;
  two.plane_blocks = 3;
  two.from = {0, 1};
  two.to = {0, 1};
  const StandardMemory standard = standard_memory(two);
  PlanesMemory expected = planes_memory(two);
  write_by_oracle(two, standard, expected);

  const std::uint64_t side = c.shape.side_bytes();
  const HighPool pages(2 * side + c.standard_gap), key(side + c.plane_gap), value(side + c.plane_gap);
  if (pages.bytes.start() == nullptr || key.bytes.start() == nullptr || value.bytes.start() == nullptr) {
    return Refutation{"three pools of 4 GiB", "12 GiB of address space",
                      "none: " + std::string(std::strerror(errno))};
  }
  const ConvertJob job{c.shape, pages.pool, key.pool,  value.pool,     pages.ids,
                       key.ids, c.id_bytes, c.threads, c.tokens_first, c.rewrite};
  for (std::size_t i = 0; i < 2; ++i) {
    std::memcpy(pages.block(i, 2 * side).data(), &standard.bytes[standard.pages.begin(0, i)], 2 * side);
  }
  if (Verdict refused = accepts(converter.out_of_place, job, "out of place")) return refused;
  if (Verdict wrong = compare(two, expected, key, value, "out of place")) return wrong;

  for (std::size_t i = 0; i < 2; ++i) {
    oracle::land(c.shape, pages.block(i, 2 * side), kFirst, kFirst,
                 {key.block(i, side), value.block(i, side)});
  }
  if (Verdict refused = accepts(converter.in_place, job, "in place")) return refused;
  return compare(two, expected, key, value, "in place");
}

}  // namespace pageproof::fuzz
