// Fibers: stacks to switch to and back, with the state that belongs to a thread of control.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "corespec/events/prefetch_lines.h"

namespace corespec {

/// One region of address space cut into equal stacks; the first page of a stack is committed when
/// it is taken, the others when touched. Below each is a page that cannot be touched, if the system
/// can have so many. A frame may reach beyond it, so the stack pointer is looked at, too (Fiber).
class StackPool {
 public:
  enum class Guard : std::uint8_t {
    marked,  ///< a mark in the page tables, for any number of stacks (Linux 6.13 and later)
    mapped,  ///< a mapping of its own: each stack costs two of the kernel's 65,530
    none
  };
  /// Up to so many stacks are guarded by mappings.
  static constexpr std::size_t mapped_limit = 10000;
  /// What the system can do for about so many stacks.
  static Guard best_guard(std::size_t expected);

  /// A pool for about `expected` stacks of `stack_bytes` (rounded up to pages) each; it grows by
  /// further regions if more are asked for.
  StackPool(std::size_t stack_bytes, std::size_t expected)
      : StackPool(stack_bytes, expected, best_guard(expected)) {}
  StackPool(std::size_t stack_bytes, std::size_t expected, Guard guard);
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  /// Lowest usable address of a stack; its size is stack_bytes().
  std::byte* take();
  void give_back(std::byte* stack);
  std::size_t stack_bytes() const { return usable_; }
  bool guarded() const { return guard_ != Guard::none; }
  /// True if `address` lies in the inaccessible memory below a stack. For signal handlers too.
  bool in_guard(std::uintptr_t address) const;
  /// True if it lies in a stack or below one, by less than a stack below the lowest.
  bool in_region(std::uintptr_t address) const;

 private:
  void add_region(std::size_t stacks);
  void guard(std::byte* stack) const;

  std::size_t usable_;
  std::size_t stride_;
  Guard guard_;
  std::size_t next_region_;
  std::vector<std::pair<void*, std::size_t>> regions_;  ///< each begins with no stack's room
  std::vector<std::byte*> free_;
};

/// A fiber runs `entry(argument)` on a stack of the pool. The side that resumes it (the event
/// loop) and the fiber hand control to each other; errno, the C++ exception state and the
/// floating-point mode are each side's own.
struct AdoptMainStack {};

class Fiber {
 public:
  using Entry = void (*)(void* argument);

  Fiber(StackPool& pool, Entry entry, void* argument);
  /// Adopts the program's own stack: the code that calls suspend() first is the fiber, and the
  /// event loop runs in a fiber of its own (`loop(argument)`, which must never return).
  Fiber(StackPool& pool, Entry loop, void* argument, AdoptMainStack);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// From the event loop: runs the fiber until it suspends or returns.
  void resume();
  /// From the fiber: back to the event loop.
  void suspend();
  /// A look at the stack pointer has found it below the stack: the fiber must not be resumed.
  bool overflowed() const { return overflowed_; }
  /// From the fiber: suspends it, for good, if its stack has overflowed: by a frame that reaches
  /// beyond the guard, or where there is none. Each suspend() looks, too.
  void look_at_stack() {
    if (has_overflowed(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)))) suspend();
  }
  /// True of a stack pointer of this fiber's that lies below its stack, and not in one that the
  /// program has made for itself. For signal handlers too.
  bool has_overflowed(std::uintptr_t pointer) const {
    const auto lowest = reinterpret_cast<std::uintptr_t>(stack_);
    if (pointer >= lowest + (pool_->guarded() ? 0 : unguarded_reserve)) return false;
    return !adopted_ && pool_->in_region(pointer);
  }
  bool finished() const { return finished_; }
  /// The frame address of the function that has left it last (for context_from()), while it does
  /// not run; null if there is none to be looked at.
  const void* left_at() const { return finished_ || overflowed_ ? nullptr : suspended_at_; }
  /// The part of the stack that resume() returns through first, and that calls from there take:
  /// where these lines of it begin; null before it has been suspended.
  const std::byte* resumes_at() const {
    return suspended_at_ == nullptr ? nullptr : suspended_at_ - called_lines * line_bytes;
  }
  static constexpr std::size_t called_lines = 12;  ///< of it, below where it was left
  static constexpr std::size_t resumed_lines = called_lines + 13;  ///< in all
  /// Gives the stack of a finished fiber back.
  void release();

 private:
  /// Room that must be left at a look where no guard is; what was used in between is a guess, so
  /// ample.
  static constexpr std::size_t unguarded_reserve = 4096;

  /// What C and C++ keep of a side that is not running: on its own stack, where it is touched
  /// anyway.
  struct ThreadState {
    int error = 0;
    void* caught = nullptr;  ///< __cxa_eh_globals, two words
    std::uint64_t uncaught = 0;
  };
  static void save(ThreadState& state);
  static void restore(const ThreadState& state);
  /// What a sanitizer has to know of one side; nothing without one.
  struct Side {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    void* context = nullptr;  ///< its own: a fake stack, a fiber
    const void* bottom = nullptr;
    std::size_t bytes = 0;
#endif
  };
  static void begin_side(Side& side, const std::byte* stack, std::size_t bytes);
  static void end_side(Side& side);
  static void start_switch(Side& from, const Side& to, bool last);
  static void finish_switch(Side& to, Side& from);

  boost::context::fiber other_;  ///< the side that is not running: the fiber, or the event loop
  const std::byte* suspended_at_ = nullptr;  ///< a frame address on the stack
  StackPool* pool_;
  std::byte* stack_ = nullptr;
  bool finished_ = false;
  bool adopted_ = false;
  bool overflowed_ = false;
  [[no_unique_address]] Side fiber_side_;
  [[no_unique_address]] Side loop_side_;
};

}  // namespace corespec
