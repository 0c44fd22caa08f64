// A thread in virtual time: a fiber on a modelled CPU.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "corespec/events/event_domain.h"
#include "corespec/events/observer.h"
#include "corespec/threads/signal.h"
#include "corespec/threads/thread.h"
#include "corespec/virtual/aside.h"
#include "corespec/virtual/deferred_effects.h"
#include "corespec/virtual/fiber.h"
#include "corespec/virtual/looks_in_vain.h"
#include "corespec/virtual/own_computing.h"
#include "corespec/virtual/thread_state.h"

namespace corespec {

class Cpu;
class VirtualMutex;
class VirtualNode;

/// The fiber runs in zero virtual time; what it costs are the charges it leaves behind, worked
/// off as a burst on its CPU before its next effect or observation. Interrupts stretch a burst,
/// preemption splits it; a spinning thread has no burst but a phase, from which the poll
/// boundary that sees a change is computed.
class alignas(64) VirtualThread final : public Thread, public Event, public Signal::Watcher {
 public:
  VirtualThread(VirtualNode& node, Process* process, ThreadRole role, EventSource source,
                const std::vector<int>& allowed, std::function<void()> body);
  /// Adopts the calling code as a thread that is running on its CPU.
  struct Adopt {
    Fiber::Entry loop;
    void* argument;
  };
  VirtualThread(VirtualNode& node, Process* process, EventSource source,
                const std::vector<int>& allowed, Adopt adopt);
  ~VirtualThread() override;

  // Thread
  void sync() override;
  void defer(DeferredEffect& effect) override;
  Time now() override;
  void spin(const Signal& signal, std::uint64_t seen, Time period, Mutex* yielding,
            bool gives_way) override;
  bool wait_interrupt(const InterruptWaiter& waiter, Time deadline) override;
  void sleep_until(Time wake_up) override;
  void yield() override;
  bool use_service_cpus() override;
  void measure() override;
  Time own_time() const override;
  Time look_at_clock(const char* function) override;
  Time cpu_time() const override { return cpu_time_; }
  Time stolen_time() const override { return stolen_; }
  int cpu() const override { return cpu_; }
  std::uint32_t number() const override { return source_.id; }

  // Event, Signal::Watcher
  void fire(std::uint64_t arg) override;
  bool prefetch(Upcoming what, unsigned step, LineRequests& lines) const override;
  bool brings_news() const override;
  void notified() override;

  static constexpr int full_speed = 100;
  ThreadState state() const { return state_; }
  std::string_view waiting_for() const;
  bool finished() const { return state_ == ThreadState::finished; }
  const std::vector<int>& allowed() const { return *allowed_; }
  /// From now on it runs on these CPUs of its node alone (sched_setaffinity()): `cpus` is not empty
  /// and stays. For the thread itself.
  void run_on(const std::vector<int>& cpus);
  /// True of a stack pointer of the thread's that lies below its stack. For signal handlers too.
  bool has_overflowed(std::uintptr_t pointer) const { return fiber_.has_overflowed(pointer); }
  /// Has `aside` run on this thread at the end of the library call that it is in; if it polls or
  /// sleeps there, at once: it then goes on waiting, but for sleep_until(), which returns. Called
  /// by the thread itself, or in an event of its node. There is one at a time.
  void call_aside(Aside& aside);
  /// The return addresses of the calls that it is in (corespec/threads/calling_context.h): of the
  /// calling thread, or while it does not run.
  std::size_t context(std::span<void*> to) const;
  /// The thread's own time at the beginning of its latest library call.
  Time call_begun() const { return call_begun_; }
  /// What the program computes by itself, of a measured one.
  OwnComputing& own_computing() { return own_; }

 private:
  friend class Cpu;
  friend class VirtualMutex;
  friend class VirtualNode;

  /// What the thread does when it gets its CPU (back).
  enum class Mode : std::uint8_t {
    compute,  ///< works off remaining_, then its fiber goes on
    spin,     ///< polls
    recheck   ///< in the kernel: looks whether the interrupt was meant for it
  };
  enum class Wait : std::uint8_t {
    none,
    start,
    mutex,
    interrupt,
    expired,  ///< the same, its time was over while the kernel looked
    sleep,
    join
  };
  /// What record() is told about threads.
  enum Fact : std::uint64_t { synchronised = 1, spun, woken_up };
  enum Kind : std::uint64_t { burst_end, boundary, recheck_end, timer, woken };

  void entered_library() override;
  void left_library(const LibraryCall* call) override;
  void charge_own_computing();
  void observe_call(Occurrence::Kind kind, const LibraryCall* call) const;
  /// True while it polls, on its CPU or between two slices, and nothing that it polls for has come.
  bool polls_in_vain() const;

