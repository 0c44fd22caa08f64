// What every chapter of the MPI library needs of a rank: its device, its lock, waiting, and the way
// to what each chapter keeps.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/job/job.h"
#include "corespec/threads/process.h"
#include "corespec/threads/thread.h"
#include "netmod/device/interface/device.h"
#include "netmod/include/mpi.h"
#include "netmod/mpi/calls/error_handlers.h"

namespace netmod {

// What the chapters keep of a rank: each is defined in its chapter.
struct AttributeTables;
class Communicators;
class Datatypes;
struct Operations;
class CollectiveState;
class Requests;
struct Rule;
struct Windows;

/// One rank's MPI: hangs off its Process from MPI_Init to the end. A chapter sees what it and the
/// chapters before it keep; all of it together is a RankTables (netmod/mpi/environment), which
/// knows all chapters.
class RankState : public corespec::ProcessState {
 public:
  RankState(const RankState&) = delete;
  RankState& operator=(const RankState&) = delete;

  corespec::Process& process() const { return *process_; }
  corespec::Job& job() const { return process_->job(); }
  const corespec::Parameters& parameters() const { return *parameters_; }
  Device& device() const { return *device_; }
  ThreadLevel level() const { return level_; }
  bool locked() const { return device_ != nullptr && device_->locked(); }
  const corespec::Thread* main_thread() const { return main_thread_; }
  bool finalized() const { return device_ == nullptr; }
  /// Collective over the job: completes everything and closes the device.
  virtual void finalize() = 0;

  Communicators& communicators() const { return *kept_.communicators; }
  Datatypes& datatypes() const { return *kept_.datatypes; }
  Requests& requests() const { return *kept_.requests; }
  CollectiveState& collectives() const { return *kept_.collectives; }
  /// The user's rules of which algorithm a collective takes; null: the user has given none.
  const std::vector<Rule>* own_rules() const { return kept_.own_rules; }
  Operations& operations() const { return *kept_.operations; }
  AttributeTables& attributes() const { return *kept_.attributes; }
  Windows& windows() const { return *kept_.windows; }
  ErrorTables& errors() {
    if (errors_ == nullptr) errors_ = std::make_unique<ErrorTables>();
    return *errors_;
  }
  /// Null: the program has made none of it.
  ErrorTables* errors_if_any() { return errors_.get(); }

  /// The communicator or window that hears of an error of a call on `comm` or `window`, and its
  /// error handler.
  virtual ErrorHearer hearer(MPI_Comm comm, MPI_Win window) = 0;
  /// What a wait for `awaited` is for; false: it cannot be told.
  virtual bool describe(const Condition& awaited, corespec::Situation& to) = 0;

  /// Makes progress until `request` is complete / the condition holds.
  void wait(Request& request) {
    if (!request.complete()) wait_until(Condition(request));
  }
  void wait_until(const Condition& awaited);

  /// The library's lock, which one thread may take again (from a user's callback).
  bool take_lock();  ///< true if it was taken, false if the caller has it already
  void give_lock();
  /// As long as it lives, the calling thread has the lock: a step of a collective runs in a pass of
  /// the device, whose caller holds a Guard, and may call a function of the program's that calls
  /// MPI.
  class InPass {
   public:
    explicit InPass(RankState& rank)
        : owner_(rank.lock_owner_),
          before_(owner_.exchange(corespec::this_thread_or_null(), std::memory_order_relaxed)) {}
    ~InPass() { owner_.store(before_, std::memory_order_relaxed); }
    InPass(const InPass&) = delete;
    InPass& operator=(const InPass&) = delete;

   private:
    std::atomic<const corespec::Thread*>& owner_;
    const corespec::Thread* before_;
  };

  /// The modelled cost of copying `bytes` between buffers.
  void charge_copy(std::int64_t bytes) const;

  const int* universe_size() const { return &universe_size_; }

 protected:
  struct Kept {
    Communicators* communicators;
    Datatypes* datatypes;
    Requests* requests;
    const std::vector<Rule>* own_rules;
    CollectiveState* collectives;
    Operations* operations;
    AttributeTables* attributes;
    Windows* windows;
  };
  /// Opens the device. The caller is the main thread.
  RankState(corespec::Process& process, ThreadLevel requested, GniCalls calls, const Kept& kept);
  ~RankState() override = default;
  void end_device() { device_.reset(); }
  void take_own_rules(const std::vector<Rule>* rules) { kept_.own_rules = rules; }

 private:
  // What every call touches is in the first line of memory.
  std::unique_ptr<Device> device_;
  corespec::Process* process_;
  const corespec::Parameters* parameters_;
  Kept kept_;
  const corespec::Thread* main_thread_;
  std::atomic<const corespec::Thread*> lock_owner_{nullptr};
  std::unique_ptr<ErrorTables> errors_;  ///< made when it is first asked for
  int universe_size_;
  ThreadLevel level_ = ThreadLevel::single;
};

/// The calling rank's state, or null (no rank, or MPI_Init not called).
inline RankState* this_rank_or_null() {
  corespec::Process* process = corespec::this_process_or_null();
  if (process == nullptr) return nullptr;
  return static_cast<RankState*>(process->state(corespec::Process::Slot::mpi));
}

}  // namespace netmod
