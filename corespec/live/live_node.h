// A node on the live clock, as one process of it sees it.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/live/host_placement.h"
#include "corespec/live/interrupt_line.h"
#include "corespec/live/live_domain.h"
#include "corespec/live/live_thread.h"
#include "corespec/live/shared_node_memory.h"
#include "corespec/live/situation_desk.h"
#include "corespec/threads/current_thread.h"
#include "corespec/threads/node.h"

namespace corespec {

/// Interrupts and their statistics are the node's, its processes share them; threads, context
/// switches and preemptions are this process's. OS threads that the program starts by itself become
/// application threads of the rank on their first call, until they end; nothing binds them but what
/// they inherit.
class LiveNode final : public Node, private ThreadAdopter {
 public:
  struct Identity {
    int nid = 0;
    int local_rank = 0;
    int local_ranks = 1;
  };
  LiveNode(Identity identity, const Parameters& parameters, LiveDomain& domain,
           std::unique_ptr<NodeMemory> memory, HostPlacement placement);
  /// Ends the service. The node's threads have been joined.
  ~LiveNode() override;
  LiveNode(const LiveNode&) = delete;
  LiveNode& operator=(const LiveNode&) = delete;

  // Node
  int nid() const override { return identity_.nid; }
  EventDomain& domain() override { return domain_; }
  EventSource& source() override { return source_; }
  const Parameters& parameters() const override { return parameters_; }
  NodeMemory& memory() override { return *memory_; }
  Thread& start_thread(ThreadRole role, Process* process, std::function<void()> body) override;
  void join(Thread& thread) override;
  std::unique_ptr<Mutex> make_mutex() override;
  void raise_interrupt() override;
  void wake_waiter(const InterruptWaiter& waiter) override;
  NodeStatistics statistics() const override;
  /// The thread that raises an interrupt takes it: the NIC thread's CPU, or the node's first.
  int interrupt_cpu() const override;
  std::string placement_text() const override;

  /// Makes the calling OS thread the main thread of `process`: binds it. From now on the process's
  /// other OS threads are adopted on their first call.
  Thread& adopt_main_thread(Process& process);
  /// Starts / ends the thread that serves the domain.
  void start_service();
  void stop_service();

  SituationDesk& desk() { return desk_; }
  /// What the rank's own threads are doing, the main thread first. Asks those that are in a library
  /// call, and waits up to `patience_ms` for their answers; of others it says the call. Not to be
  /// called by one of them.
  /// `context_of` gives the return addresses of one that does not answer: the system's number of
  /// the thread, and whether it sleeps in the library until an event comes. The thread does not end
  /// meanwhile.
  using ContextOf = std::function<std::vector<void*>(int thread, bool asleep)>;
  std::vector<Situation> situations(int patience_ms, const ContextOf& context_of);
  /// Of the rank's own threads: the calls that they are in, and how often something has come for
  /// one that waited. Two equal samples: nothing seems to have happened in between.
  std::vector<std::pair<const char*, std::uint64_t>> activity();

  const Identity& identity() const { return identity_; }
  const HostPlacement& placement() const { return placement_; }
  LiveDomain& live_domain() { return domain_; }
  /// A source of events of this process's.
  EventSource make_source() { return {++sources_, 0}; }

 private:
  friend class LiveThread;

  Thread* adopt() override;
  static void thread_ends(void* value);
  void forget(LiveThread& thread);
  const std::vector<int>& cpus_for(ThreadRole role) const;

  InterruptLine& line() const { return *line_; }
  bool shares_cpus() const { return shares_cpus_; }
  /// Empty looks of a polling thread before it lets others of its CPU run.
  int looks_before_rest() const;
  /// True if threads of this role have only a rank's CPU, and may be woken on others.
  bool is_guest(ThreadRole role) const;
  // Holding the domain.
  void asleep(LiveThread& thread) { asleep_.push_back(&thread); }
  void awake(LiveThread& thread) { std::erase(asleep_, &thread); }

  Identity identity_;
  const Parameters& parameters_;
  LiveDomain& domain_;
  std::unique_ptr<NodeMemory> memory_;
  HostPlacement placement_;
  std::uint32_t sources_ = 0;
  EventSource source_;
  InterruptLine* line_;
  bool shares_cpus_;
  bool binding_refused_ = false;
  std::vector<LiveThread*> asleep_;  ///< belongs to the domain's holder
  Process* process_ = nullptr;
  pthread_key_t adopted_{};  ///< each OS thread's own: what was adopted for it
  SituationDesk desk_;
  std::mutex threads_mutex_;
  std::vector<std::unique_ptr<LiveThread>> threads_;
  std::unique_ptr<OsThread> service_;
};

}  // namespace corespec
