// Puts a machine in virtual time together: network, nodes, NICs and the ranks of one job.
#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/events/observer.h"
#include "corespec/topology/placement.h"
#include "corespec/virtual/machine.h"
#include "launch/virtual_run/output_pace.h"
#include "launch/virtual_run/router_border.h"
#include "launch/virtual_run/virtual_job.h"
#include "launch/workers/part.h"
#include "ugni_emu/faults/faulty_wire.h"
#include "ugni_emu/gemini/network/network.h"

namespace launch {

/// What is to be run on what.
struct JobRequest {
  std::vector<corespec::Setting> settings;  ///< parameters, over the system's own
  std::string system = "hopper";            ///< gemini::make_topology
  std::string node = "xe6";                 ///< NodeTopology::load
  int ranks = 1;
  corespec::PlacementRequest placement;
  std::vector<int> nids;  ///< empty: 0, 1, 2, ...: neighbours, two to a Gemini
  bool by_aprun = false;  ///< which obeys MPICH_RANK_REORDER_METHOD
  std::uint64_t apid = 1;
  JobOutput* output = nullptr;  ///< of ranks and launcher, while ranks run; null: at once to stderr
  Part part;                    ///< of the job, that the process runs
  /// Makes what stands between the NICs and the network, for tests; empty: nothing does. It calls
  /// `make_source` while it is made and while NICs attach.
  using MakeSource = std::function<corespec::EventSource()>;
  std::function<std::unique_ptr<ugni::Wire>(ugni::Wire& network, const MakeSource& make_source)>
      around;
};

/// How a job can be divided.
struct Divisible {
  std::size_t wanted = 1;  ///< CASTOR_WORKERS
  std::size_t blocks = 1;  ///< of Geminis with nodes of the job: there are no more parts
  bool in_parts = true;    ///< the network can be run in parts
};
Divisible divisible(const JobRequest& request);

/// A machine with a job on it, or the part of it that this process runs.
class VirtualRun {
 public:
  /// Throws std::invalid_argument with one line that says what is wrong and what is allowed.
  explicit VirtualRun(const JobRequest& request);
  ~VirtualRun();
  VirtualRun(const VirtualRun&) = delete;
  VirtualRun& operator=(const VirtualRun&) = delete;

  const corespec::Parameters& parameters() const { return machine_->parameters(); }
  corespec::VirtualMachine& machine() { return *machine_; }
  gemini::Network& network() { return *network_; }
  const gemini::Network& network() const { return *network_; }
  VirtualJob& job() { return *job_; }
  /// Of the job.
  std::size_t nodes() const { return nids_.size(); }
  const std::vector<int>& nids() const { return nids_; }
  /// Those that this process runs, of all or of its part.
  const std::vector<corespec::VirtualNode*>& own_nodes() const { return nodes_; }
  const corespec::Placement& placement() const { return *placement_; }

  /// Of the domains of own_nodes(): `observer_of` each of them (null: none).
  void set_observers(
      const std::function<corespec::Observer*(const corespec::EventDomain&)>& observer_of);

  /// Before the ranks start, where CASTOR_TELEMETRY says that commands are marked: each rank keeps
  /// calling contexts and a log. `fits(rank, context)` tells whether one of the context's program
  /// frames has the choice's site in its text.
  using SiteTest = std::function<bool(int rank, std::span<void* const> context)>;
  void begin_telemetry(const SiteTest& fits);

  /// Starts every rank's main thread at time 0; `main` returns the rank's exit status.
  void start(std::function<int(corespec::Process&)> main);
  /// Nodes stop before their first event at or after this time.
  void set_time_limit(corespec::Time limit) { job_->set_time_limit(limit); }
  /// Runs until the machine or the job comes to its end. The time of an end that is a time limit's
  /// or the launcher's is this; of a run in which polling alone is left, that of the last call that
  /// a rank waits in.
  corespec::VirtualMachine::Result run();
  /// Of the run that has ended, in all its parts: see gemini::Network::backlog().
  const std::optional<gemini::Backlog>& backlog() const { return backlog_; }
  /// The same of gemini::Network::faults().
  const gemini::FaultCounts& faults() const { return faults_; }
  /// What CASTOR_FAULTS has made go wrong at own_nodes(); null: it says nothing.
  const faults::FaultyWire* faulty_wire() const { return faulty_.get(); }
  /// When the node fails by CASTOR_FAULTS, unless its ranks end before; nothing: it does not.
  std::optional<corespec::Time> end_of_node(std::uint32_t nid) const;
  /// Null: ranks write at once.
  OutputPace* output_pace() { return output_pace_.get(); }

  /// Makes the calling code rank 0's main thread. `loop(argument)` is to call enter_loop() and
  /// run(), on a stack of its own, when the caller first waits.
  void adopt_caller(void (*loop)(void*), void* argument);
  void enter_loop();

  /// If MPICH_RANK_REORDER_DISPLAY asks for it, each rank's node, and if MPICH_CPUMASK_DISPLAY
  /// does, the map of the nodes' CPUs, on standard error.
  void show_placement() const;

  /// Lines for a run's header: system, nodes, placement, seed.
  std::string describe() const;

 private:
  /// By the ranks that have not ended.
  corespec::Time last_call_begun() const;
  void gather(corespec::VirtualMachine::Result& result);
  void node_failed(int nid);
  void spare_ended_node(int nid);

  JobRequest request_;
  std::unique_ptr<corespec::VirtualMachine> machine_;
  std::shared_ptr<const corespec::Placement> placement_;
  std::unique_ptr<RouterBorder> border_;
  std::unique_ptr<gemini::Network> network_;
  std::unique_ptr<ugni::Wire> around_;          ///< null: the NICs are on network_
  std::unique_ptr<faults::FaultyWire> faulty_;  ///< around these; null: nothing is to go wrong
  std::optional<gemini::Backlog> backlog_;
  gemini::FaultCounts faults_;
  std::unique_ptr<VirtualJob> job_;
  std::unique_ptr<OutputPace> output_pace_;
  std::vector<int> nids_;
  std::vector<corespec::VirtualNode*> nodes_;
  std::function<int(corespec::Process&)> main_;
};

}  // namespace launch