  VirtualNode& virtual_node() const;
  Cpu& own_cpu() const;
  void schedule(Time at, Kind kind, std::uint32_t generation);
  void act_on(Kind kind, std::uint32_t generation);
  static constexpr std::uint64_t kind_bits = 3;
  static Kind kind_of(std::uint64_t arg) {
    return static_cast<Kind>(arg & ((1U << kind_bits) - 1));
  }
  /// True if such an event leads to the fiber, as a rule.
  bool runs_fiber(Kind kind) const {
    return kind == boundary || (kind == burst_end && effects_.empty());
  }

  // Called by Cpu.
  void switched_in(Time kernel_busy);
  void switched_out(bool preempted);
  void lose(Time length);
  /// The CPU runs at another percentage of its own speed from now on.
  void speed_changed(int speed);
  /// What a piece of work takes at the present speed, and what work a time is at it.
  Time stretched(Time work) const {
    return speed_ == full_speed ? work : work * full_speed / speed_;
  }
  Time unstretched(Time time) const {
    return speed_ == full_speed ? time : time * speed_ / full_speed;
  }
  /// True if a thread woken from a long sleep may take the CPU from this one.
  bool preemptible() const { return role() == ThreadRole::application; }

  /// Catches up without an event if nothing else happens meanwhile; false if that fails, with what
  /// is left still owed.
  bool catch_up();
  /// Works off what is owed, burst by burst: up to the next deferred effect, or to the end.
  void begin_leg();
  void at_burst_end();
  void begin_spinning();
  void spin_from(Time start);
  void begin_unseen(Time length);
  void catch_up_unseen();
  void watch();
  void stop_watching();
  void begin_burst(Time length);
  void account();
  void begin_recheck(Time lead);
  bool boundary_needed() const;
  void arm_boundary();
  void at_boundary();
  bool yields_lock(const VirtualMutex& mutex) const {
    return poll_.mutex == &mutex && poll_.signal != nullptr;
  }

  /// Blocks the calling thread until wake().
  void block(Wait why);
  /// A blocked thread may go on; its first instruction comes `cost` after it gets a CPU.
  void wake(Time cost, bool long_sleep);
  void run_fiber();
  void run_aside();
  static void fiber_main(void* self);

  /// Work under way on the CPU.
  struct Burst {
    Time start;
    Time end;
  };
  /// Polling for a signal, from spin() until the fiber goes on.
  struct Polling {
    const Signal* signal = nullptr;  ///< null: the thread does not poll
    std::uint64_t seen = 0;
    Time start;
    Time period;
    VirtualMutex* mutex = nullptr;  ///< that the thread holds, and gives up between looks
    bool next = false;              ///< spin() was called; the burst before it is under way
    bool begun = false;             ///< and has come to spinning
    bool unseen = false;            ///< comes, or has come, to it without an event
    bool watches = false;           ///< the signal tells the thread
    bool boundary_armed = false;
    bool gives_way = false;  ///< to other threads of the CPU, between looks
  };
  /// Being blocked, and the way out of it.
  struct Waiting {
    const InterruptWaiter* interrupt = nullptr;
    std::uint32_t generation = 0;  ///< of timer and wake events
    Wait why = Wait::start;
    bool answered = false;      ///< the interrupt was meant for the thread
    bool long_sleep = false;    ///< the thread was woken from one
    bool wake_pending = false;  ///< a wake-up is on its way to another CPU
  };
  /// What a thread without its CPU takes back to it.
  struct OffCpu {
    Time remaining;  ///< of the burst
    Time dispatch_cost;
    Time since;
    bool preempted = false;
  };

  // By lines, behind that of the bases: what every event needs, what the fiber and its wait need,
  // what spinning begins with, the rest.
  static constexpr std::size_t hot_lines = 4;
  EventSource source_;
  DeferredEffects effects_;
  Burst burst_;
  Time cpu_time_;
  std::uint32_t plan_ = 0;    ///< generation of burst, recheck and boundary events
  std::uint32_t events_ = 0;  ///< scheduled and not yet fired, those that no longer count included
  std::int32_t cpu_ = 0;
  int speed_ = full_speed;
  CheckedThreadState state_{ThreadState::blocked};
  Mode mode_ = Mode::compute;
  bool resched_ = false;  ///< to be preempted at its next synchronisation
  bool joined_ = false;   ///< only its events need it
  Fiber fiber_;
  Polling poll_;
  Time lost_executing_;  ///< taken by interrupts while the fiber was executing
  Waiting wait_;
  OffCpu off_;
  const std::vector<int>* allowed_;
  VirtualThread* next_ready_ = nullptr;
  VirtualThread* next_waiting_ = nullptr;  ///< in a mutex's queue
  VirtualThread* joiner_ = nullptr;
  std::size_t place_ = 0;  ///< among its rank's CPUs, of an application thread
  Time stolen_;
  LooksInVain looks_;
  Aside* aside_ = nullptr;
  OwnComputing own_;
  Time call_begun_;
  std::function<void()> body_;
};

}  // namespace corespec
