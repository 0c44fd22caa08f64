// A rank's MPI: the device's start, waiting, the lock.
#include "netmod/mpi/calls/rank_state.h"

#include "corespec/threads/situation.h"
#include "corespec/time/time.h"

namespace netmod {
namespace {

/// A wait for the requests that a condition counts: a blocking send or receive, a collective.
class AwaitedCondition final : public corespec::Awaited {
 public:
  AwaitedCondition(RankState& rank, const Condition& condition)
      : Awaited(corespec::this_thread()), rank_(rank), condition_(condition) {}
  bool describe(corespec::Situation& to) const override { return rank_.describe(condition_, to); }

 private:
  RankState& rank_;
  const Condition& condition_;
};

}  // namespace

RankState::RankState(corespec::Process& process, ThreadLevel requested, GniCalls calls,
                     const Kept& kept)
    : device_(Device::open(process, requested, calls)),
      process_(&process),
      parameters_(&process.job().parameters()),
      kept_(kept),
      main_thread_(corespec::this_thread_or_null()),
      universe_size_(process.job().size()),
      level_(device_->granted_level()) {}

void RankState::wait_until(const Condition& awaited) {
  if (awaited.holds()) return;
  const AwaitedCondition for_people(*this, awaited);
  if (!locked()) {
    device_->wait_until(awaited);
    return;
  }
  // Another thread may have the lock while this one waits.
  lock_owner_.store(nullptr, std::memory_order_relaxed);
  device_->wait_until(awaited);
  lock_owner_.store(corespec::this_thread_or_null(), std::memory_order_relaxed);
}

bool RankState::take_lock() {
  const corespec::Thread* caller = corespec::this_thread_or_null();
  if (lock_owner_.load(std::memory_order_relaxed) == caller) return false;
  device_->lock();
  lock_owner_.store(caller, std::memory_order_relaxed);
  return true;
}

void RankState::give_lock() {
  if (device_ == nullptr) return;  // MPI_Finalize has given it
  lock_owner_.store(nullptr, std::memory_order_relaxed);
  device_->unlock();
}

void RankState::charge_copy(std::int64_t bytes) const {
  if (bytes > 0) {
    corespec::charge(
        corespec::Time::for_bytes(static_cast<std::uint64_t>(bytes), parameters_->memory_copy));
  }
}

}  // namespace netmod
