// A rank's sum in a reduction, and other ranks' sums that join it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "netmod/mpi/collectives/engine/transfer.h"
#include "netmod/mpi/operations/op.h"

namespace netmod {

/// What one rank has summed so far. Another rank's sum is combined with it where it lies when it
/// comes, or as soon as the own one has left, if it is eager and the operation is MPI's own: a copy
/// would be read only once. Otherwise it goes to a second buffer first, and the new sum may be in
/// either. `transfer` and `reduction` outlive it.
class RunningSum final : Sink {
 public:
  /// Begins with the `count` elements at `in`, which are only read if they are not at `memory`.
  /// `memory` has room for as many (null: memory of its own, once it needs some).
  RunningSum(const Transfer& transfer, const Reduction& reduction, const std::byte* in,
             std::byte* memory, std::int64_t count);

  void send(int to) const { transfer_->send(data(), bytes_, to); }
  /// Receives another rank's sum, the `theirs` operand of the operation.
  void receive(int from, Operand theirs);
  /// Sends the sum so far, too.
  void exchange(int partner, Operand theirs);

  /// Where the sum is now.
  const std::byte* data() const { return sum_ != nullptr ? sum_ : in_; }
  /// Copies it to `out` if it is not there. No cost is charged.
  void store(std::byte* out) const { transfer_->call().copy(out, data(), bytes_); }

 private:
  Request* start_receive(int from, Operand theirs);
  void combine_received();
  std::byte* take_spare();
  void copy_in();
  bool may_change();
  // Of what has come, by the device:
  bool take(const std::byte* data, std::size_t bytes) override;
  std::byte* room(std::size_t bytes) override;

  const Transfer* transfer_;
  const Reduction* reduction_;
  const std::byte* in_;
  std::int64_t count_;
  std::int64_t bytes_;
  std::byte* sum_ = nullptr;       ///< null: what is at in_
  std::byte* received_ = nullptr;  ///< a sum still to be combined
  std::byte* spare_ = nullptr;     ///< a buffer that is neither
  Scratch own_[2];
  Request* sending_ = nullptr;  ///< of an exchange
  Operand theirs_ = Operand::first;
  bool exchanges_ = false;  ///< begun, and not ended
};

}  // namespace netmod
