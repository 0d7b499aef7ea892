#include "kernels/convert/pageproof.h"

#include <new>

#include "kernels/convert/check.hpp"
#include "kernels/convert/launch.hpp"
#include "kernels/convert/orders/orders_launch.hpp"

namespace pageproof::convert {
namespace {

pageproof_status run(const pageproof_job* job, Direction direction) noexcept {
  try {
    if (const auto status = check_arguments(job, direction)) return status;
    const bool other = is_other_order(*job);
    if (job->memory == PAGEPROOF_CUDA) return (other ? run_order_on_cuda : run_on_cuda)(*job, direction);
    if (job->memory == PAGEPROOF_HIP) return (other ? run_order_on_hip : run_on_hip)(*job, direction);
    if (const auto status = check_memory(*job, direction)) return status;
    return (other ? run_order_on_host : run_on_host)(*job, direction);
  } catch (const std::bad_alloc&) {
    return PAGEPROOF_OUT_OF_MEMORY;
  }
}

}  // namespace
}  // namespace pageproof::convert

extern "C" {

pageproof_status pageproof_convert(const pageproof_job* job) {
  return pageproof::convert::run(job, pageproof::convert::Direction::out_of_place);
}

pageproof_status pageproof_convert_in_place(const pageproof_job* job) {
  return pageproof::convert::run(job, pageproof::convert::Direction::in_place);
}

const char* pageproof_status_text(pageproof_status status) {
  switch (status) {
    case PAGEPROOF_OK:
      return "ok";
    case PAGEPROOF_INVALID_STRUCT:
      return "the job is null, or struct_bytes is not this library's sizeof(pageproof_job)";
    case PAGEPROOF_NULL_POINTER:
      return "layer_bases and base, a layer base or block_ids is null";
    case PAGEPROOF_UNSUPPORTED_HEADS:
      return "heads must be 1 to 65535";
    case PAGEPROOF_UNSUPPORTED_TOKENS:
      return "tokens must be 16 or 32";
    case PAGEPROOF_UNSUPPORTED_HEAD_DIM:
      return "head_dim must be 64, 128 or 256";
    case PAGEPROOF_UNSUPPORTED_ELEMENT_BYTES:
      return "element_bytes must be 1 or 2";
    case PAGEPROOF_UNKNOWN_ORDER:
      return "order must be PAGEPROOF_HEADS_FIRST or _TOKENS_FIRST, direction PAGEPROOF_TO_PLANES or "
             "_TO_PAGES, "
             "rewrite PAGEPROOF_KEEP_BYTES or PAGEPROOF_E4M3_TO_E4M3FNUZ";
    case PAGEPROOF_REWRITE_NEEDS_BYTES:
      return "rewrite takes codes of 1 byte: element_bytes must be 1";
    case PAGEPROOF_PAGE_TOO_LARGE:
      return "page_too_large: in place a page (2 * heads * tokens * head_dim * element_bytes) holds at most "
             "262144 "
             "bytes; out of place has no bound";
    case PAGEPROOF_UNSUPPORTED_ID_BYTES:
      return "id_bytes must be 4 or 8";
    case PAGEPROOF_TOO_MANY_BLOCKS:
      return "one launch takes at most 16777215 block ids and 65535 layers";
    case PAGEPROOF_MISALIGNED:
      return "layer bases, layer strides and block strides must be multiples of 16 bytes, layer_bases of 8, "
             "ids "
             "of id_bytes";
    case PAGEPROOF_STRIDE_TOO_SMALL:
      return "a block stride is below the bytes of its block, or the end of a pool leaves the 64-bit "
             "addresses";
    case PAGEPROOF_BLOCK_ID_OUT_OF_RANGE:
      return "a block id is negative or not below num_blocks";
    case PAGEPROOF_DUPLICATE_BLOCK_ID:
      return "a destination block is listed twice: converting it twice would corrupt it";
    case PAGEPROOF_OVERLAP:
      return "a destination block overlaps another destination block or a source block";
    case PAGEPROOF_UNKNOWN_MEMORY:
      return "memory must be PAGEPROOF_HOST, PAGEPROOF_CUDA or PAGEPROOF_HIP";
    case PAGEPROOF_BACKEND_MISSING:
      return "this build or this machine has no runtime for that memory";
    case PAGEPROOF_NO_DEVICE:
      return "the runtime is there, a device that this build has code for is not";
    case PAGEPROOF_DEVICE_ERROR:
      return "the device's runtime refused the launch";
    case PAGEPROOF_OUT_OF_MEMORY:
      return "the host has no memory left for the check of the block list or for the stages";
  }
  return "no pageproof_status";
}

const char* pageproof_version(void) {
  return PAGEPROOF_VERSION;
}
}
