#include "kernels/convert/bench/bench.hpp"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <thread>
#include <utility>

#include "kernels/bench/turns.hpp"

namespace pageproof::convert::bench {
namespace {

constexpr std::uint64_t kAlignment = 4096;

struct Free {
  void operator()(unsigned char* memory) const { operator delete(memory, std::align_val_t{kAlignment}); }
};
using Buffer = std::unique_ptr<unsigned char, Free>;

// Touched, so that no page fault is measured. Null where there is no memory.
Buffer make_buffer(std::uint64_t bytes) {
  auto* memory = static_cast<unsigned char*>(operator new(bytes, std::align_val_t{kAlignment}, std::nothrow));
  if (memory != nullptr) std::memset(memory, 0x5A, bytes);
  return Buffer(memory);
}

// One shape's pages over the two buffers: K and V planes side by side in the second.
class Pages {
 public:
  Pages(const pageproof_shape& shape, std::uint64_t bytes, unsigned char* standard, unsigned char* planes)
      : shape_(shape), page_bytes_(2ull * shape.heads * shape.tokens * shape.head_dim * shape.element_bytes) {
    ids_.resize(page_bytes_ == 0 ? 0 : bytes / page_bytes_);
    std::iota(ids_.begin(), ids_.end(), 0);
    standard_ = standard;
    k_ = planes;
    v_ = planes + ids_.size() * (page_bytes_ / 2);
  }

  std::uint64_t bytes() const { return ids_.size() * page_bytes_; }

  pageproof_job job(std::uint32_t threads) const {
    pageproof_job job{};
    job.struct_bytes = sizeof job;
    job.memory = PAGEPROOF_HOST;
    job.shape = shape_;
    job.layers = 1;
    job.id_bytes = 8;
    job.id_count = ids_.size();
    job.block_ids = ids_.data();
    job.standard = {&standard_, page_bytes_, ids_.size(), nullptr, 0};
    job.k_plane = {&k_, page_bytes_ / 2, ids_.size(), nullptr, 0};
    job.v_plane = {&v_, page_bytes_ / 2, ids_.size(), nullptr, 0};
    job.threads = threads;
    return job;
  }

 private:
  pageproof_shape shape_;
  std::uint64_t page_bytes_;
  std::vector<std::int64_t> ids_;
  void *standard_, *k_, *v_;
};

void copy(unsigned char* to, const unsigned char* from, std::uint64_t bytes, std::uint32_t threads) {
  const auto part = [=](std::uint64_t thread) {
    const std::uint64_t begin = bytes / 4096 * thread / threads * 4096;
    const std::uint64_t end = thread + 1 == threads ? bytes : bytes / 4096 * (thread + 1) / threads * 4096;
    std::memcpy(to + begin, from + begin, end - begin);
  };
  std::vector<std::jthread> helpers;
  for (std::uint32_t thread = 1; thread < threads; ++thread) helpers.emplace_back(part, thread);
  part(0);
}

// A row before it is measured, and the names of the two benchmarks that give its rates.
struct Plan {
  const char* name;
  pageproof_shape shape;
  std::uint64_t bytes;
  std::uint32_t threads;
  std::string converter;
  std::string copier;
};

}  // namespace

Expected<std::vector<Row>> run_convert_benchmark(const Options& options) {
  const auto subject = std::string("bench convert");
  const auto refuse = [&](const char* field, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
    return std::unexpected(
        Error{subject, field, std::to_string(value), fmt::format("not {} to {}", least, most)});
  };
  if (options.repetitions < 1 || options.repetitions > kMostRepetitions) {
    return refuse("repetitions", options.repetitions, 1, kMostRepetitions);
  }
  if (options.bytes > kMostBytes) return refuse("bytes", options.bytes, 1, kMostBytes);
  const Buffer standard = make_buffer(options.bytes);
  const Buffer planes = make_buffer(options.bytes);
  if (!standard || !planes) {
    return std::unexpected(
        Error{subject, "bytes", std::to_string(options.bytes), "twice as much memory is not to be had"});
  }
  std::vector<Pages> pages;
  for (const pageproof_shape& shape : options.shapes) {
    pages.emplace_back(shape, options.bytes, standard.get(), planes.get());
    const auto name =
        fmt::format("H={} N={} D={} e={}", shape.heads, shape.tokens, shape.head_dim, shape.element_bytes);
    if (pages.back().bytes() == 0)
      return std::unexpected(
          Error{subject, "bytes", std::to_string(options.bytes), "holds no page of " + name});
    const pageproof_job job = pages.back().job(1);
    const pageproof_status status = pageproof_convert(&job);
    if (status != PAGEPROOF_OK)
      return std::unexpected(Error{subject, "shape", name, pageproof_status_text(status)});
  }

  pageproof::bench::Turns turns;
  std::vector<Plan> plans;
  std::map<std::string, bool> copiers;
  for (const Pages& p : pages) {
    for (const std::uint32_t threads : options.threads) {
      const std::uint64_t bytes = p.bytes();
      const auto copier = fmt::format("memcpy_{}_{}", bytes, threads);
      if (!std::exchange(copiers[copier], true)) {
        turns.add(copier, options.repetitions, 1, [&, bytes, threads] {
          copy(planes.get(), standard.get(), bytes, threads);
          return true;
        });
      }
      const pageproof_job job = p.job(threads);
      const auto add_row = [&](const char* name, auto convert) {
        const auto converter = fmt::format("row_{}", plans.size());
        turns.add(converter, options.repetitions, 1,
                  [job, convert] { return convert(&job) == PAGEPROOF_OK; });
        plans.push_back({name, job.shape, bytes, threads, converter, copier});
      };
      add_row("out of place", pageproof_convert);
      if (2 * job.k_plane.block_stride <= PAGEPROOF_IN_PLACE_PAGE_BYTES)
        add_row("in place", pageproof_convert_in_place);
    }
  }

  std::map<std::string, double> medians = turns.run();
  std::vector<Row> rows;
  for (const Plan& plan : plans) {
    const double seconds = medians[plan.converter];
    const double copy_seconds = medians[plan.copier];
    if (seconds <= 0 || copy_seconds <= 0) {
      return std::unexpected(Error{subject, "row", plan.name, "was not measured"});
    }
    const auto gigabytes = static_cast<double>(plan.bytes) / 1e9;
    rows.push_back(Row{.name = plan.name,
                       .shape = plan.shape,
                       .bytes = plan.bytes,
                       .threads = plan.threads,
                       .converter_gb_per_s = gigabytes / seconds,
                       .memcpy_gb_per_s = gigabytes / copy_seconds,
                       .ratio = copy_seconds / seconds});
  }
  return rows;
}

}  // namespace pageproof::convert::bench
