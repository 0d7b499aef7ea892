#include "cli/movement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "cli/fold_path.hpp"
#include "kernels/convert/pageproof.h"

namespace pageproof::cli {
namespace {

using Clock = std::chrono::steady_clock;

// Standard pages that lie at an odd address are converted from aligned copies of this many bytes.
constexpr std::uint64_t kCopyBytes = std::uint64_t{1} << 20;

pageproof_job job_of(const MoveRequest& request) {
  const Shape& shape = request.pool.shape;
  pageproof_job job{};
  job.struct_bytes = sizeof(pageproof_job);
  job.memory = PAGEPROOF_HOST;
  job.shape = {static_cast<std::uint32_t>(shape.heads), static_cast<std::uint32_t>(shape.tokens),
               static_cast<std::uint32_t>(shape.head_dim), static_cast<std::uint32_t>(shape.element_bytes)};
  job.layers = 1;
  job.id_bytes = 8;
  job.threads = request.threads;
  return job;
}

Expected<void> succeeded(pageproof_status status, const reports::Pool& pool) {
  if (status == PAGEPROOF_OK) return {};
  return std::unexpected(Error{"converter", to_string(pool), "", pageproof_status_text(status)});
}

// A job over one layer.
struct Job {
  pageproof_job job;

  Job(const MoveRequest& request, std::span<std::byte> keys, std::span<std::byte> values)
      : job(job_of(request)) {
    const Shape& shape = request.pool.shape;
    job.k_plane = {nullptr, shape.side_bytes(), request.pool.blocks, keys.data(), 0};
    job.v_plane = {nullptr, shape.side_bytes(), request.pool.blocks, values.data(), 0};
    destinations(request.block_ids);
  }

