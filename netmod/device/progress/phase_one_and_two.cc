// Cray's progress threads: phase one sleeps on the blocking RX queue, phase two on the TX queue,
// too.
#include "netmod/device/progress/progress_thread.h"

namespace netmod {
namespace {

constexpr std::uint64_t for_ever = static_cast<std::uint64_t>(-1);

}  // namespace

void ProgressThread::run() {
  // As Cray's: on the service CPUs if the job has any, else where the launcher put it.
  corespec::this_thread().use_service_cpus();
  while (sleep()) {
    ++device_.statistics_.thread_wakeups;
    if (device_.in_engine_ != 0) {
      ++device_.statistics_.immediate_resleeps;
      continue;
    }
    const corespec::LibraryCall call;  // of MPI, as an application's would be
    device_.lock();
    device_.pass();
    device_.finish_fma_gets();
    device_.unlock();
  }
}

bool ProgressThread::sleep() {
  RankPort& port = device_.port_;
  gni_cq_entry_t entry = 0;
  gni_return_t code = GNI_RC_SUCCESS;
  if (device_.settings_.design == ProgressDesign::phase_one) {
    code = GNI_CqWaitEvent(port.blocking_receive_queue(), for_ever, &entry);
  } else {
    gni_cq_handle_t queues[2] = {port.blocking_receive_queue(), port.blocking_data_queue()};
    std::uint32_t which = 0;
    code = GNI_CqVectorWaitEvent(queues, 2, for_ever, &entry, &which);
    if (code == GNI_RC_TRANSACTION_ERROR) code = GNI_RC_SUCCESS;  // a pass looks at the entry
    if (code == GNI_RC_SUCCESS && which == 1) {
      moved_lock_->lock();
      add_moved(entry);
      moved_lock_->unlock();
      device_.port_.arrival_signal().notify();
    }
  }
  if (code != GNI_RC_SUCCESS && code != GNI_RC_ERROR_RESOURCE) port.fail("GNI_CqWait", code);
  // The queue says "wake up"; how often does not matter.
  while (GNI_CqGetEvent(port.blocking_receive_queue(), &entry) != GNI_RC_NOT_DONE) {
  }
  if (moved_lock_) move_events();
  return !stopping_;
}

bool ProgressThread::move_events() {
  bool any = false;
  gni_cq_entry_t entry = 0;
  while (GNI_CqGetEvent(device_.port_.blocking_data_queue(), &entry) != GNI_RC_NOT_DONE) {
    moved_lock_->lock();
    add_moved(entry);
    moved_lock_->unlock();
    any = true;
  }
  if (any) device_.port_.arrival_signal().notify();
  return any;
}

void ProgressThread::add_moved(gni_cq_entry_t entry) {
  moved_.push_back(entry);
  any_moved_ = true;
  ++device_.statistics_.events_moved;
}

bool ProgressThread::take_moved(gni_cq_entry_t& entry) {
  if (!any_moved_) return false;
  moved_lock_->lock();
  const bool any = !moved_.empty();
  if (any) {
    entry = moved_.front();
    moved_.pop_front();
    any_moved_ = !moved_.empty();
  }
  moved_lock_->unlock();
  return any;
}

}  // namespace netmod
