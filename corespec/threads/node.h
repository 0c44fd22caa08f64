// A node: its CPUs and threads, its memory, its one in-band interrupt, its event domain.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "corespec/events/event_domain.h"
#include "corespec/threads/thread.h"

namespace corespec {

struct Parameters;

/// Whatever hangs off a node and belongs to a higher layer (its NIC).
class NodeDevice {
 public:
  virtual ~NodeDevice() = default;
};

/// Seam 4, node memory: what the ranks of one node share.
class NodeMemory {
 public:
  virtual ~NodeMemory() = default;
  /// Zeroed memory of `bytes` known on this node as `name`; the first caller allocates it, later
  /// callers get the same memory (their `bytes` must be the same). Begins with a cache line.
  /// Of large segments, host memory is committed when it is touched.
  virtual std::byte* segment(const std::string& name, std::size_t bytes) = 0;
  /// The same, but null if there is none of that name and size: nothing is made.
  virtual std::byte* find(const std::string& name, std::size_t bytes) = 0;
  /// True if `at` lies in one of the segments that this process has asked for.
  virtual bool holds(const void* at) const = 0;
  /// A signal shared in the same way.
  virtual Signal& signal(const std::string& name) = 0;
  /// Copies `bytes` bytes out of another rank's own memory (rank of the job, on this node), as
  /// XPMEM or cross-memory attach let a process do. The caller charges the copy's time.
  virtual void copy_from_rank(int rank, std::byte* to, const std::byte* from,
                              std::size_t bytes) = 0;
  /// True if the ranks' own memory lies in one address space, where all of them see it: bytes that
  /// stay as they are need not be copied here for another rank.
  virtual bool one_address_space() const { return false; }
  /// Makes addresses without data (corespec/host/without_data.h) usable. False: programs of this
  /// clock always have their data, and get ordinary memory. Throws std::runtime_error with one line
  /// if the host refuses.
  virtual bool offers_memory_without_data() { return false; }
  /// Drops the name (the last user calls it); the memory goes with the node.
  virtual void remove(const std::string& name) = 0;
};

/// What a node's interrupts and threads have done so far.
struct NodeStatistics {
  std::uint64_t interrupts = 0;     ///< handler runs
  std::uint64_t coalesced = 0;      ///< raised while one was pending
  std::uint64_t threads_woken = 0;  ///< woken threads that found something to do
  std::uint64_t empty_wakeups = 0;  ///< kernel re-checks that found nothing
  std::uint64_t context_switches = 0;
  std::uint64_t preemptions = 0;
};

class Node {
 public:
  virtual ~Node() = default;

  virtual int nid() const = 0;
  virtual EventDomain& domain() = 0;
  virtual EventSource& source() = 0;
  virtual const Parameters& parameters() const = 0;
  virtual NodeMemory& memory() = 0;

  /// Starts a thread of this node; `body` runs on it, from the caller's present time on.
  /// `process` is null for the node's own threads. Placement follows from `role`.
  virtual Thread& start_thread(ThreadRole role, Process* process, std::function<void()> body) = 0;
  /// Waits (blocked) until `thread` has returned from its body; then it is gone.
  virtual void join(Thread& thread) = 0;

  virtual std::unique_ptr<Mutex> make_mutex() = 0;

  /// The device's one in-band interrupt for user code, raised at the domain's present time.
  /// Wakes every thread in wait_interrupt(), in order of registration, one after another;
  /// raised again while pending it coalesces.
  virtual void raise_interrupt() = 0;
  /// Wakes one waiter without an interrupt (its wait was cancelled, its queue destroyed).
  virtual void wake_waiter(const InterruptWaiter& waiter) = 0;

  virtual NodeStatistics statistics() const = 0;

  /// The CPU that takes interrupts, and a one-line description of the node's placement.
  virtual int interrupt_cpu() const = 0;
  virtual std::string placement_text() const = 0;

  NodeDevice* device() const { return device_.get(); }
  void set_device(std::unique_ptr<NodeDevice> device) { device_ = std::move(device); }

  /// What threads hold the node's domain by where other host threads are at work in it; else null.
  /// See DomainHold.
  EventDomain::Lock* turns() const { return turns_; }

 protected:
  void take_turns(EventDomain::Lock* turns) { turns_ = turns; }

 private:
  std::unique_ptr<NodeDevice> device_;
  EventDomain::Lock* turns_ = nullptr;
};

/// Holds the domain of a thread's node, where threads have to take turns in it; null: nothing.
class DomainHold {
 public:
  explicit DomainHold(const Thread* thread)
      : turns_(thread == nullptr ? nullptr : thread->node().turns()) {
    if (turns_ != nullptr) turns_->lock();
  }
  ~DomainHold() {
    if (turns_ != nullptr) turns_->unlock();
  }
  DomainHold(const DomainHold&) = delete;
  DomainHold& operator=(const DomainHold&) = delete;

 private:
  EventDomain::Lock* turns_;
};

}  // namespace corespec
