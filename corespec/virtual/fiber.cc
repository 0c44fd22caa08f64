// Fibers over Boost.Context.
#include "corespec/virtual/fiber.h"

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace corespec {
namespace {

/// MADV_GUARD_INSTALL, which the headers of older systems do not know.
constexpr int install_guard = 102;

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// A stack begins at its top page: asked for by a call it costs the kernel less than found missing
/// at a touch, on some hypervisors a third less. Kernels before 5.14 cannot, and let it be touched.
void commit_top(std::byte* stack, std::size_t bytes) {
  const std::size_t page = page_bytes();
  madvise(stack + bytes - page, page, MADV_POPULATE_WRITE);
}

/// Gives Boost.Context a stack that the pool owns.
struct PooledStack {
  StackPool* pool;
  std::byte* stack;
  boost::context::stack_context allocate() {
    boost::context::stack_context context;
    context.size = pool->stack_bytes();
    context.sp = stack + context.size;
    return context;
  }
  void deallocate(boost::context::stack_context&) noexcept {}
};

}  // namespace

StackPool::Guard StackPool::best_guard(std::size_t expected) {
  const std::size_t page = page_bytes();
  void* trial = mmap(nullptr, page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (trial == MAP_FAILED) throw std::bad_alloc();
  const bool can_mark = madvise(trial, page, install_guard) == 0;
  munmap(trial, page);
  if (can_mark) return Guard::marked;
  return expected <= mapped_limit ? Guard::mapped : Guard::none;
}

StackPool::StackPool(std::size_t stack_bytes, std::size_t expected, Guard guard)
    : usable_(round_up(stack_bytes, page_bytes())),
      guard_(guard),
      next_region_(expected == 0 ? 1 : expected) {
  stride_ = usable_ + (guarded() ? page_bytes() : 0);
}

StackPool::~StackPool() {
  for (const auto& [address, bytes] : regions_) {
#if defined(__SANITIZE_ADDRESS__)
    ASAN_UNPOISON_MEMORY_REGION(address, bytes);  // whatever is mapped here next is not a stack
#endif
    munmap(address, bytes);
  }
}

/// Before the stacks is room for one that no code can touch, for frames that reach out of the
/// lowest.
void StackPool::add_region(std::size_t stacks) {
  const std::size_t bytes = (stacks + 1) * stride_;
  void* region = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (region == MAP_FAILED) throw std::bad_alloc();
  regions_.emplace_back(region, bytes);
  // Some systems use huge pages wherever they fit: each would hold eight stacks whole.
  madvise(region, bytes, MADV_NOHUGEPAGE);
  if (mprotect(region, stride_, PROT_NONE) != 0) throw std::bad_alloc();
  auto* base = static_cast<std::byte*>(region) + stride_;
  for (std::size_t i = stacks; i-- > 0;) {
    std::byte* stack = base + i * stride_;
    if (guarded()) stack += page_bytes();
    if (guard_ == Guard::mapped) guard(stack);
    free_.push_back(stack);
  }
}

void StackPool::guard(std::byte* stack) const {
  const std::size_t page = page_bytes();
  const int failed = guard_ == Guard::marked ? madvise(stack - page, page, install_guard)
                                             : mprotect(stack - page, page, PROT_NONE);
  if (failed != 0) throw std::bad_alloc();
}

std::byte* StackPool::take() {
  if (free_.empty()) {
    add_region(next_region_);
    next_region_ = 64;
  }
  std::byte* stack = free_.back();
  free_.pop_back();
  if (guard_ == Guard::marked) guard(stack);  // not before: marks take page tables
  commit_top(stack, usable_);
#if defined(__SANITIZE_ADDRESS__)
  // What a dropped fiber left poisoned, here or at the same address of an earlier region.
  ASAN_UNPOISON_MEMORY_REGION(stack, usable_);
#endif
  return stack;
}

bool StackPool::in_guard(std::uintptr_t address) const {
  for (const auto& [base, bytes] : regions_) {
    const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(base);
    if (offset < bytes) return offset < stride_ || offset % stride_ < stride_ - usable_;
  }
  return false;
}

bool StackPool::in_region(std::uintptr_t address) const {
  return std::any_of(regions_.begin(), regions_.end(), [&](const auto& region) {
    return address - reinterpret_cast<std::uintptr_t>(region.first) < region.second;
  });
}

void StackPool::give_back(std::byte* stack) { free_.push_back(stack); }

void Fiber::save(ThreadState& state) {
  state.error = errno;
  std::memcpy(&state.caught, abi::__cxa_get_globals(), sizeof(void*) + sizeof(unsigned));
}

void Fiber::restore(const ThreadState& state) {
  errno = state.error;
  std::memcpy(abi::__cxa_get_globals(), &state.caught, sizeof(void*) + sizeof(unsigned));
}

Fiber::Fiber(StackPool& pool, Entry entry, void* argument) : pool_(&pool), stack_(pool.take()) {
  begin_side(fiber_side_, stack_, pool.stack_bytes());
  const PooledStack allocator{pool_, stack_};
  boost::context::stack_context context = PooledStack(allocator).allocate();
  other_ = boost::context::fiber(std::allocator_arg,
                                 boost::context::preallocated(context.sp, context.size, context),
                                 allocator, [this, entry, argument](boost::context::fiber&& loop) {
                                   other_ = std::move(loop);
                                   restore(ThreadState());
                                   finish_switch(fiber_side_, loop_side_);
                                   entry(argument);
                                   finished_ = true;
                                   start_switch(fiber_side_, loop_side_, true);
                                   return std::move(other_);
                                 });
}

Fiber::Fiber(StackPool& pool, Entry loop, void* argument, AdoptMainStack)
    : pool_(&pool), stack_(pool.take()) {
  begin_side(loop_side_, stack_, pool.stack_bytes());
  adopted_ = true;
  const PooledStack allocator{pool_, stack_};
  boost::context::stack_context context = PooledStack(allocator).allocate();
  other_ = boost::context::fiber(
      std::allocator_arg, boost::context::preallocated(context.sp, context.size, context),
      allocator, [this, loop, argument](boost::context::fiber&& program) {
        other_ = std::move(program);
        restore(ThreadState());
        finish_switch(loop_side_, fiber_side_);
        loop(argument);
        return std::move(other_);
      });
}

Fiber::~Fiber() {
  // A fiber that has not returned is simply dropped: unwinding a program's stack from outside
  // would run its destructors at a moment that the program has not chosen.
  new (&other_) boost::context::fiber();
  end_side(adopted_ ? loop_side_ : fiber_side_);
  release();
}

void Fiber::release() {
  if (finished_ && stack_ != nullptr) pool_->give_back(std::exchange(stack_, nullptr));
}

void Fiber::resume() {
  ThreadState loops;
  save(loops);
  start_switch(loop_side_, fiber_side_, false);
  boost::context::fiber back = std::move(other_).resume();
  if (back) other_ = std::move(back);
  finish_switch(loop_side_, fiber_side_);
  restore(loops);
}

void Fiber::suspend() {
  const auto* here = static_cast<const std::byte*>(__builtin_frame_address(0));
  suspended_at_ = here;
  if (has_overflowed(reinterpret_cast<std::uintptr_t>(here))) overflowed_ = true;
  ThreadState own;
  save(own);
  start_switch(fiber_side_, loop_side_, false);
  other_ = std::move(other_).resume();
  restore(own);
  finish_switch(fiber_side_, loop_side_);
}

#if defined(__SANITIZE_ADDRESS__)
void Fiber::begin_side(Side& side, const std::byte* stack, std::size_t bytes) {
  side.bottom = stack;
  side.bytes = bytes;
}
void Fiber::end_side(Side&) {}
void Fiber::start_switch(Side& from, const Side& to, bool last) {
  __sanitizer_start_switch_fiber(last ? nullptr : &from.context, to.bottom, to.bytes);
}
void Fiber::finish_switch(Side& to, Side& from) {
  __sanitizer_finish_switch_fiber(to.context, &from.bottom, &from.bytes);
}
#elif defined(__SANITIZE_THREAD__)
void Fiber::begin_side(Side& side, const std::byte*, std::size_t) {
  side.context = __tsan_create_fiber(0);
}
void Fiber::end_side(Side& side) { __tsan_destroy_fiber(side.context); }
// Not instrumented: it would be entered on one side's call stack and left on the other's.
__attribute__((no_sanitize_thread)) void Fiber::start_switch(Side& from, const Side& to, bool) {
  from.context = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(to.context, 0);
}
void Fiber::finish_switch(Side&, Side&) {}
#else
void Fiber::begin_side(Side&, const std::byte*, std::size_t) {}
void Fiber::end_side(Side&) {}
void Fiber::start_switch(Side&, const Side&, bool) {}
void Fiber::finish_switch(Side&, Side&) {}
#endif

}  // namespace corespec
