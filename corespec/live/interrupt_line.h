// The node's one in-band interrupt: a word in node memory on which threads of all its ranks sleep.
#pragma once

#include <atomic>
#include <cstdint>

#include "corespec/host/futex.h"

namespace corespec {

/// Zero bytes are a line on which nothing has happened. A process that dies asleep leaves counts
/// behind that only cost a needless system call.
struct alignas(64) InterruptLine {
  futex::Word raised{0};    ///< moves on with every interrupt and wake-up
  futex::Word sleepers{0};  ///< asleep, or about to be
  futex::Word pending{0};   ///< raised, and no thread has looked yet
  std::atomic<std::uint64_t> interrupts{0};
  std::atomic<std::uint64_t> coalesced{0};
  std::atomic<std::uint64_t> threads_woken{0};
  std::atomic<std::uint64_t> empty_wakeups{0};

  std::uint64_t count() const {
    return interrupts.load(std::memory_order_relaxed) + coalesced.load(std::memory_order_relaxed);
  }

  /// True if threads may be asleep on `raised`, for the caller to wake.
  [[nodiscard]] bool raise() {
    const bool asleep = sleepers.load(std::memory_order_seq_cst) != 0;
    const bool before = pending.exchange(asleep ? 1 : 0, std::memory_order_relaxed) != 0 && asleep;
    (before ? coalesced : interrupts).fetch_add(1, std::memory_order_relaxed);
    return call();
  }

  /// All threads asleep are to look again; true as above. A thread about to sleep sees that the
  /// word has moved.
  [[nodiscard]] bool call() {
    raised.fetch_add(1, std::memory_order_seq_cst);
    return sleepers.load(std::memory_order_seq_cst) != 0;
  }

  /// Sleeps unless the word has moved on from `seen`, or `other` (if it has a word) is not as
  /// expected. False only on time-out. `cancelability` as futex::wait_cancellably() has it.
  bool sleep(std::uint32_t seen, const futex::Expected& other, std::int64_t deadline_ns,
             int cancelability) {
    const Asleep asleep(*this);
    return futex::wait_cancellably({&raised, seen}, other, deadline_ns, cancelability);
  }

 private:
  class Asleep {
   public:
    explicit Asleep(InterruptLine& line) : line_(line) {
      line_.sleepers.fetch_add(1, std::memory_order_seq_cst);
    }
    ~Asleep() {
      line_.sleepers.fetch_sub(1, std::memory_order_seq_cst);
      line_.pending.store(0, std::memory_order_relaxed);
    }
    Asleep(const Asleep&) = delete;
    Asleep& operator=(const Asleep&) = delete;

   private:
    InterruptLine& line_;
  };
};

}  // namespace corespec
