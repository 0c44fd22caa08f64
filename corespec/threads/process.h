// A rank: one process of a job, and what the libraries keep for it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "corespec/events/prefetch.h"
#include "corespec/events/prefetch_lines.h"
#include "corespec/threads/context_table.h"

namespace corespec {

class BarrierService;
class Job;
class Node;
class Thread;
struct Situation;

/// What a library keeps per rank (an MPI library's state, the GNI handles, ...).
class ProcessState : public Prefetchable {
 public:
  virtual ~ProcessState() = default;
  /// What people should know of it when they ask what the rank is doing, whatever its threads wait
  /// for. Looks only; under the condition of Awaited::describe().
  virtual void add_facts(Situation&) {}
  /// Of a rank that has ended: what it holds that was to be given back, like "2 endpoints, 1
  /// completion queue"; empty: nothing. For people (aprun --audit).
  virtual std::string left() { return {}; }
};

/// One rank. Libraries hang their per-rank state into slots; there are no globals. What their calls
/// begin with is in its first line of memory: a thread that has waited finds it in no cache.
class alignas(line_bytes) Process {
 public:
  /// The first four lie in the first line.
  enum class Slot : std::uint8_t {
    gni,
    dmapp,
    pmi,
    mpi,
    armci,
    program,
    alps,
    udreg,
    gpcd,
    telemetry,
    count
  };

  Process(Job& job, Node& node, int rank, int local_rank)
      : job_(&job), node_(&node), rank_(rank), local_rank_(local_rank) {}
  virtual ~Process() = default;

  Job& job() const { return *job_; }
  Node& node() const { return *node_; }
  int rank() const { return rank_; }              ///< in the job
  int local_rank() const { return local_rank_; }  ///< among the job's ranks on this node

  /// Libraries whose programs must end what they begin (MPI_Init and MPI_Finalize, PMI's, and
  /// DMAPP's where neither of these is open): one that has begun, and has ended; either may be said
  /// again. A rank that ends with one open leaves its job in the lurch.
  void begin_library(Slot library) { set_open_libraries(open_libraries_ | bit(library)); }
  void end_library(Slot library) { set_open_libraries(open_libraries_ & ~bit(library)); }
  bool in_order() const { return open_libraries_ == 0; }
  /// True if a rank that ends now, with `status`, leaves its job in order. Of PMI alone many
  /// clients make no end: status 0 says then that they are done.
  bool ends_in_order(int status) const {
    return in_order() || (status == 0 && open_libraries_ == bit(Slot::pmi));
  }
  /// `watch` is told whenever another library is open, or one less. It may not call back.
  void watch_libraries(std::function<void(const Process&)> watch) {
    library_watch_ = std::move(watch);
  }
  /// True if `library` is open and no other one.
  bool only_open(Slot library) const { return open_libraries_ == bit(library); }

  ProcessState* state(Slot slot) const { return states_[static_cast<std::size_t>(slot)].get(); }
  void set_state(Slot slot, std::unique_ptr<ProcessState> state) {
    states_[static_cast<std::size_t>(slot)] = std::move(state);
  }

  /// What the rank does for others whenever it waits for all of them in Job::barrier(), whichever
  /// library has called that; null: nothing.
  void set_barrier_service(BarrierService* service) { barrier_service_ = service; }
  BarrierService* barrier_service() const { return barrier_service_; }

  /// From now on its threads' calling contexts are kept, for telemetry.
  void keep_contexts() { contexts_ = std::make_unique<ContextTable>(); }
  /// Null: none are kept.
  ContextTable* contexts() const { return contexts_.get(); }

  /// Those of all its libraries.
  virtual void add_facts(Situation& to) const {
    for (const auto& state : states_) {
      if (state != nullptr) state->add_facts(to);
    }
  }

  /// What its libraries' states hold that was to be given back, a text each.
  std::vector<std::string> left() const {
    std::vector<std::string> found;
    for (const auto& state : states_) {
      if (state == nullptr) continue;
      std::string text = state->left();
      if (!text.empty()) found.push_back(std::move(text));
    }
    return found;
  }

 private:
  static constexpr unsigned bit(Slot slot) { return 1U << static_cast<unsigned>(slot); }
  void set_open_libraries(unsigned open) {
    const bool differs = open != open_libraries_;
    open_libraries_ = open;
    if (differs && library_watch_) library_watch_(*this);
  }

  Job* job_;
  Node* node_;
  int rank_;
  int local_rank_;
  std::array<std::unique_ptr<ProcessState>, static_cast<std::size_t>(Slot::count)> states_;
  unsigned open_libraries_ = 0;  ///< a bit each
  std::function<void(const Process&)> library_watch_;
  std::unique_ptr<ContextTable> contexts_;
  BarrierService* barrier_service_ = nullptr;
};

/// The calling thread's rank, or null where there is none.
Process* this_process_or_null();

}  // namespace corespec
