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

pageproof_job job_of(const MoveRequest& request, const ConvertPlan& plan) {
  const Shape& shape = request.pool.shape;
  pageproof_job job{};
  job.struct_bytes = sizeof(pageproof_job);
  job.memory = PAGEPROOF_HOST;
  job.shape = {static_cast<std::uint32_t>(shape.heads), static_cast<std::uint32_t>(shape.tokens),
               static_cast<std::uint32_t>(shape.head_dim), static_cast<std::uint32_t>(shape.element_bytes)};
  job.layers = 1;
  job.id_bytes = 8;
  job.threads = request.threads;
  job.order = plan.tokens_first() ? PAGEPROOF_TOKENS_FIRST : PAGEPROOF_HEADS_FIRST;
  job.direction = plan.to_planes() ? PAGEPROOF_TO_PLANES : PAGEPROOF_TO_PAGES;
  job.rewrite = plan.rewrite ? PAGEPROOF_E4M3_TO_E4M3FNUZ : PAGEPROOF_KEEP_BYTES;
  return job;
}

Expected<void> succeeded(pageproof_status status, const reports::Pool& pool) {
  if (status == PAGEPROOF_OK) return {};
  return std::unexpected(Error{"converter", to_string(pool), "", pageproof_status_text(status)});
}

// The ABI never writes what a job reads; a pool just has one pointer type.
pageproof_pool pool_of(std::span<const std::byte> bytes, std::uint64_t block_bytes, std::uint64_t blocks) {
  return {nullptr, block_bytes, blocks, const_cast<std::byte*>(bytes.data()), 0};
}

// The regions of a conversion by the C ABI, whichever way it goes.
struct Sides {
  std::span<const std::byte> pages;
  std::span<const std::byte> keys;
  std::span<const std::byte> values;
};

Expected<void> convert_job(const MoveRequest& request, const ConvertPlan& plan, const Sides& sides,
                           std::span<const std::uint64_t> plane_ids,
                           std::span<const std::uint64_t> page_ids) {
  const Shape& shape = request.pool.shape;
  pageproof_job job = job_of(request, plan);
  job.block_ids = plane_ids.data();
  job.standard_block_ids = page_ids.data();
  job.id_count = plane_ids.size();
  job.standard = pool_of(sides.pages, shape.page_bytes(), sides.pages.size() / shape.page_bytes());
  job.k_plane = pool_of(sides.keys, shape.side_bytes(), sides.keys.size() / shape.side_bytes());
  job.v_plane = pool_of(sides.values, shape.side_bytes(), sides.values.size() / shape.side_bytes());
  return succeeded(pageproof_convert(&job), request.pool);
}

// Listed blocks of a region, one behind the other.
void gather(std::span<const std::byte> region, std::uint64_t block_bytes, std::span<const std::uint64_t> ids,
            std::span<std::byte> to) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::memcpy(to.data() + i * block_bytes, region.data() + ids[i] * block_bytes, block_bytes);
  }
}

