// Combining a rank's sum with those that come.
#include "netmod/mpi/collectives/algorithms/running_sum.h"

#include <utility>

#include "netmod/mpi/calls/rank_state.h"

namespace netmod {

RunningSum::RunningSum(const Transfer& transfer, const Reduction& reduction, const std::byte* in,
                       std::byte* memory, std::int64_t count)
    : transfer_(&transfer),
      reduction_(&reduction),
      in_(in),
      count_(count),
      bytes_(reduction.bytes(count)) {
  (in == memory ? sum_ : spare_) = memory;
}

void RunningSum::receive(int from, Operand theirs) {
  Request* const receiving = start_receive(from, theirs);
  if (!transfer_->finish(receiving, bytes_)) transfer_->fail_size(bytes_, from);
  combine_received();
}

void RunningSum::exchange(int partner, Operand theirs) {
  exchanges_ = true;
  Request* const receiving = start_receive(partner, theirs);
  sending_ = transfer_->start_send(data(), bytes_, partner, DataStays::until_released);
  transfer_->wait(receiving);
  transfer_->finish_send(std::exchange(sending_, nullptr));
  exchanges_ = false;
  if (receiving != nullptr) transfer_->call().rank.device().hand_over(*receiving);
  if (!transfer_->finish(receiving, bytes_)) transfer_->fail_size(bytes_, partner);
  combine_received();
}

/// While it leaves, the sum stays as it is; once it has, the host may still have to copy it first.
bool RunningSum::may_change() {
  if (!exchanges_) return true;
  if (sending_ == nullptr || !sending_->complete()) return false;
  transfer_->call().rank.device().end_loan(*sending_);
  return true;
}

Request* RunningSum::start_receive(int from, Operand theirs) {
  theirs_ = theirs;
  if (reduction_->predefined() && transfer_->call().schedule == nullptr) {
    return transfer_->start_receive(*this, bytes_, from);
  }
  return transfer_->start_receive(room(static_cast<std::size_t>(bytes_)), bytes_, from);
}

bool RunningSum::take(const std::byte* data, std::size_t bytes) {
  if (bytes != static_cast<std::size_t>(bytes_)) return true;  // finish() will say so
  if (sum_ != nullptr && !may_change()) return false;
  copy_in();
  reduction_->combine(data, theirs_, sum_, count_);
  return true;
}

std::byte* RunningSum::room(std::size_t) { return received_ = take_spare(); }

/// The cost is charged where a copy would have been combined, too.
void RunningSum::combine_received() {
  const CollectiveCall& call = transfer_->call();
  if (received_ == nullptr) {
    reduction_->charge(count_);
    return;
  }
  if (theirs_ == Operand::first) {
    copy_in();
    call.reduce(*reduction_, received_, sum_, count_);
    spare_ = received_;
  } else {
    call.reduce(*reduction_, data(), received_, count_);
    spare_ = std::exchange(sum_, received_);
  }
  received_ = nullptr;
}

/// What has only been read so far can be written from now on.
void RunningSum::copy_in() {
  if (sum_ != nullptr) return;
  sum_ = take_spare();
  transfer_->call().copy(sum_, in_, bytes_);
}

std::byte* RunningSum::take_spare() {
  if (spare_ != nullptr) return std::exchange(spare_, nullptr);
  Scratch& made = own_[own_[0].get() == nullptr ? 0 : 1];
  made = transfer_->call().memory(bytes_);
  return made.get();
}

}  // namespace netmod
