#include "reports/amd/jobs.hpp"

#include <cstring>

namespace pageproof::reports {
namespace {

unsigned char* bytes_of(std::vector<std::byte>& arena) {
  return reinterpret_cast<unsigned char*>(arena.data());
}

Expected<void> run(const pageproof_job& job, const Shape& shape, bool in_place) {
  const pageproof_status status = in_place ? pageproof_convert_in_place(&job) : pageproof_convert(&job);
  if (status == PAGEPROOF_OK) return {};
  return std::unexpected(Error{"converter", "job", to_string(shape), pageproof_status_text(status)});
}

}  // namespace

std::vector<std::byte> ArenaPlan::ids() const {
  std::vector<std::byte> bytes;
  for (const auto* list : {&block_ids, &standard_block_ids}) {
    for (const std::int64_t id : *list) {
      const std::size_t at = bytes.size();
      bytes.resize(at + id_bytes);
      std::memcpy(&bytes[at], &id, id_bytes);  // little endian: the low half of an id that fits
    }
  }
  return bytes;
}

pageproof_job ArenaPlan::job(unsigned char* standard, unsigned char* planes, const unsigned char* ids) const {
  const auto pool = [](unsigned char* base, std::uint64_t stride, std::uint64_t blocks) {
    pageproof_pool p{};
    p.base = base;
    p.block_stride = stride;
    p.num_blocks = blocks;
    p.layer_stride = blocks * stride;
    return p;
  };
  pageproof_job job{};
  job.struct_bytes = sizeof job;
  job.shape = {static_cast<std::uint32_t>(shape.heads), static_cast<std::uint32_t>(shape.tokens),
               static_cast<std::uint32_t>(shape.head_dim), static_cast<std::uint32_t>(shape.element_bytes)};
  job.layers = layers;
  job.id_bytes = id_bytes;
  job.id_count = block_ids.size();
  job.block_ids = ids;
  if (!in_place) {
    job.standard = pool(standard, standard_stride(), standard_blocks);
    job.standard_block_ids = ids + block_ids.size() * id_bytes;
  }
  job.k_plane = pool(planes, plane_stride(), plane_blocks);
  job.v_plane = pool(planes + planes_bytes() / 2, plane_stride(), plane_blocks);
  return job;
}

Expected<void> run_on_host(const ArenaPlan& plan, std::vector<std::byte>& standard,
                           std::vector<std::byte>& planes) {
  std::vector<std::byte> ids = plan.ids();
  pageproof_job job = plan.job(bytes_of(standard), bytes_of(planes), bytes_of(ids));
  job.memory = PAGEPROOF_HOST;
  return run(job, plan.shape, plan.in_place);
}

Expected<void> enqueue(const convert::AmdDevice& device, pageproof_job job, bool in_place) {
  job.memory = PAGEPROOF_HIP;
  job.stream = device.stream();
  return run(job, {job.shape.heads, job.shape.tokens, job.shape.head_dim, job.shape.element_bytes}, in_place);
}

Expected<void> run_on_device(const convert::AmdDevice& device, const ArenaPlan& plan,
                             std::vector<std::byte>& standard, std::vector<std::byte>& planes) {
  const std::vector<std::byte> ids = plan.ids();
  std::vector<convert::AmdMemory> copies;
  for (const std::span<const std::byte> arena : {std::span<const std::byte>(standard), {planes}, {ids}}) {
    auto memory = device.allocate(arena.size() + 16);  // none is empty
    if (!memory) return std::unexpected(memory.error());
    if (auto done = device.write(memory->data(), arena); !done) return done;
    copies.push_back(*memory);
  }
  if (auto done =
          enqueue(device, plan.job(copies[0].data(), copies[1].data(), copies[2].data()), plan.in_place);
      !done) {
    return done;
  }
  if (auto done = device.wait(); !done) return done;
  if (auto done = device.read(standard, copies[0].data()); !done) return done;
  return device.read(planes, copies[1].data());
}

}  // namespace pageproof::reports
