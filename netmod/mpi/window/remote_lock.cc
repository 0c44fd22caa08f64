// Locks in windows.
#include "netmod/mpi/window/remote_lock.h"

#include <atomic>
#include <cstddef>

#include "corespec/events/event_domain.h"
#include "corespec/threads/node.h"
#include "netmod/mpi/window/window.h"
#include "ugni_emu/rma/rma_port.h"

namespace netmod {
namespace {

constexpr unsigned half = 32;
constexpr std::uint64_t one_to_share = 1;
constexpr std::uint64_t one_alone = std::uint64_t{1} << half;

std::uint32_t turn_to_share(std::uint64_t served) { return static_cast<std::uint32_t>(served); }
std::uint32_t turn_alone(std::uint64_t served) {
  return static_cast<std::uint32_t>(served >> half);
}

/// Moves the low half from `ticket` to the next one, which may be 0 again: without a carry.
std::uint64_t next_to_share(std::uint32_t ticket) {
  return ticket == UINT32_MAX ? one_to_share - one_alone : one_to_share;
}

/// Wakes the rank's waiting threads after a while.
class Alarm final : public corespec::Event {
 public:
  explicit Alarm(corespec::Signal& signal) : signal_(signal) {}
  void fire(std::uint64_t) override {
    corespec::Signal& signal = signal_;  // the waiting thread may be quicker
    rang_.store(true, std::memory_order_release);
    signal.notify();
  }
  /// Returns when the time is over; meanwhile messages make progress.
  void wait(RankState& rank, corespec::Time time) {
    corespec::this_thread().sync();
    {
      corespec::Node& node = rank.process().node();
      const corespec::EventDomain::Hold hold(node.domain());
      node.domain().schedule(node.domain().now() + time, node.source(), *this, 0);
    }
    const auto rang = [this] { return rang_.load(std::memory_order_acquire); };
    rank.wait_until(rang);
  }

 private:
  corespec::Signal& signal_;
  std::atomic<bool> rang_{false};
};

RemotePlace moved(RemotePlace place, std::size_t by) {
  place.address += by;
  return place;
}

}  // namespace

RemoteLock::RemoteLock(RankState& rank, const RemotePlace& words, rma::Completion& unattended)
    : rank_(rank),
      next_(moved(words, offsetof(LockWords, next))),
      served_(moved(words, offsetof(LockWords, served))),
      unattended_(unattended) {}

/// Who is not the next one leaves the network alone for as long as those before take at least: a
/// round trip each.
template <class TurnOf>
RemoteLock::Ticket RemoteLock::wait_turn(const TurnOf& turn_of) {
  corespec::Thread& thread = corespec::this_thread();
  const corespec::Time begin = thread.now();
  rma::Completion drawn;
  std::uint64_t ticket = 0;
  std::uint64_t served = 0;
  start_atomic(rank_, drawn, next_, GNI_FMA_ATOMIC_FADD, 1, 0, &ticket);
  start_atomic(rank_, drawn, served_, GNI_FMA_ATOMIC_FOR, 0, 0, &served);
  wait_for(rank_, drawn);
  const auto own = static_cast<Ticket>(ticket);
  const corespec::Time round_trip = thread.now() - begin;
  for (;;) {
    const std::uint32_t before = own - turn_of(served);
    if (before == 0) return own;
    if (before > 1) {
      Alarm alarm(rank_.device().one_sided().arrivals());
      alarm.wait(rank_, round_trip * static_cast<std::int64_t>(before - 1));
    }
    served = fetch_word(rank_, served_);
  }
}

RemoteLock::Ticket RemoteLock::acquire_shared() {
  const Ticket ticket = wait_turn(turn_to_share);
  // Whoever comes next may share it, too.
  start_atomic(rank_, unattended_, served_, GNI_FMA_ATOMIC_ADD, next_to_share(ticket), 0, nullptr);
  return ticket;
}

RemoteLock::Ticket RemoteLock::acquire_exclusive() { return wait_turn(turn_alone); }

void RemoteLock::release_shared() {
  start_atomic(rank_, unattended_, served_, GNI_FMA_ATOMIC_ADD, one_alone, 0, nullptr);
}

void RemoteLock::release_exclusive(Ticket ticket) {
  start_atomic(rank_, unattended_, served_, GNI_FMA_ATOMIC_ADD, one_alone + next_to_share(ticket),
               0, nullptr);
}

}  // namespace netmod