  void destinations(std::span<const std::uint64_t> ids) {
    job.block_ids = ids.data();
    job.id_count = ids.size();
  }
  // The ABI never writes the standard pages; a pool just has one pointer type.
  void source(std::span<const std::byte> pages, const MoveRequest& request, std::uint64_t blocks) {
    job.standard = {nullptr, request.pool.shape.page_bytes(), blocks, const_cast<std::byte*>(pages.data()),
                    0};
  }
};

Expected<void> convert_direct(const MoveRequest& request, std::span<const std::byte> pages,
                              std::span<std::byte> keys, std::span<std::byte> values) {
  Job job(request, keys, values);
  job.source(pages, request, request.pool.blocks);
  return succeeded(pageproof_convert(&job.job), request.pool);
}

// The converter wants bases at multiples of 16 bytes, and a file's tensor begins where its header ends.
Expected<void> convert_copies(const MoveRequest& request, std::span<const std::byte> pages,
                              std::span<std::byte> keys, std::span<std::byte> values) {
  const std::uint64_t page = request.pool.shape.page_bytes();
  const std::uint64_t at_once = std::max<std::uint64_t>(1, kCopyBytes / page) * request.threads;
  const std::uint64_t most = std::min<std::uint64_t>(at_once, request.block_ids.size());
  auto copies = Buffer::of(most * page, "copies of standard pages");
  if (!copies) return std::unexpected(copies.error());
  std::vector<std::uint64_t> positions(most);
  for (std::uint64_t i = 0; i < most; ++i) positions[i] = i;

  Job job(request, keys, values);
  job.source(copies->bytes(), request, most);
  job.job.standard_block_ids = positions.data();
  for (std::size_t begin = 0; begin < request.block_ids.size(); begin += most) {
    const auto ids = request.block_ids.subspan(begin, std::min(most, request.block_ids.size() - begin));
    for (std::size_t i = 0; i < ids.size(); ++i) {
      std::memcpy(copies->bytes().data() + i * page, pages.data() + ids[i] * page, page);
    }
    job.destinations(ids);
    if (const auto done = succeeded(pageproof_convert(&job.job), request.pool); !done) return done;
  }
  return {};
}

void land(const MoveRequest& request, std::span<const std::byte> pages, std::span<std::byte> keys,
          std::span<std::byte> values) {
  const std::uint64_t half = request.pool.shape.side_bytes();
  for (const std::uint64_t block : request.block_ids) {
    std::memcpy(keys.data() + block * half, pages.data() + block * 2 * half, half);
    std::memcpy(values.data() + block * half, pages.data() + block * 2 * half + half, half);
  }
}

Expected<void> convert_in_place(const MoveRequest& request, bool in_scope, std::span<const std::byte> pages,
                                std::span<std::byte> keys, std::span<std::byte> values) {
  const Shape& shape = request.pool.shape;
  if (shape.page_bytes() > PAGEPROOF_IN_PLACE_PAGE_BYTES) {
    return std::unexpected(Error{
        "--in-place", "page_too_large", fmt::format("{} bytes ({})", shape.page_bytes(), to_string(shape)),
        fmt::format("in place takes pages of at most {} bytes; out of place has no bound",
                    PAGEPROOF_IN_PLACE_PAGE_BYTES)});
  }
  land(request, pages, keys, values);
  if (!in_scope) return fold_in_place(request, keys, values);
  const Job job(request, keys, values);
  return succeeded(pageproof_convert_in_place(&job.job), request.pool);
}

Expected<void> convert_out_of_place(const MoveRequest& request, bool in_scope,
                                    std::span<const std::byte> pages, std::span<std::byte> keys,
                                    std::span<std::byte> values) {
  if (!in_scope) {
    return fold_pages(request, **page::find_format("standard"), **page::find_format("aiter-shuffled"),
                      {pages, {}}, {keys, values});
  }
  const bool aligned = reinterpret_cast<std::uintptr_t>(pages.data()) % kGranuleBytes == 0;
  return (aligned ? convert_direct : convert_copies)(request, pages, keys, values);
}

}  // namespace

Expected<Buffer> Buffer::of(std::uint64_t bytes, const std::string& what) {
  Buffer buffer;
  buffer.bytes_.reset(new (std::nothrow) std::byte[bytes]);
  if (!buffer.bytes_) {
    return std::unexpected(Error{"memory", what, fmt::format("{} bytes", bytes), "not available"});
  }
  buffer.size_ = bytes;
  return buffer;
}

std::optional<std::string> outside_converter(const Shape& shape) {
  const std::uint64_t largest = std::max({shape.heads, shape.tokens, shape.head_dim});
  if (largest > UINT32_MAX) return "an axis has 2^32 elements or more";
  alignas(kGranuleBytes) std::byte nowhere[kGranuleBytes];
  const MoveRequest nothing{{shape, 1, {}}, {}};
  Job empty(nothing, nowhere, nowhere);
  empty.source(nowhere, nothing, 1);
  const pageproof_status status = pageproof_convert(&empty.job);
  if (status == PAGEPROOF_OK) return std::nullopt;
  return pageproof_status_text(status);
}

Expected<Movement> move_pages(const MoveRequest& request, const ConvertPlan& plan,
                              const page::ConstRegions& source, const page::MutableRegions& destination) {
  const Clock::time_point begin = Clock::now();
  if (!plan.converter_pair()) {
    const auto moved = fold_pages(request, *plan.from, *plan.to, source, destination);
    if (!moved) return std::unexpected(moved.error());
    return Movement{Path::fold,
                    plan.checked_pair() ? "the converter has no way back to standard pages"
                                        : "the converter moves standard pages to aiter-shuffled alone",
                    Clock::now() - begin};
  }
  const std::optional<std::string> outside = outside_converter(request.pool.shape);
  const auto moved = (request.in_place ? convert_in_place : convert_out_of_place)(
      request, !outside, source.first, destination.first, destination.second);
  if (!moved) return std::unexpected(moved.error());
  return Movement{outside ? Path::fold : Path::converter, outside.value_or(""), Clock::now() - begin};
}

}  // namespace pageproof::cli
