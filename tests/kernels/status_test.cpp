// Every status has a job that returns it, and then nothing was written.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <set>

#include "tests/kernels/pages.hpp"

namespace {
// Allocations that still succeed; then std::bad_alloc.
long allocations_left = -1;
}  // namespace

void* operator new(std::size_t bytes) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace pageproof::tests {
namespace {

// What a row of the table may bend, besides the job: copies of the tables and ids.
struct Tables {
  std::vector<void*> k, v, standard;
  std::vector<std::int64_t> ids, standard_ids;
};

struct Refusal {
  const char* what;
  pageproof_status status;
  std::function<void(pageproof_job&, Tables&)> bend;
};

#define BEND [](pageproof_job & job, Tables & tables)
#define UNUSED (void)job, (void)tables

// In both directions.
const std::vector<Refusal> kRefusals = {
    {"struct_bytes of another version", PAGEPROOF_INVALID_STRUCT, BEND{UNUSED;
job.struct_bytes -= 8;
}  // namespace
}  // namespace pageproof::tests
, {"a memory nobody knows", PAGEPROOF_UNKNOWN_MEMORY, BEND{UNUSED;
job.memory = 3;
}
}
, {"no K table", PAGEPROOF_NULL_POINTER, BEND{UNUSED;
job.k_plane.layer_bases = nullptr;
}
}
, {"no V table", PAGEPROOF_NULL_POINTER, BEND{UNUSED;
job.v_plane.layer_bases = nullptr;
}
}
, {"no ids", PAGEPROOF_NULL_POINTER, BEND{UNUSED;
job.block_ids = nullptr;
}
}
, {"no base for layer 1", PAGEPROOF_NULL_POINTER, BEND{UNUSED;
tables.v[1] = nullptr;
}
}
, {"no heads", PAGEPROOF_UNSUPPORTED_HEADS, BEND{UNUSED;
job.shape.heads = 0;
}
}
, {"too many heads", PAGEPROOF_UNSUPPORTED_HEADS, BEND{UNUSED;
job.shape.heads = PAGEPROOF_MAX_HEADS + 1;
}
}
, {"17 tokens", PAGEPROOF_UNSUPPORTED_TOKENS, BEND{UNUSED;
job.shape.tokens = 17;
}
}
, {"64 tokens", PAGEPROOF_UNSUPPORTED_TOKENS, BEND{UNUSED;
job.shape.tokens = 64;
}
}
, {"head_dim 80", PAGEPROOF_UNSUPPORTED_HEAD_DIM, BEND{UNUSED;
job.shape.head_dim = 80;
}
}
, {"4-byte elements", PAGEPROOF_UNSUPPORTED_ELEMENT_BYTES, BEND{UNUSED;
job.shape.element_bytes = 4;
}
}
, {"2-byte ids", PAGEPROOF_UNSUPPORTED_ID_BYTES, BEND{UNUSED;
job.id_bytes = 2;
}
}
, {"2^24 ids", PAGEPROOF_TOO_MANY_BLOCKS, BEND{UNUSED;
job.id_count = PAGEPROOF_MAX_BLOCKS + 1ull;
}
}
, {"2^63 ids", PAGEPROOF_TOO_MANY_BLOCKS, BEND{UNUSED;
job.id_count = 1ull << 63;
}
}
, {"65536 layers", PAGEPROOF_TOO_MANY_BLOCKS, BEND{UNUSED;
job.layers = PAGEPROOF_MAX_LAYERS + 1;
}
}
, {"a stride of 16 n + 8", PAGEPROOF_MISALIGNED, BEND{UNUSED;
job.k_plane.block_stride += 8;
}
}
, {"a base of 16 n + 8", PAGEPROOF_MISALIGNED, BEND{UNUSED;
tables.k[1] = static_cast<char*>(tables.k[1]) + 8;
}
}
, {"a table of 8 n + 4", PAGEPROOF_MISALIGNED, BEND{UNUSED;
job.v_plane.layer_bases = reinterpret_cast<void* const*>(reinterpret_cast<const char*>(tables.v.data()) + 4);
}
}
, {"ids of 8 n + 4", PAGEPROOF_MISALIGNED, BEND{UNUSED;
job.block_ids = reinterpret_cast<const char*>(tables.ids.data()) + 4;
}
}
, {"a K stride below S", PAGEPROOF_STRIDE_TOO_SMALL, BEND{UNUSED;
job.k_plane.block_stride -= 16;
}
}
, {"a V stride of 0", PAGEPROOF_STRIDE_TOO_SMALL, BEND{UNUSED;
job.v_plane.block_stride = 0;
}
}
, {"num_blocks * stride wraps", PAGEPROOF_STRIDE_TOO_SMALL, BEND{UNUSED;
job.k_plane.num_blocks = 1ull << 52;
}
}
, {"base + num_blocks * stride wraps", PAGEPROOF_STRIDE_TOO_SMALL, BEND{UNUSED;
tables.k[0] = reinterpret_cast<void*>(~std::uintptr_t{15});
}
}
, {"a negative id", PAGEPROOF_BLOCK_ID_OUT_OF_RANGE, BEND{UNUSED;
tables.ids[2] = -1;
}
}
, {"an id of num_blocks", PAGEPROOF_BLOCK_ID_OUT_OF_RANGE, BEND{UNUSED;
tables.ids[0] = 6;
}
}
, {"an id beyond the V pool alone", PAGEPROOF_BLOCK_ID_OUT_OF_RANGE, BEND{UNUSED;
job.v_plane.num_blocks = 5;
}
}
, {"an id twice", PAGEPROOF_DUPLICATE_BLOCK_ID, BEND{UNUSED;
tables.ids[2] = tables.ids[0];
}
}
, {"V is K", PAGEPROOF_OVERLAP, BEND{UNUSED;
tables.v = tables.k;
}
}
, {"V begins in K's last block", PAGEPROOF_OVERLAP, BEND{UNUSED;
tables.v[0] = static_cast<char*>(tables.k[0]) + 6 * job.k_plane.block_stride - 16;
}
}
, {"layer 1 is layer 0", PAGEPROOF_OVERLAP, BEND{UNUSED;
tables.k[1] = tables.k[0];
}
}
,
}
;

const std::vector<Refusal> kOutOfPlaceRefusals = {{"no standard table", PAGEPROOF_NULL_POINTER, BEND{UNUSED;
job.standard.layer_bases = nullptr;
}
}
, {"no standard base", PAGEPROOF_NULL_POINTER, BEND{UNUSED;
tables.standard[0] = nullptr;
}
}
, {"a standard base of 16 n + 1", PAGEPROOF_MISALIGNED, BEND{UNUSED;
tables.standard[0] = static_cast<char*>(tables.standard[0]) + 1;
}
}
, {"standard ids of 8 n + 4", PAGEPROOF_MISALIGNED, BEND{UNUSED;
job.standard_block_ids = reinterpret_cast<const char*>(tables.standard_ids.data()) + 4;
}
}
, {"a standard stride below 2S", PAGEPROOF_STRIDE_TOO_SMALL, BEND{UNUSED;
job.standard.block_stride /= 2;
}
}
, {"a negative standard id", PAGEPROOF_BLOCK_ID_OUT_OF_RANGE, BEND{UNUSED;
tables.standard_ids[1] = -7;
}
}
, {"a standard id of num_blocks", PAGEPROOF_BLOCK_ID_OUT_OF_RANGE, BEND{UNUSED;
tables.standard_ids[1] = 4;
}
}
, {"the planes lie in the standard pages", PAGEPROOF_OVERLAP, BEND{UNUSED;
tables.k[0] = tables.standard[1];
}
}
,
}
;

const std::vector<Refusal> kInPlaceRefusals = {
    {"a page of 256 KiB + 8 KiB", PAGEPROOF_PAGE_TOO_LARGE, BEND{UNUSED;
job.shape.heads = 33;
job.k_plane.block_stride = job.v_plane.block_stride = 33 * 4096;
}
}
,
}
;

#undef BEND
#undef UNUSED

Case refusal_case() {
  Case c;
  c.shape = {2, 16, 128, 2};
  c.layers = 2;
  c.plane_blocks = 6;
  c.standard_blocks = 4;
  c.block_ids = {5, 0, 3};
  c.standard_block_ids = {1, 3, 1};
  return c;
}

class Job {
 public:
  Job(bool in_place, Strides strides) : in_place_(in_place), case_(refusal_case()) {
    case_.strides = strides;
    memory_ = std::make_unique<Memory>(case_, in_place, 5);
    job_ = memory_->job();
    tables_.k.assign(job_.k_plane.layer_bases, job_.k_plane.layer_bases + 2);
    tables_.v.assign(job_.v_plane.layer_bases, job_.v_plane.layer_bases + 2);
    if (!in_place) tables_.standard.assign(job_.standard.layer_bases, job_.standard.layer_bases + 2);
    tables_.ids = case_.block_ids;
    tables_.standard_ids = case_.standard_block_ids;
    job_.k_plane.layer_bases = tables_.k.data();
    job_.v_plane.layer_bases = tables_.v.data();
    job_.standard.layer_bases = tables_.standard.data();
    job_.block_ids = tables_.ids.data();
    job_.standard_block_ids = tables_.standard_ids.data();
  }

  pageproof_status run(const std::function<void(pageproof_job&, Tables&)>& bend = nullptr) {
    if (bend) bend(job_, tables_);
    return in_place_ ? pageproof_convert_in_place(&job_) : pageproof_convert(&job_);
  }

  bool untouched() const { return memory_->planes() == memory_->before() && memory_->standard_untouched(); }
  bool converted() const { return memory_->planes() == memory_->expected(); }

 private:
  bool in_place_;
  Case case_;
  std::unique_ptr<Memory> memory_;
  pageproof_job job_;
  Tables tables_;
};

void expect_refused(const std::vector<Refusal>& refusals, bool in_place) {
  for (const Refusal& refusal : refusals) {
    Job job(in_place, Strides::dense);
    EXPECT_EQ(job.run(refusal.bend), refusal.status) << refusal.what << (in_place ? " in place" : "");
    EXPECT_TRUE(job.untouched()) << refusal.what << (in_place ? " in place" : "");
  }
}

TEST(status, the_job_that_every_refusal_bends_is_fine_itself) {
  for (const bool in_place : {false, true}) {
    for (const Strides strides : {Strides::dense, Strides::two_slot, Strides::padded}) {
      Job job(in_place, strides);
      EXPECT_EQ(job.run(), PAGEPROOF_OK);
      EXPECT_TRUE(job.converted());
    }
  }
}

TEST(status, out_of_place_every_refusal_writes_nothing) {
  expect_refused(kRefusals, false);
  expect_refused(kOutOfPlaceRefusals, false);
}

TEST(status, in_place_every_refusal_writes_nothing) {
  expect_refused(kRefusals, true);
  expect_refused(kInPlaceRefusals, true);
}

TEST(status, no_job_is_an_invalid_struct) {
  EXPECT_EQ(pageproof_convert(nullptr), PAGEPROOF_INVALID_STRUCT);
  EXPECT_EQ(pageproof_convert_in_place(nullptr), PAGEPROOF_INVALID_STRUCT);
}

// K and V of a two-slot page lie between each other; only the blocks themselves tell that they do not touch.
TEST(status, interleaved_planes_that_touch_are_an_overlap) {
  Job job(false, Strides::two_slot);
  const auto shift = [](pageproof_job&, Tables& tables) {
    tables.v[0] = static_cast<char*>(tables.v[0]) - 16;
  };
  EXPECT_EQ(job.run(shift), PAGEPROOF_OVERLAP);
  EXPECT_TRUE(job.untouched());
}

TEST(status, a_page_of_exactly_the_bound_converts_in_place) {
  Case c;
  c.shape = {8, 32, 256, 2};
  ASSERT_EQ(2 * c.side_bytes(), PAGEPROOF_IN_PLACE_PAGE_BYTES);
  Memory memory(c, true, 1);
  const pageproof_job job = memory.job();
  EXPECT_EQ(pageproof_convert_in_place(&job), PAGEPROOF_OK);
  EXPECT_EQ(difference(memory.planes(), memory.expected()), "");
}

// Whichever allocation fails, either it is told and nothing is written, or all is written.
TEST(status, out_of_memory_writes_nothing) {
  for (const bool in_place : {false, true}) {
    int refused = 0;
    for (long allowed = 0; allowed < 1000; ++allowed) {
      Job job(in_place, Strides::two_slot);
      allocations_left = allowed;
      const pageproof_status status = job.run();
      allocations_left = -1;
      if (status == PAGEPROOF_OK) {
        EXPECT_TRUE(job.converted());
        break;
      }
      ++refused;
      ASSERT_EQ(status, PAGEPROOF_OUT_OF_MEMORY) << "allocation " << allowed;
      EXPECT_TRUE(job.untouched()) << "allocation " << allowed;
    }
    EXPECT_GT(refused, 3);
  }
}

TEST(status, every_status_has_a_text_of_its_own) {
  std::set<std::string> texts;
  for (int status = PAGEPROOF_OK; status <= PAGEPROOF_OUT_OF_MEMORY; ++status) {
    texts.insert(pageproof_status_text(static_cast<pageproof_status>(status)));
  }
  EXPECT_EQ(texts.size(), PAGEPROOF_OUT_OF_MEMORY + 1u);
  EXPECT_STREQ(pageproof_status_text(static_cast<pageproof_status>(99)), "no pageproof_status");
  EXPECT_STREQ(pageproof_version(), "0.1.0");
}

}  // namespace
}  // namespace pageproof::tests