// The converter wants bases at multiples of 16 bytes, and a file's tensor begins where its header ends.
Expected<void> convert_copies(const MoveRequest& request, const ConvertPlan& plan, const Sides& sides) {
  const std::uint64_t page = request.pool.shape.page_bytes(), side = page / 2;
  const std::uint64_t at_once = std::max<std::uint64_t>(1, kCopyBytes / page) * request.threads;
  const std::uint64_t most = std::min<std::uint64_t>(at_once, request.block_ids.size());
  auto copies = Buffer::of(most * page, "copies of pages");
  if (!copies) return std::unexpected(copies.error());
  std::vector<std::uint64_t> positions(most);
  for (std::uint64_t i = 0; i < most; ++i) positions[i] = i;

  for (std::size_t begin = 0; begin < request.block_ids.size(); begin += most) {
    const auto ids = request.block_ids.subspan(begin, std::min(most, request.block_ids.size() - begin));
    const auto places = std::span<const std::uint64_t>(positions).first(ids.size());
    Expected<void> done;
    if (plan.to_planes()) {
      gather(sides.pages, page, ids, copies->bytes());
      done = convert_job(request, plan, {copies->bytes(), sides.keys, sides.values}, ids, places);
    } else {
      const auto keys = copies->bytes().first(most * side), values = copies->bytes().last(most * side);
      gather(sides.keys, side, ids, keys);
      gather(sides.values, side, ids, values);
      done = convert_job(request, plan, {sides.pages, keys, values}, places, ids);
    }
    if (!done) return done;
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

Expected<void> convert_in_place(const MoveRequest& request, const ConvertPlan& plan, bool in_scope,
                                std::span<const std::byte> pages, std::span<std::byte> keys,
                                std::span<std::byte> values) {
  const Shape& shape = request.pool.shape;
  if (shape.page_bytes() > PAGEPROOF_IN_PLACE_PAGE_BYTES) {
    return std::unexpected(Error{
        "--in-place", "page_too_large", fmt::format("{} bytes ({})", shape.page_bytes(), to_string(shape)),
        fmt::format("in place takes pages of at most {} bytes; out of place has no bound",
                    PAGEPROOF_IN_PLACE_PAGE_BYTES)});
  }
  land(request, pages, keys, values);
  if (!in_scope) {
    const auto moved = fold_in_place(request, *plan.from, keys, values);
    if (!moved || !plan.rewrite) return moved;
    rewrite_blocks(request, keys, shape.side_bytes());
    rewrite_blocks(request, values, shape.side_bytes());
    return {};
  }
  pageproof_job job = job_of(request, plan);
  job.block_ids = request.block_ids.data();
  job.id_count = request.block_ids.size();
  job.k_plane = pool_of(keys, shape.side_bytes(), request.pool.blocks);
  job.v_plane = pool_of(values, shape.side_bytes(), request.pool.blocks);
  return succeeded(pageproof_convert_in_place(&job), request.pool);
}

Expected<void> fold(const MoveRequest& request, const ConvertPlan& plan, const page::ConstRegions& source,
                    const page::MutableRegions& destination) {
  const auto moved = fold_pages(request, *plan.from, *plan.to, source, destination);
  if (!moved || !plan.rewrite) return moved;
  const bool planes = plan.to->regions == page::Regions::planes;
  const std::uint64_t block = planes ? request.pool.shape.side_bytes() : request.pool.shape.page_bytes();
  rewrite_blocks(request, destination.first, block);
  if (planes) rewrite_blocks(request, destination.second, block);
  return {};
}

Expected<void> convert_out_of_place(const MoveRequest& request, const ConvertPlan& plan,
                                    const page::ConstRegions& source,
                                    const page::MutableRegions& destination) {
  const auto aligned = [](std::span<const std::byte> region) {
    return reinterpret_cast<std::uintptr_t>(region.data()) % kGranuleBytes == 0;
  };
  const Sides sides = plan.to_planes() ? Sides{source.first, destination.first, destination.second}
                                       : Sides{destination.first, source.first, source.second};
  if (!aligned(source.first) || !aligned(source.second)) return convert_copies(request, plan, sides);
  return convert_job(request, plan, sides, request.block_ids, request.block_ids);
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
  static const ConvertPlan plan{*page::find_format("standard"), *page::find_format("aiter-shuffled")};
  const MoveRequest nothing{{shape, 1, {}}, {}};
  const pageproof_job empty = job_of(nothing, plan);
  const pageproof_status status = pageproof_convert(&empty);
  if (status == PAGEPROOF_OK) return std::nullopt;
  return pageproof_status_text(status);
}

Expected<Movement> move_pages(const MoveRequest& request, const ConvertPlan& plan,
                              const page::ConstRegions& source, const page::MutableRegions& destination) {
  const Clock::time_point begin = Clock::now();
  const std::optional<std::string> outside =
      plan.converter_serves()
          ? outside_converter(request.pool.shape)
          : "the converter moves standard and standard-nhd pages to aiter-shuffled and back";
  Expected<void> moved;
  if (request.in_place) {
    moved = convert_in_place(request, plan, !outside, source.first, destination.first, destination.second);
  } else {
    moved = (outside ? fold : convert_out_of_place)(request, plan, source, destination);
  }
  if (!moved) return std::unexpected(moved.error());
  return Movement{outside ? Path::fold : Path::converter, outside.value_or(""), Clock::now() - begin};
}

}  // namespace pageproof::cli
