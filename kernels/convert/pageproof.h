/* pageproof.h: the converter's C ABI, the way in for everybody: ctypes, connectors, the program `pageproof`,
 * tests.
 *
 * A job moves the listed KV blocks of all layers in one launch:
 *
 *   pageproof_convert           standard pages [H, N, 2*D]  ->  AITER shuffled K and V planes, out of place
 *   pageproof_convert_in_place  the landing                 ->  the same, into the same bytes
 *
 * Three fields of the job, 0 in the case above, ask for more: `order` (pages [N, H, 2*D]), `direction`
 * (planes back into pages, or into their landing) and `rewrite` (OCP e4m3 codes into e4m3fnuz codes on the
 * way).
 *
 * The landing is what an RDMA read of standard pages leaves behind: the first half of a page's bytes in the
 * K-plane block, the second half in the V-plane block. A half is not K or V, so the whole block is read
 * before any of it is written, and converting twice is corruption.
 *
 *   S = heads * tokens * head_dim * element_bytes      bytes of one side of a block;  x = 16 / element_bytes
 *   K-plane block: [heads, head_dim/x, tokens, x]      V-plane block: [heads, tokens/x, head_dim, x]
 *
 * No plan, no handle, no allocation on the device, no synchronisation: on a device a job is one launch on
 * `stream`, and may be captured into a graph. `job` itself is read before the call returns; what it points to
 * in device memory must live until the launch has run.
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

/* The numbers are part of the ABI. */
typedef enum pageproof_status {
  PAGEPROOF_OK = 0,
  /* the job is null, or struct_bytes is not this header's sizeof(pageproof_job) */
  PAGEPROOF_INVALID_STRUCT = 1,
  /* layer_bases and base, a layer base or the block ids are missing */
  PAGEPROOF_NULL_POINTER = 2,
  /* heads is 0, or above PAGEPROOF_MAX_HEADS */
  PAGEPROOF_UNSUPPORTED_HEADS = 3,
  /* tokens is not 16 or 32 */
  PAGEPROOF_UNSUPPORTED_TOKENS = 4,
  /* head_dim is not 64, 128 or 256 */
  PAGEPROOF_UNSUPPORTED_HEAD_DIM = 5,
  /* element_bytes is not 1 or 2 */
  PAGEPROOF_UNSUPPORTED_ELEMENT_BYTES = 6,
  /* order is no pageproof_order, direction no pageproof_direction or rewrite no pageproof_rewrite */
  PAGEPROOF_UNKNOWN_ORDER = 7,
  /* rewrite asks for codes of 1 byte, and element_bytes is not 1 */
  PAGEPROOF_REWRITE_NEEDS_BYTES = 8,
  /* in place: a page above PAGEPROOF_IN_PLACE_PAGE_BYTES; out of place has no bound */
  PAGEPROOF_PAGE_TOO_LARGE = 9,
  /* id_bytes is not 4 or 8 */
  PAGEPROOF_UNSUPPORTED_ID_BYTES = 10,
  /* id_count is above PAGEPROOF_MAX_BLOCKS, or layers above PAGEPROOF_MAX_LAYERS */
  PAGEPROOF_TOO_MANY_BLOCKS = 11,
  /* a layer base, a layer stride or a block stride is no multiple of 16 bytes; a table none of 8; the ids
     none of id_bytes */
  PAGEPROOF_MISALIGNED = 12,
  /* a block stride is below the bytes of its block, or the end of a pool wraps */
  PAGEPROOF_STRIDE_TOO_SMALL = 13,
  /* a block id is negative or not below num_blocks */
  PAGEPROOF_BLOCK_ID_OUT_OF_RANGE = 14,
  /* a destination block is listed twice */
  PAGEPROOF_DUPLICATE_BLOCK_ID = 15,
  /* a destination block overlaps another destination or a source block */
  PAGEPROOF_OVERLAP = 16,
  /* memory is no pageproof_memory */
  PAGEPROOF_UNKNOWN_MEMORY = 17,
  /* this build or this machine has no runtime for that memory */
  PAGEPROOF_BACKEND_MISSING = 18,
  /* the runtime is there, a device that this build has code for is not */
  PAGEPROOF_NO_DEVICE = 19,
  /* the runtime refused the launch */
  PAGEPROOF_DEVICE_ERROR = 20,
  /* the host could not allocate what the checks or the stages need */
  PAGEPROOF_OUT_OF_MEMORY = 21
} pageproof_status;

