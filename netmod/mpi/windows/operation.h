// One-sided operations: what a call describes, checked, and records of those under way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/datatypes/datatype.h"
#include "netmod/mpi/point_to_point/request.h"
#include "netmod/mpi/windows/posting.h"
#include "netmod/mpi/windows/run_cursor.h"
#include "netmod/mpi/windows/window.h"

namespace netmod {

/// Elements in this rank's memory.
struct LocalData {
  std::byte* data = nullptr;
  std::int64_t count = 0;
  TypeView type;

  std::int64_t bytes() const { return type.packed_bytes(count); }
};

/// Elements in a target's part of a window.
struct RemoteData {
  Target* target = nullptr;
  std::uint64_t address = 0;  ///< of the first element
  std::int64_t count = 0;
  TypeView type;
  bool attached = false;  ///< to a dynamic window: runs are looked for one by one

  std::int64_t bytes() const { return type.packed_bytes(count); }
  /// A run at an offset from `address`, or as much of it as is in one piece of attached memory.
  struct Piece {
    RemotePlace place;
    std::int64_t bytes;
  };
  Piece piece(std::int64_t offset, std::int64_t bytes) const;
};

/// From the first to behind the last byte of remote elements.
struct AddressRange {
  std::uint64_t begin;
  std::uint64_t end;
};
AddressRange range_of(const RemoteData& data);

/// Calls `use(piece, packed offset)` for the pieces of remote elements, in the order of their
/// packed bytes.
template <class Use>
void for_each_piece(const RemoteData& data, const Use& use) {
  std::int64_t packed = 0;
  for (RunCursor runs(data.type, data.count); runs.bytes() > 0;) {
    const RemoteData::Piece piece = data.piece(runs.offset(), runs.bytes());
    use(piece, packed);
    packed += piece.bytes;
    runs.advance(piece.bytes);
  }
}

/// The elements that a call's arguments name at a rank that is not MPI_PROC_NULL: they are within
/// its memory. MPI_ERR_DISP, MPI_ERR_RMA_RANGE.
RemoteData find_remote(RankState& rank, const Window& window, Target& target, MPI_Aint displacement,
                       int count, const TypeView& type);

/// An operation that has a request, or whose data are packed meanwhile. It lives until its
/// transfers are complete and its request has ended.
class OneSidedOperation final : public Request, private rma::CompletionListener {
 public:
  OneSidedOperation(RankState& rank, Target& target);

  /// Counts its posts.
  rma::Completion& transfers() { return transfers_; }
  /// Memory that lasts as long as the operation.
  std::byte* pack_memory(std::int64_t bytes);
  /// Packed bytes in pack_memory() go to `to` when they are here. The datatype may be freed.
  void unpack_to(const LocalData& to);
  /// All posts have been made: from now on it may complete.
  static void posted(std::shared_ptr<OneSidedOperation> operation);

 private:
  void completed(rma::Completion& completion) override;
  void finish();

  RankState& rank_;
  Target& target_;
  rma::Completion transfers_;
  std::unique_ptr<std::byte[]> packed_;
  LocalData unpack_;
  bool unpacks_ = false;
  std::shared_ptr<const Datatype> kept_type_;
  std::shared_ptr<OneSidedOperation> self_;  ///< until it is complete
};

/// Starts, and returns when no more is needed of the caller. `operation` may be null if there is no
/// request.
void put(RankState& rank, const LocalData& from, const RemoteData& to,
         std::shared_ptr<OneSidedOperation> operation);
void get(RankState& rank, const LocalData& to, const RemoteData& from,
         std::shared_ptr<OneSidedOperation> operation);

/// Packed bytes into the runs of remote elements, and out of them.
void scatter_packed(RankState& rank, rma::Completion& completion, const std::byte* packed,
                    const RemoteData& to);
void gather_packed(RankState& rank, rma::Completion& completion, const RemoteData& from,
                   std::byte* packed);

}  // namespace netmod
