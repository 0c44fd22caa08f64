// Seam 2, threads and CPUs: what a thread of a node can do, in either clock.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "corespec/events/event_domain.h"
#include "corespec/threads/signal.h"
#include "corespec/time/time.h"

namespace corespec {

class LibraryCall;
class Node;
class Process;
class Thread;

/// What a thread is there for; decides its placement (see Placement) and its name in reports.
enum class ThreadRole : std::uint8_t {
  application,  ///< a rank's own thread
  progress,     ///< an MPI progress thread
  helper,       ///< a communication helper thread (ARMCI)
  daemon        ///< noise: system daemons and kernel threads
};

/// Times a lock was taken, and how often and how long threads had to wait for it.
struct MutexStatistics {
  std::uint64_t acquisitions = 0;
  std::uint64_t waits = 0;
  Time waited;
};

/// A lock whose contention and hand-over cost time. Not recursive.
class Mutex {
 public:
  virtual ~Mutex() = default;
  /// Takes the lock for the calling thread; synchronises first, blocks while it is held.
  virtual void lock() = 0;
  virtual bool try_lock() = 0;
  virtual void unlock() = 0;
  virtual MutexStatistics statistics() const = 0;
};

/// What a thread asleep in the kernel waits for: the kernel's re-check after an interrupt.
class InterruptWaiter {
 public:
  /// True if the thread has something to do (one of its queues is not empty, a wait was
  /// cancelled). Called in kernel context: looks, changes nothing.
  virtual bool ready() const = 0;

 protected:
  ~InterruptWaiter() = default;
};

/// Something that a thread does to others at its own time, without looking at what becomes of it
/// (a post, a store that others may read). Owned by its maker; perform() may reuse it.
class DeferredEffect : public Prefetchable {
 public:
  virtual void perform() = 0;
  DeferredEffect* next_effect = nullptr;
  Time after;  ///< the thread's work between the effect before (or its present time) and this one

 protected:
  ~DeferredEffect() = default;
};

/// A thread on a CPU of a node. All member functions but cpu_time(), stolen_time() and number() act
/// on the calling thread: call them on this_thread() only.
///
/// Charges are deferred, effects are not: charge() adds up what library code costs; before any
/// effect that others can see (a post, a wake, an unlock, a store that another thread or a NIC
/// may read) and before any observation (a poll, a clock, a lock) the code calls sync(), after
/// which the node's time has caught up with the thread. An effect whose outcome does not matter to
/// the code may be deferred instead: defer(). Every waiting function synchronises itself. Live,
/// charges are dropped: the real code costs what it costs.
class Thread {
 public:
  virtual ~Thread() = default;

  void charge(Time cost) { pending_ += cost; }

  /// Computing that the program declares: charged, too. A program that declares more and more and
  /// makes no other call (it waits until its memory changes) lets others run now and then.
  void compute(Time cost) {
    constexpr std::uint32_t most_put_off = 4096;
    put_off_ = pending_ == Time() ? 1 : put_off_ + 1;
    charge(cost);
    if (put_off_ >= most_put_off) sync();
  }

  /// Lets everything happen that happens before this thread's own time.
  virtual void sync() = 0;

  /// Has `effect` performed when the node's time has caught up with the thread's, in the order of
  /// the calls and before anything that the thread does after a sync(). The thread need not wait
  /// for that moment: it goes on, ahead of the node's time. What perform() does is not charged.
  virtual void defer(DeferredEffect& effect) {
    sync();
    effect.perform();
  }

  /// The clock, as this thread reads it (synchronises).
  virtual Time now() = 0;

  /// The same without synchronising: the node's time, and what the thread has still to work off.
  virtual Time own_time() const = 0;

  /// The clock as a program reads it: the library call `function` (a literal), which does nothing
  /// else. A thread whose own computing is measured may read ahead of the node's time.
  virtual Time look_at_clock(const char* function);

  /// Occupies the CPU and polls until `signal` was notified after its epoch was `seen`; returns
  /// at the first poll boundary after that (a whole number of `period`s after the call, computed
  /// and not stepped). May return early: the caller polls again. Holding `yielding`, the thread
  /// gives it up to a waiter at each poll boundary and takes it back before it returns. With
  /// `gives_way` other ready threads of the CPU go first at each boundary (sched_yield between two
  /// looks); live, every poller lends its CPU.
  virtual void spin(const Signal& signal, std::uint64_t seen, Time period,
                    Mutex* yielding = nullptr, bool gives_way = false) = 0;

  /// Asleep in the kernel until the node's interrupt finds waiter.ready(), until
  /// Node::wake_waiter(), or until `deadline` (Time::max() = for ever). Returns false only on
  /// time-out. Returns at once if ready() holds at the call.
  virtual bool wait_interrupt(const InterruptWaiter& waiter, Time deadline) = 0;

  virtual void sleep_until(Time wake_up) = 0;

  /// Lets other ready threads of this CPU run first (sched_yield).
  virtual void yield() = 0;

  /// Asks to be scheduled on the node's service CPUs, as Cray's CoreSpec call did. Returns false,
  /// and changes nothing, if the node has none (no `aprun -r`).
  virtual bool use_service_cpus() = 0;