/* In place a whole page is staged on chip; this is the largest (256 KiB), in every memory, order and
 * direction. */
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

/* The order of the bytes of a page, in the pool `standard` or in its landing. */
typedef enum pageproof_order {
  PAGEPROOF_HEADS_FIRST = 0, /* [H, N, 2*D], layout LBHNC (HND) */
  PAGEPROOF_TOKENS_FIRST = 1 /* [N, H, 2*D], layout LBNHC (NHD): a byte half cuts every head at token N/2 */
} pageproof_order;

typedef enum pageproof_direction {
  PAGEPROOF_TO_PLANES = 0, /* `standard` (in place: the landing) is read, the planes are written */
  PAGEPROOF_TO_PAGES = 1   /* the planes are read, `standard` (in place: the landing) is written */
} pageproof_direction;

/* What becomes of the bytes on the way. PAGEPROOF_E4M3_TO_E4M3FNUZ is for elements that are OCP e4m3 codes
 * (e4m3fn) and a reader that takes them for e4m3fnuz (gfx90a, gfx942): 0x80 -> 0x00, 0x7F and 0xFF -> 0x80,
 * all other codes as they are. An e4m3fnuz code means half of what the same e4m3 code means, so the result is
 * right only for a reader whose scale is TWICE the writer's: the caller must bring the doubled scale to the
 * reader. AITER's asm and ll4mi decode paths as vLLM calls them today are given scales of one, whatever the
 * layer's scale is: with these the rewritten pages read as half of what they should. The way back (e4m3fnuz
 * to e4m3) is not offered: 240 and -240 have no e4m3 code of twice the value. */
typedef enum pageproof_rewrite { PAGEPROOF_KEEP_BYTES = 0, PAGEPROOF_E4M3_TO_E4M3FNUZ = 1 } pageproof_rewrite;

/* One region per layer, all layers alike. Block b of layer l begins b * block_stride after the layer's base,
 * which is layer_bases[l], or, where layer_bases is null, base + l * layer_stride. The table lies in the
 * job's memory (device memory: the kernel reads it); base and layer_stride need none: one tensor of all
 * layers, or one layer a job. */
typedef struct pageproof_pool {
  void* const* layer_bases; /* `layers` pointers, or null */
  uint64_t block_stride;    /* bytes; dense: 2S for standard, S for a plane; a two-slot page's planes: 2S */
  uint64_t num_blocks;      /* block ids lie in [0, num_blocks) */
  void* base;               /* of layer 0; not read where layer_bases is given */
  uint64_t layer_stride;    /* bytes */
} pageproof_pool;

typedef struct pageproof_job {
  uint32_t struct_bytes; /* sizeof(pageproof_job) */
  uint32_t memory;       /* a pageproof_memory */
  pageproof_shape shape;
  uint32_t layers;
  uint32_t id_bytes;              /* 4 (int32) or 8 (int64) */
  uint64_t id_count;              /* 0 does nothing, as 0 layers; tables and ids may then be null */
  const void* block_ids;          /* blocks of the planes, id_count of them */
  const void* standard_block_ids; /* out of place: blocks of `standard`, pairwise; null: block_ids */
  pageproof_pool standard;        /* out of place only; the ids of what is written are distinct */
  pageproof_pool k_plane;
  pageproof_pool v_plane;
  void* stream;       /* device memory only; null is the default stream */
  uint32_t threads;   /* host memory only; 0 means 1, above 1024 means 1024 */
  uint32_t order;     /* a pageproof_order */
  uint32_t direction; /* a pageproof_direction */
  uint32_t rewrite;   /* a pageproof_rewrite */
} pageproof_job;

/* Pages to shuffled planes, or back. With host memory every argument is checked, block ids included. With
 * device memory ids cannot be read here: an id out of range is skipped by the kernel, and distinctness is the
 * caller's duty. */
PAGEPROOF_API pageproof_status pageproof_convert(const pageproof_job* job);

/* The landing to shuffled planes, or back, into the same bytes. `standard` and `standard_block_ids` are not
 * read. */
PAGEPROOF_API pageproof_status pageproof_convert_in_place(const pageproof_job* job);

/* One sentence naming the bound that was broken; never null. */
PAGEPROOF_API const char* pageproof_status_text(pageproof_status status);

/* "0.1.0" */
PAGEPROOF_API const char* pageproof_version(void);

#ifdef __cplusplus
}
#endif

#endif
