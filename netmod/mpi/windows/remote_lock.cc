// Locks in windows.
#include "netmod/mpi/windows/remote_lock.h"

#include <atomic>
#include <cstddef>

#include "corespec/events/event_domain.h"
#include "corespec/threads/node.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/windows/window.h"
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

RemotePlace moved(RemotePlace place, std::size_t by) {
  place.address += by;
  return place;
}

}  // namespace

/// Wakes the rank's waiting threads after a while; lasts as long.
class RemoteLock::Alarm final : public corespec::Event {
 public:
  Alarm(RankState& rank, corespec::Time time) : signal_(rank.device().one_sided().arrivals()) {
    corespec::this_thread().sync();
    corespec::Node& node = rank.process().node();
    const corespec::EventDomain::Hold hold(node.domain());
    node.domain().schedule(node.domain().now() + time, node.source(), *this, 0);
  }
  void fire(std::uint64_t) override {
    corespec::Signal& signal = signal_;  // the waiting thread may be quicker
    rang_.store(true, std::memory_order_release);
    signal.notify();
  }
  bool rang() const { return rang_.load(std::memory_order_acquire); }

 private:
  corespec::Signal& signal_;
  std::atomic<bool> rang_{false};
};

RemoteLock::RemoteLock(RankState& rank, const RemotePlace& words, rma::Completion& unattended)
    : rank_(rank),
      next_(moved(words, offsetof(LockWords, next))),
      served_(moved(words, offsetof(LockWords, served))),
      unattended_(unattended) {}

RemoteLock::Asking::Asking(const RemoteLock& lock, TurnOf* turn_of)
    : rank_(lock.rank_),
      served_(lock.served_),
      turn_of_(turn_of),
      begin_(corespec::this_thread().now()) {
  start_atomic(rank_, moved_, lock.next_, GNI_FMA_ATOMIC_FADD, 1, 0, &ticket_);
  look();
}

RemoteLock::Asking::~Asking() = default;

void RemoteLock::Asking::look() {
  start_atomic(rank_, moved_, served_, GNI_FMA_ATOMIC_FOR, 0, 0, &turn_);
}

bool RemoteLock::Asking::may_step() const {
  return alarm_ != nullptr ? alarm_->rang() : moved_.complete();
}

/// A rank that is not the next one leaves the network alone for as long as those before it take: a
/// round trip each.
bool RemoteLock::Asking::step() {
  if (!drawn_) round_trip_ = corespec::this_thread().now() - begin_;
  drawn_ = true;
  const std::uint32_t before = ticket() - turn_of_(turn_);
  if (alarm_ == nullptr && before == 0) return true;
  if (alarm_ == nullptr && before > 1) {
    alarm_ = std::make_unique<Alarm>(rank_, round_trip_ * static_cast<std::int64_t>(before - 1));
  } else {
    alarm_.reset();
    look();
  }
  return false;
}

RemoteLock::Ticket RemoteLock::wait_turn(Asking::TurnOf* turn_of) {
  Asking asking(*this, turn_of);
  const auto may_step = [&asking] { return asking.may_step(); };
  do {
    rank_.wait_until(may_step);
  } while (!asking.step());
  return asking.ticket();
}

RemoteLock::Ticket RemoteLock::acquire_shared() {
  const Ticket ticket = wait_turn(turn_to_share);
  // The next rank may share it, too.
  start_atomic(rank_, unattended_, served_, GNI_FMA_ATOMIC_ADD, next_to_share(ticket), 0, nullptr);
  return ticket;
}

RemoteLock::Ticket RemoteLock::acquire_exclusive() { return wait_turn(turn_alone); }

std::unique_ptr<RemoteLock::Asking> RemoteLock::ask_exclusive() const {
  return std::unique_ptr<Asking>(new Asking(*this, turn_alone));
}

void RemoteLock::release_shared() {
  start_atomic(rank_, unattended_, served_, GNI_FMA_ATOMIC_ADD, one_alone, 0, nullptr);
}

void RemoteLock::release_exclusive(Ticket ticket) {
  start_atomic(rank_, unattended_, served_, GNI_FMA_ATOMIC_ADD, one_alone + next_to_share(ticket),
               0, nullptr);
}

}  // namespace netmod