  /// From now on this thread's own computing is measured: the host CPU time it burns between
  /// library calls is charged, times CASTOR_COMPUTE_FACTOR. Such runs do not repeat exactly. Live,
  /// nothing happens: computing takes its time by itself.
  virtual void measure() {}

  /// At the entry and the end of every library call (see LibraryCall). Of a thread whose own
  /// computing is measured (measure()), the host's CPU time in between is charged.
  void enter_library(const LibraryCall* call) {
    if (!hears_of_calls_ || depth_++ != 0) return;
    call_ = call;
    entered_library();
  }
  void leave_library() {
    if (!hears_of_calls_ || --depth_ != 0) return;
    const LibraryCall* const call = std::exchange(call_, nullptr);
    left_library(call);
  }
  /// True where what the thread allocates is its rank's own memory (RankMemory): in the program's
  /// code, and where a library says so.
  bool allocates_for_rank() const { return depth_ == own_memory_depth_; }

  /// The outermost library call that the thread is in, or null. For the thread itself, and while
  /// none runs.
  const LibraryCall* library_call() const { return call_; }
  /// Its name; null: none.
  const char* call() const;

  /// True while the thread waits, polling, and while the call that it is in is known to wait before
  /// it returns (WaitAhead).
  bool expects_wait() const { return polls_ || expects_wait_; }

  /// CPU time this thread has used, and time interrupts and preemption took from it while it
  /// had work to do.
  virtual Time cpu_time() const = 0;
  virtual Time stolen_time() const = 0;
  /// The CPU it runs on, or ran on last.
  virtual int cpu() const = 0;
  /// Tells the threads of a node apart.
  virtual std::uint32_t number() const = 0;

  Node& node() const { return *node_; }
  /// The rank the thread belongs to; null for the node's own threads (daemons).
  Process* process() const { return process_; }
  ThreadRole role() const { return role_; }

 protected:
  Thread(Node& node, Process* process, ThreadRole role)
      : node_(&node),
        process_(process),
        role_(role),
        own_memory_depth_(role == ThreadRole::application ? 0 : nowhere) {}
  Time take_pending() {
    const Time pending = pending_;
    pending_ = Time();
    return pending;
  }
  Time pending() const { return pending_; }
  bool has_pending() const { return pending_ != Time(); }
  /// The outermost library call begins, ends: from hear_of_calls() on.
  virtual void entered_library() {}
  virtual void left_library(const LibraryCall* /*call*/) {}
  void hear_of_calls() { hears_of_calls_ = true; }
  /// Library calls that this one is in, itself among them.
  int library_depth() const { return depth_; }
  /// It polls, or is between two polls of one library call: peers need not wake a thread.
  bool polls() const { return polls_; }
  void set_polls(bool polls) { polls_ = polls; }

 private:
  friend class WaitAhead;
  friend class AllocationScope;
  static constexpr std::int32_t nowhere = -1;

  Time pending_;
  Node* node_;
  Process* process_;
  ThreadRole role_;
  bool hears_of_calls_ = false;
  bool polls_ = false;
  bool expects_wait_ = false;
  std::int32_t own_memory_depth_;  ///< of library calls; in the program there are none
  std::int32_t depth_ = 0;
  const LibraryCall* call_ = nullptr;
  std::uint32_t put_off_ = 0;  ///< calls of compute() since it has synchronised
};

/// The calling thread, or null outside every thread of the machine (in an event, for instance).
/// The one way in which C entry points find out which thread calls them.
Thread* this_thread_or_null();
/// The same where there must be one.
Thread& this_thread();
class Awaited;

/// Marks a library call: every entry point that a program calls holds one. `function` is its name
/// for reports, a literal.
class LibraryCall {
 public:
  explicit LibraryCall(const char* function = nullptr)
      : LibraryCall(this_thread_or_null(), function) {}
  /// `thread`: the calling one, or null.
  LibraryCall(Thread* thread, const char* function) : thread_(thread), function_(function) {
    if (thread_ != nullptr) thread_->enter_library(this);
  }
  ~LibraryCall() {
    if (thread_ != nullptr) thread_->leave_library();
  }
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;

  /// The calling thread, or null.
  Thread* thread() const { return thread_; }
  const char* function() const { return function_; }
  /// What the thread waits for in it, the innermost first (see corespec/threads/situation.h).
  const Awaited* awaited() const { return awaited_; }

 private:
  friend class Awaited;

  Thread* thread_;
  const char* function_;
  mutable const Awaited* awaited_ = nullptr;
};

inline Time Thread::look_at_clock(const char* function) {
  const LibraryCall call(function);
  return now();
}

inline const char* Thread::call() const { return call_ == nullptr ? nullptr : call_->function(); }

/// While it exists the calling thread is in a call that will wait for what it starts: a blocking
/// send. A thread that it wakes meanwhile may run in its place.
class WaitAhead {
 public:
  explicit WaitAhead(Thread& thread) : thread_(thread) { thread_.expects_wait_ = true; }
  ~WaitAhead() { thread_.expects_wait_ = false; }
  WaitAhead(const WaitAhead&) = delete;
  WaitAhead& operator=(const WaitAhead&) = delete;

 private:
  Thread& thread_;
};

/// Adds to the calling thread's cost; nothing outside a thread.
inline void charge(Time cost) {
  if (Thread* thread = this_thread_or_null()) thread->charge(cost);
}

}  // namespace corespec
