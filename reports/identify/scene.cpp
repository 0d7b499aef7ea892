#include "reports/identify/scene.hpp"

#include <cstring>
#include <thread>

namespace pageproof::reports {
namespace {

Uniform uniform_run(const std::byte* bytes, std::uint64_t size, std::uint64_t element_bytes) {
  Uniform result;
  std::memcpy(&result.value, bytes, element_bytes);
  result.uniform = std::memcmp(bytes, bytes + element_bytes, size - element_bytes) == 0;
  if (!result.uniform) result.value = 0;
  return result;
}

}  // namespace

Scene make_scene(const DumpedPages& file, const KnownPages& reference, std::uint32_t threads) {
  Scene scene;
  scene.file = &file;
  scene.reference = &reference;
  scene.reference_placing = *placing_of(*reference.format, reference.shape);
  scene.reference_arrangement =
      reference.pool.two_tensors ? Arrangement::two_tensors : Arrangement::side_by_side;
  const std::uint64_t slot_bytes = reference.shape.side_bytes();
  scene.file_blocks = file.bytes() / (2 * slot_bytes);
  scene.reference_blocks = reference.pool.bytes() / (2 * slot_bytes);
  scene.threads = threads;
  scene.pairs = pair_blocks(file, scene.file_blocks, reference.pool, scene.reference_blocks);

  const std::uint64_t e = reference.shape.element_bytes;
  scene.file_slots.resize(2 * scene.file_blocks);
  scene.reference_slots.resize(2 * scene.reference_blocks);
  in_parallel(scene.file_slots.size(), threads, [&](std::uint64_t begin, std::uint64_t end, std::uint32_t) {
    for (std::uint64_t n = begin; n < end; ++n) {
      scene.file_slots[n] = uniform_run(numbered_slot(file, scene.file_blocks, slot_bytes, n), slot_bytes, e);
    }
  });
  in_parallel(scene.reference_slots.size(), threads,
              [&](std::uint64_t begin, std::uint64_t end, std::uint32_t) {
                for (std::uint64_t n = begin; n < end; ++n) {
                  const std::byte* run = slot_start(reference.pool, scene.reference_arrangement,
                                                    scene.reference_blocks, slot_bytes, n / 2, n % 2);
                  scene.reference_slots[n] = uniform_run(run, slot_bytes, e);
                }
              });
  return scene;
}

const std::byte* ReferenceBlocks::at(std::uint64_t first, std::uint64_t blocks) {
  const std::uint64_t slot_bytes = scene_.shape().side_bytes();
  const auto slot = [&](std::uint64_t block, std::size_t which) {
    return slot_start(scene_.reference->pool, scene_.reference_arrangement, scene_.reference_blocks,
                      slot_bytes, block, which);
  };
  if (scene_.reference_arrangement == Arrangement::side_by_side) return slot(first, 0);
  copy_.resize(blocks * 2 * slot_bytes);
  for (std::uint64_t i = 0; i < 2 * blocks; ++i) {
    std::memcpy(copy_.data() + i * slot_bytes, slot(first + i / 2, i % 2), slot_bytes);
  }
  return copy_.data();
}

void in_parallel(std::uint64_t count, std::uint32_t parts,
                 const std::function<void(std::uint64_t, std::uint64_t, std::uint32_t)>& work) {
  const auto bound = [&](std::uint64_t part) { return count / parts * part + count % parts * part / parts; };
  std::vector<std::thread> threads;
  for (std::uint32_t part = 1; part < parts; ++part) {
    threads.emplace_back([&, part] { work(bound(part), bound(part + 1), part); });
  }
  work(0, bound(1), 0);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace pageproof::reports
