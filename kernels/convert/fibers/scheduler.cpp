#include "kernels/convert/fibers/scheduler.hpp"

#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#if defined(PAGEPROOF_FIBERS_ASAN)
#include <sanitizer/common_interface_defs.h>
#endif

#if defined(PAGEPROOF_FIBERS_TSAN)
extern "C" {  // tsan_interface.h is for instrumented files
void* __tsan_get_current_fiber();
void* __tsan_create_fiber(unsigned);
void __tsan_destroy_fiber(void*);
void __tsan_switch_to_fiber(void*, unsigned);
void __tsan_acquire(void*);
void __tsan_release(void*);
}
#endif

namespace pageproof::convert::fibers {
namespace {

constexpr std::size_t kStackBytes = 64 * 1024;
constexpr std::size_t kStageBytes = 256 * 1024;

// Fresh pages: mapped again, they hold zeros and the sanitizers forget what earlier workgroups did there.
void* map_pages(void* at, std::size_t bytes) {
  const int fixed = at == nullptr ? 0 : MAP_FIXED;
  void* memory = mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);
  if (memory == MAP_FAILED) {
    std::fputs("fibers: no memory for a stack\n", stderr);
    std::abort();
  }
  return memory;
}

struct Fiber {
  ucontext_t context;
  void* stack = nullptr;
  bool done = false;
  void* fake_stack = nullptr;  // AddressSanitizer's
  void* thread = nullptr;      // ThreadSanitizer's
};

// Switching stacks, as the sanitizers want to hear of it. `save` keeps what the left side needs to come back.
#if defined(PAGEPROOF_FIBERS_ASAN)
void leave(void** save, const void* stack, std::size_t bytes) {
  __sanitizer_start_switch_fiber(save, stack, bytes);
}
void arrive(void* saved, const void** stack, std::size_t* bytes) {
  __sanitizer_finish_switch_fiber(saved, stack, bytes);
}
#else
void leave(void**, const void*, std::size_t) {}
void arrive(void*, const void**, std::size_t*) {}
#endif

#if defined(PAGEPROOF_FIBERS_TSAN)
void* current_thread() {
  return __tsan_get_current_fiber();
}
void* create_thread() {
  return __tsan_create_fiber(0);
}
void destroy_thread(void* thread) {
  __tsan_destroy_fiber(thread);
}
void switch_thread(void* thread) {
  __tsan_switch_to_fiber(thread, 1);
}  // 1: a switch orders nothing
void acquire(void* token) {
  __tsan_acquire(token);
}
void release(void* token) {
  __tsan_release(token);
}
#else
void* current_thread() {
  return nullptr;
}
void* create_thread() {
  return nullptr;
}
void destroy_thread(void*) {}
void switch_thread(void*) {}
void acquire(void*) {}
void release(void*) {}
#endif

class Workgroup {
 public:
  void run(std::uint32_t count, std::uint32_t stage_bytes, Random& random, void (*body)(void*, std::uint32_t),
           void* context) {
    body_ = body;
    context_ = context;
    start(count, stage_bytes);
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    for (;;) {
      std::shuffle(order.begin(), order.end(), random);
      std::uint32_t waiting = 0;
      for (const std::uint32_t index : order) {
        if (fibers_[index].done) continue;
        resume(index);
        waiting += !fibers_[index].done;
      }
      if (waiting == 0) break;
      if (waiting != count) {
        std::fprintf(stderr, "fibers: a barrier was reached by %u of %u work-items\n", waiting, count);
        std::abort();
      }
      order_all(count, &barrier_token_);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      as_fiber(i, [&] { release(&launch_token_); });
    }
    for (std::uint32_t i = 0; i < count; ++i) destroy_thread(fibers_[i].thread);
  }

  void finish() { acquire(&launch_token_); }
  void* stage() const { return stage_; }

  void wait() {
    Fiber& fiber = fibers_[running_];
    leave(&fiber.fake_stack, main_stack_, main_bytes_);
    switch_thread(main_thread_);
    swapcontext(&fiber.context, &main_);
    arrive(fiber.fake_stack, &main_stack_, &main_bytes_);
  }

 private:
  static void enter();

  void start(std::uint32_t count, std::uint32_t stage_bytes) {
    if (stage_bytes > kStageBytes) {
      std::fputs("fibers: the stage is larger than any page\n", stderr);
      std::abort();
    }
    stage_ = map_pages(stage_, kStageBytes);
    std::memset(stage_, 0xCD, stage_bytes);
    if (fibers_.size() < count) fibers_.resize(count);
    main_thread_ = current_thread();
    for (std::uint32_t i = 0; i < count; ++i) {
      Fiber& fiber = fibers_[i];
      fiber.done = false;
      fiber.fake_stack = nullptr;
      fiber.stack = map_pages(fiber.stack, kStackBytes);
      getcontext(&fiber.context);
      fiber.context.uc_stack.ss_sp = fiber.stack;
      fiber.context.uc_stack.ss_size = kStackBytes;
      fiber.context.uc_link = nullptr;
      makecontext(&fiber.context, &Workgroup::enter, 0);
      fiber.thread = create_thread();
    }
  }

  void resume(std::uint32_t index) {
    running_ = index;
    leave(&main_fake_stack_, fibers_[index].stack, kStackBytes);
    switch_thread(fibers_[index].thread);
    swapcontext(&main_, &fibers_[index].context);
    arrive(main_fake_stack_, nullptr, nullptr);
  }

  template <class Action>
  void as_fiber(std::uint32_t index, Action action) {
    switch_thread(fibers_[index].thread);
    action();
    switch_thread(main_thread_);
  }

  // What each work-item did before the barrier happens before what each does after it.
  void order_all(std::uint32_t count, void* token) {
    for (std::uint32_t i = 0; i < count; ++i) {
      as_fiber(i, [&] { release(token); });
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      as_fiber(i, [&] { acquire(token); });
    }
  }

  std::vector<Fiber> fibers_;  // grows only between workgroups: contexts point into it
  std::uint32_t running_ = 0;
  void (*body_)(void*, std::uint32_t) = nullptr;
  void* context_ = nullptr;
  void* stage_ = nullptr;
  ucontext_t main_;
  const void* main_stack_ = nullptr;
  std::size_t main_bytes_ = 0;
  void* main_fake_stack_ = nullptr;
  void* main_thread_ = nullptr;
  char barrier_token_ = 0;
  char launch_token_ = 0;
};

thread_local Workgroup workgroup;

void Workgroup::enter() {
  Workgroup& group = workgroup;
  arrive(nullptr, &group.main_stack_, &group.main_bytes_);
  group.body_(group.context_, group.running_);
  group.fibers_[group.running_].done = true;
  leave(nullptr, group.main_stack_, group.main_bytes_);
  switch_thread(group.main_thread_);
  setcontext(&group.main_);
}

}  // namespace

void run_workgroup(std::uint32_t count, std::uint32_t stage_bytes, Random& random,
                   void (*body)(void*, std::uint32_t), void* context) {
  workgroup.run(count, stage_bytes, random, body, context);
}

void finish_launch() {
  workgroup.finish();
}
void barrier() {
  workgroup.wait();
}
void* stage() {
  return workgroup.stage();
}

}  // namespace pageproof::convert::fibers
