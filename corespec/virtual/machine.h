// The virtual machine: nodes, domains, engine and stacks of one run.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/host/cpu_clock.h"
#include "corespec/topology/placement.h"
#include "corespec/virtual/engine.h"
#include "corespec/virtual/fiber.h"
#include "corespec/virtual/news_watch.h"
#include "corespec/virtual/virtual_node.h"

namespace corespec {

class Process;

/// Everything of one run in virtual time hangs off this; several may exist in one process.
class VirtualMachine {
 public:
  /// `expected_threads` decides how stacks are guarded (see StackPool).
  VirtualMachine(const Parameters& parameters, std::size_t expected_threads);
  ~VirtualMachine();

  const Parameters& parameters() const { return parameters_; }
  Engine& engine() { return engine_; }
  StackPool& stacks() { return stacks_; }
  NewsWatch& news() { return news_; }
  /// Of the OS thread that runs the machine.
  CpuClock& cpu_clock() { return cpu_clock_; }

  VirtualDomain& add_domain(DomainClass kind = DomainClass::nodes,
                            QueueKind queue = QueueKind::heap) {
    return engine_.add_domain(kind, queue);
  }
  VirtualNode& add_node(int nid, VirtualDomain& domain, std::shared_ptr<const Placement> placement);
  /// Another part of the machine has this node: what was made for it here has no other number.
  void skip_node();
  /// A fresh source of events, while the machine is built: ids are given in order. What begins
  /// during a run (a thread) has its source from its node, or ids would depend on which node ran
  /// first.
  EventSource make_source() { return EventSource{next_source_++, 0}; }

  /// Hears of what happens in all domains; they are there. Null: no observer.
  void set_observer(Observer* observer) { engine_.set_observer(observer); }

  struct Result {
    Engine::End end = Engine::End::stopped;
    bool deadlock = false;           ///< threads are left, but nothing will ever happen
    std::vector<std::string> stuck;  ///< one line per such thread (at most 8)
    std::size_t stuck_ranks = 0;     ///< how many ranks have such threads
    Time time;                       ///< virtual time of the last event
    std::uint64_t events = 0;
    std::uint64_t fingerprint = 0;
    std::vector<std::uint64_t> hashes;  ///< of which the fingerprint is made (Engine::hashes())
  };
  /// Runs until nothing is left to happen, stop(), or the engine's other ends; after an
  /// interruption it may be called again.
  Result run();
  void stop() { engine_.stop(); }
  /// Throws std::runtime_error: a stack has overflowed, of this rank's or, if null, a node's own.
  [[noreturn]] void end_for_overflow(const Process* process) const;

 private:
  Parameters parameters_;
  StackPool stacks_;
  Engine engine_;
  NewsWatch news_{engine_};
  CpuClock cpu_clock_;
  std::uint32_t next_source_ = 1;
  std::size_t numbered_nodes_ = 0;  ///< those of other parts, too
  std::deque<std::unique_ptr<VirtualNode>> nodes_;
};

}  // namespace corespec
