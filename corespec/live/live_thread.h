// A thread on the live clock: one of the operating system's.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "corespec/events/observer.h"
#include "corespec/host/os_thread.h"
#include "corespec/live/guest.h"
#include "corespec/threads/thread.h"

namespace corespec {

class LiveDomain;
class LiveMutex;
class LiveNode;

/// What it costs, it costs: charges are dropped. Synchronising means looking at the wire and at the
/// clock. While it waits it does not hold the domain, whether the caller does or not.
class LiveThread final : public Thread {
 public:
  /// Of the calling OS thread.
  LiveThread(LiveNode& node, Process* process, ThreadRole role);
  /// Starts an OS thread that runs `body`.
  LiveThread(LiveNode& node, Process* process, ThreadRole role, const OsThread::Options& options,
             std::function<void()> body);
  ~LiveThread() override;

  // Thread
  void sync() override;
  void defer(DeferredEffect& effect) override { effect.perform(); }
  Time now() override;
  Time own_time() const override;
  void spin(const Signal& signal, std::uint64_t seen, Time period, Mutex* yielding,
            bool gives_way) override;
  bool wait_interrupt(const InterruptWaiter& waiter, Time deadline) override;
  void sleep_until(Time wake_up) override;
  void yield() override;
  bool use_service_cpus() override;
  Time cpu_time() const override;
  /// For how long it was ready to run and had no CPU, as the kernel counts it; zero where it does
  /// not. What interrupts take from a running thread is not counted.
  Time stolen_time() const override;
  int cpu() const override;
  std::uint32_t number() const override {
    return static_cast<std::uint32_t>(id_.load(std::memory_order_relaxed));
  }

  /// Before it is woken by its own process: back to its rank's CPU, should it have been a guest
  /// elsewhere.
  void go_home();

  /// The outermost library call that it is in (null: none), and whether it sleeps there until an
  /// event comes; how often something has come while it waited. For other threads too.
  const char* call_now() const { return call_now_.load(std::memory_order_relaxed); }
  bool asleep() const { return asleep_.load(std::memory_order_relaxed); }
  std::uint64_t arrivals() const { return arrivals_.load(std::memory_order_relaxed); }

  /// Waits until the body has returned.
  void join();
  /// The calling thread, this one, is about to block for something that is none of its domain's:
  /// from now on peers have to wake a thread, even if it is in the middle of a library call.
  void end_polling();

 protected:
  void entered_library() override {
    call_now_.store(call(), std::memory_order_relaxed);
    observe_call(Occurrence::Kind::call_begun, library_call());
  }
  void left_library(const LibraryCall* call) override {
    call_now_.store(nullptr, std::memory_order_relaxed);
    observe_call(Occurrence::Kind::call_ended, call);
    end_polling();
  }

 private:
  friend class LiveNode;
  class Waiting;

  LiveNode& live_node() const;
  void observe_call(Occurrence::Kind kind, const LibraryCall* call) const;
  bool poll_until(LiveDomain& domain, const Signal& signal, std::uint64_t seen, LiveMutex* mutex);
  void rest(LiveDomain& domain, const Signal& signal, std::uint64_t seen, Time longest);
  Guest guest() const;
  void begin_polling();
  /// If the process's desk has a question (SituationDesk): answers it, holding `mutex`.
  void answer(const LiveMutex* mutex);
  void count_arrival() {
    arrivals_.store(arrivals() + 1, std::memory_order_relaxed);  // only by this thread
  }
  void body_begins();
  void body_ends();

  std::function<void()> body_;
  pthread_t handle_{};
  std::atomic<int> id_{0};  ///< the system's number; 0 before the thread runs
  std::atomic<bool> ended_{false};
  std::atomic<std::int64_t> cpu_time_ps_{0};  ///< when it ended
  std::atomic<std::int64_t> stolen_ps_{0};    ///< when it ended
  mutable std::atomic<int> cpu_{0};           ///< last known
  std::atomic<const char*> call_now_{nullptr};
  std::atomic<bool> asleep_{false};
  std::atomic<std::uint64_t> arrivals_{0};
  std::uint32_t answered_ = 0;               ///< question
  int home_ = -1;                            ///< of one without a CPU of its own; else -1
  const InterruptWaiter* waiter_ = nullptr;  ///< belongs to the domain's holder
  bool waiter_woken_ = false;                ///< likewise
  std::unique_ptr<OsThread> os_thread_;      ///< last: its body uses the rest
};

}  // namespace corespec
