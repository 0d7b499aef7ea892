/* pageproof.h: the converter's C ABI, the way in for everybody: ctypes, connectors, the program `pageproof`,
 * tests.
 *
 * A job moves the listed KV blocks of all layers in one launch:
 *
 *   pageproof_convert           standard pages [H, N, 2*D]  ->  AITER shuffled K and V planes, out of place
 *   pageproof_convert_in_place  the landing                 ->  the same, into the same bytes
 *
 * The landing is what an RDMA read of standard pages leaves behind: the first half of a page's bytes in the
 * K-plane block, the second half in the V-plane block. A half is not K or V, so the whole block is read
 * before any of it is written, and converting twice is corruption.
 *
 *   S = heads * tokens * head_dim * element_bytes      bytes of one side of a block;  x = 16 / element_bytes
 *   K-plane block: [heads, head_dim/x, tokens, x]      V-plane block: [heads, tokens/x, head_dim, x]
 *
 * Nothing is written unless PAGEPROOF_OK is returned (device jobs: unless the launch was accepted).
 */
#ifndef PAGEPROOF_H
#define PAGEPROOF_H

#include <stdint.h>

#if defined(__GNUC__)
#define PAGEPROOF_API __attribute__((visibility("default")))
#else
#define PAGEPROOF_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pageproof_status {
  PAGEPROOF_OK = 0,
  /* the job is null, struct_bytes is not this header's sizeof(pageproof_job), or reserved is not 0 */
  PAGEPROOF_INVALID_STRUCT,
  /* a table, a layer base or the block ids are missing */
  PAGEPROOF_NULL_POINTER,
  /* heads is 0, or above PAGEPROOF_MAX_HEADS */
  PAGEPROOF_UNSUPPORTED_HEADS,
  /* tokens is not 16 or 32 */
  PAGEPROOF_UNSUPPORTED_TOKENS,
  /* head_dim is not 64, 128 or 256 */
  PAGEPROOF_UNSUPPORTED_HEAD_DIM,
  /* element_bytes is not 1 or 2 */
  PAGEPROOF_UNSUPPORTED_ELEMENT_BYTES,
  /* in place: a page above PAGEPROOF_IN_PLACE_PAGE_BYTES; out of place has no bound */
  PAGEPROOF_PAGE_TOO_LARGE,
  /* id_bytes is not 4 or 8 */
  PAGEPROOF_UNSUPPORTED_ID_BYTES,
  /* id_count is above PAGEPROOF_MAX_BLOCKS, or layers above PAGEPROOF_MAX_LAYERS */
  PAGEPROOF_TOO_MANY_BLOCKS,
  /* a layer base or a block stride is no multiple of 16 bytes; a table none of 8; the ids none of id_bytes */
  PAGEPROOF_MISALIGNED,
  /* a block stride is below the bytes of its block, or base + num_blocks * stride wraps */
  PAGEPROOF_STRIDE_TOO_SMALL,
  /* a block id is negative or not below num_blocks */
  PAGEPROOF_BLOCK_ID_OUT_OF_RANGE,
  /* a destination block is listed twice */
  PAGEPROOF_DUPLICATE_BLOCK_ID,
  /* a destination block overlaps another destination or a source block */
  PAGEPROOF_OVERLAP,
  /* memory is no pageproof_memory */
  PAGEPROOF_UNKNOWN_MEMORY,
  /* this build or this machine has no runtime for that memory */
  PAGEPROOF_BACKEND_MISSING,
  /* the runtime is there, a device that this build has code for is not */
  PAGEPROOF_NO_DEVICE,
  /* the runtime refused the launch */
  PAGEPROOF_DEVICE_ERROR,
  /* the host could not allocate what the checks or the stages need */
  PAGEPROOF_OUT_OF_MEMORY
} pageproof_status;

/* In place a whole page is staged on chip; this is the largest (256 KiB). */
#define PAGEPROOF_IN_PLACE_PAGE_BYTES 262144u

/* What one launch holds, in every memory alike. */
#define PAGEPROOF_MAX_HEADS 65535u
#define PAGEPROOF_MAX_LAYERS 65535u
#define PAGEPROOF_MAX_BLOCKS 16777215u

/* Where the pages, the tables of layer bases and the block ids lie. All of a job lies in one memory. */
typedef enum pageproof_memory {
  PAGEPROOF_HOST = 0, /* converted by CPU threads before the call returns */
  PAGEPROOF_CUDA = 1, /* enqueued on `stream`, a cudaStream_t of the current device */
  PAGEPROOF_HIP = 2   /* enqueued on `stream`, a hipStream_t of the current device */
} pageproof_memory;

typedef struct pageproof_shape {
  uint32_t heads;         /* H: KV heads on this rank */
  uint32_t tokens;        /* N: tokens of a block */
  uint32_t head_dim;      /* D: elements of a head */
  uint32_t element_bytes; /* e */
} pageproof_shape;

/* One region per layer, all layers alike: block b of layer l begins at layer_bases[l] + b * block_stride. */
typedef struct pageproof_pool {
  void* const* layer_bases; /* `layers` pointers */
  uint64_t block_stride;    /* bytes; dense: 2S for standard, S for a plane; a two-slot page's planes: 2S */
  uint64_t num_blocks;      /* block ids lie in [0, num_blocks) */
} pageproof_pool;

typedef struct pageproof_job {
  uint32_t struct_bytes; /* sizeof(pageproof_job) */
  uint32_t memory;       /* a pageproof_memory */
  pageproof_shape shape;
  uint32_t layers;
  uint32_t id_bytes;              /* 4 (int32) or 8 (int64) */
  uint64_t id_count;              /* 0 does nothing, as 0 layers; tables and ids may then be null */
  const void* block_ids;          /* blocks of the planes, id_count of them, distinct */
  const void* standard_block_ids; /* out of place: blocks of `standard`, pairwise; null: block_ids */
  pageproof_pool standard;        /* out of place only, never written */
  pageproof_pool k_plane;
  pageproof_pool v_plane;
  void* stream;      /* device memory only; null is the default stream */
  uint32_t threads;  /* host memory only; 0 means 1 */
  uint32_t reserved; /* 0 */
} pageproof_job;

/* Standard pages to shuffled planes. With host memory every argument is checked, block ids included. With
 * device memory ids cannot be read here: an id out of range is skipped by the kernel, and distinctness is the
 * caller's duty. */
PAGEPROOF_API pageproof_status pageproof_convert(const pageproof_job* job);

/* The landing to shuffled planes, into the same bytes. `standard` and `standard_block_ids` are not read. */
PAGEPROOF_API pageproof_status pageproof_convert_in_place(const pageproof_job* job);

/* One sentence naming the bound that was broken; never null. */
PAGEPROOF_API const char* pageproof_status_text(pageproof_status status);

/* "0.1.0" */
PAGEPROOF_API const char* pageproof_version(void);

#ifdef __cplusplus
}
#endif

#endif
