// Accumulates: what changes a target's memory atomically, element by element.
#pragma once

#include <memory>

#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/datatypes/datatype.h"
#include "netmod/mpi/operations/op.h"
#include "netmod/mpi/windows/operation.h"

namespace netmod {

/// A predefined operation for the elements of a target's datatype. MPI_ERR_OP: none is defined, or
/// it is the program's own; MPI_ERR_TYPE: the elements are not of one predefined type.
class Accumulation {
 public:
  /// `fetches`: MPI_NO_OP is allowed.
  Accumulation(MPI_Op op, const TypeView& type, bool fetches);

  MPI_Op op() const { return op_; }
  const BasicType& element() const { return *type_.basic; }
  /// Integers of 8 bytes, which Gemini's AMOs work on.
  bool on_words() const;
  /// inout = in op inout, packed elements of the target's datatype.
  void apply(RankState& rank, const std::byte* in, std::byte* inout, std::int64_t count) const;

 private:
  MPI_Op op_;
  TypeView type_;
  Kernel kernel_ = nullptr;  ///< null: MPI_REPLACE, MPI_NO_OP
};

/// Atomic for each element, with all other accumulates on elements of the type; those of one origin
/// take place in order. `from` is not looked at by MPI_NO_OP. `result` (null: none) gets what was
/// there. Integers of 8 bytes are changed by the target's NIC: sums, bit operations, MPI_REPLACE
/// and MPI_NO_OP by an AMO for each, others by AMOs that compare and swap. Other types are fetched,
/// combined and put back under a lock of the target's: at once if the call has a result or a
/// request (it returns when that is done), else when the rank waits for the target
/// (updates.h).
void accumulate(RankState& rank, Window& window, const Accumulation& accumulation,
                const LocalData& from, const RemoteData& to, const LocalData* result,
                std::shared_ptr<OneSidedOperation> operation);

/// What this rank has begun to do to a target must be seen by what it does next, another way.
void wait_for_order(RankState& rank, const Target& target);

/// Replaces one element by `with` if it is equal to `compared`; `result` gets what was there.
/// MPI_ERR_TYPE: neither an integer nor a logical nor a byte.
void compare_and_swap(RankState& rank, Window& window, const void* with, const void* compared,
                      void* result, const RemoteData& to);

}  // namespace netmod
