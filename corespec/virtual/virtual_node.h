// A node in virtual time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/random/random_stream.h"
#include "corespec/threads/node.h"
#include "corespec/topology/placement.h"
#include "corespec/virtual/cpu.h"
#include "corespec/virtual/virtual_domain.h"
#include "corespec/virtual/virtual_thread.h"

namespace corespec {

class Noise;
class VirtualMachine;

/// Memory that a node's ranks share; in virtual time they share everything, so names suffice.
class VirtualNodeMemory final : public NodeMemory {
 public:
  ~VirtualNodeMemory() override;
  std::byte* segment(const std::string& name, std::size_t bytes) override;
  std::byte* find(const std::string& name, std::size_t bytes) override;
  bool holds(const void* at) const override;
  Signal& signal(const std::string& name) override;
  void copy_from_rank(int rank, std::byte* to, const std::byte* from, std::size_t bytes) override;
  bool one_address_space() const override { return true; }
  bool offers_memory_without_data() override;
  void remove(const std::string& name) override;
  /// The rank from whose memory at `address` another one of the node copies at the moment; -1: none
  /// does. For signal handlers.
  int rank_copied_from(const void* address) const;

 private:
  struct Segment {
    std::byte* base;
    std::size_t bytes;
    bool mapped() const { return bytes > of_heap; }
  };
  /// Segments up to this size lie in the heap, close together: with many nodes, a page of its own
  /// for each costs the host a walk of page tables that no cache holds.
  static constexpr std::size_t of_heap = std::size_t{32} * 1024;
  static void release(const Segment& segment);

  std::map<std::string, Segment> segments_;
  std::map<std::string, std::unique_ptr<Signal>> signals_;
  /// What copy_from_rank() is reading.
  struct Copy {
    int rank = -1;  ///< none
    const std::byte* from = nullptr;
    std::size_t bytes = 0;
  };
  Copy copy_;
};

/// Sources of a node's threads: their ids are the node's own, above all that a machine gives.
class ThreadSources {
 public:
  /// `node` counts the machine's nodes.
  explicit ThreadSources(std::size_t node);
  /// Throws std::runtime_error if the node has started more threads than there are ids.
  EventSource make();

 private:
  std::uint32_t next_;
  std::uint32_t end_;
};

class alignas(64) VirtualNode final : public Node, private Event {
 public:
  VirtualNode(VirtualMachine& machine, int nid, VirtualDomain& domain, EventSource source,
              ThreadSources threads, std::shared_ptr<const Placement> placement);
  /// How many sources of events a node takes from its machine.
  static std::uint32_t sources(const Parameters& parameters) { return parameters.noise ? 2 : 1; }
  ~VirtualNode() override;

  // Node
  int nid() const override { return nid_; }
  EventDomain& domain() override { return domain_; }
  EventSource& source() override { return source_; }
  const Parameters& parameters() const override { return parameters_; }
  NodeMemory& memory() override { return memory_; }
  Thread& start_thread(ThreadRole role, Process* process, std::function<void()> body) override;
  void join(Thread& thread) override;
  std::unique_ptr<Mutex> make_mutex() override;
  void raise_interrupt() override;
  void wake_waiter(const InterruptWaiter& waiter) override;
  NodeStatistics statistics() const override { return statistics_; }
  int interrupt_cpu() const override { return placement_->interrupt_cpu; }
  std::string placement_text() const override { return placement_->text(); }

  /// From within its domain, while none of its threads is executing: the node has failed. Its
  /// threads go no further.
  void halt();
  bool halted() const { return halted_; }

  /// Makes the calling code the main thread of `process`; `adopt.loop` runs the event loop.
  VirtualThread& adopt_thread(Process& process, VirtualThread::Adopt adopt);
  /// The event loop's first act after adopt_thread(): from here on no thread is executing.
  void leave_adopted_thread();
  const Placement& placement() const { return *placement_; }
  const VirtualNodeMemory& node_memory() const { return memory_; }
  const std::deque<std::unique_ptr<VirtualThread>>& threads() const { return threads_; }
  /// Application threads that have not returned: while there are any, noise goes on.
  int application_threads() const { return application_threads_; }

 private:
  friend class Cpu;
  friend class VirtualThread;
  friend class VirtualMutex;
  friend class Noise;

  void fire(std::uint64_t arg) override;  ///< the interrupt handler is done
  void raise_own_interrupts();
  void observe_interrupt(int cpu, Time handler) const;
  /// The other CPUs of a CPU's compute unit.
  const std::vector<int>& unit_mates(int number) const {
    return unit_mates_[static_cast<std::size_t>(number)];
  }
  VirtualDomain& virtual_domain() { return domain_; }
  Cpu& cpu(int number) { return cpus_[static_cast<std::size_t>(number)]; }
  Cpu& choose_cpu(const VirtualThread& thread);
  void make_ready(VirtualThread& thread);
  void register_waiter(VirtualThread& thread) { waiters_.push_back(&thread); }
  void unregister_waiter(VirtualThread& thread);
  /// What the wake-up of a sleeping thread costs it, this time.
  Time wake_cost();
  /// What a running thread has left of its slice when another comes to wait for the CPU.
  Time rest_of_slice();
  void wake_from_interrupt(VirtualThread& thread);
  void thread_finished(VirtualThread& thread);
  /// Destroys a thread that has been joined, once none of its events is still to come.
  void forget(VirtualThread& thread);
  const std::vector<int>& cpus_for(ThreadRole role, const Process* process) const;
  /// Where among the CPUs of its rank the next application thread belongs: with the fewest others.
  std::size_t take_place(const Process& process);
  void leave_place(const Process& process, std::size_t place);
  const std::vector<int>& cpus_at(const Process& process, std::size_t place);

  // What every event of a thread needs comes first.
  VirtualMachine& machine_;
  const Parameters& parameters_;
  VirtualDomain& domain_;
  VirtualThread* executing_ = nullptr;  ///< whose fiber is running at this moment
  int nid_;
  EventSource source_;
  ThreadSources thread_sources_;
  std::shared_ptr<const Placement> placement_;
  std::vector<Cpu> cpus_;
  std::deque<std::unique_ptr<VirtualThread>> threads_;
  std::vector<VirtualThread*> waiters_;  ///< asleep until an interrupt, in order of registration
  bool interrupt_pending_ = false;
  bool halted_ = false;
  const bool many_interrupts_;
  const bool draws_slices_;                   ///< CASTOR_SLICE_PHASE=drawn
  const bool shares_units_;                   ///< CPUs of a compute unit slow each other down
  std::vector<std::vector<int>> unit_mates_;  ///< only then
  int application_threads_ = 0;
  /// By local rank: how many application threads there are at each of its CPUs (nothing if it has
  /// one), and for those that are bound to one of several the CPUs one by one.
  struct OwnThreads {
    std::vector<int> at_place;
    std::vector<std::vector<int>> cpus;
  };
  std::vector<OwnThreads> own_threads_;
  NodeStatistics statistics_;
  VirtualNodeMemory memory_;
  std::unique_ptr<Noise> noise_;
  RandomStream wake_jitter_;
  RandomStream slice_phase_;
};

}  // namespace corespec
