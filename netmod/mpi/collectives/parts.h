// The parts of all ranks in a caller's buffer, as the collectives with counts and displacements
// have them.
#pragma once

#include <vector>

#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/collectives/algorithms/collectives.h"
#include "netmod/mpi/collectives/engine/transfer.h"
#include "netmod/mpi/collectives/side.h"
#include "netmod/mpi/datatypes/buffer_arguments.h"
#include "netmod/mpi/datatypes/datatype.h"
#include "netmod/mpi/datatypes/datatypes.h"

namespace netmod {

/// Where they are if no datatype has gaps, else one after another in a packed copy.
class Parts {
 public:
  /// One part for each rank that point-to-point calls name. Displacements are multiples of the
  /// datatype's extent.
  Parts(const CollectiveCall& call, void* buffer, const int* counts, const int* displacements,
        MPI_Datatype datatype, const char* name);
  struct Part {
    std::int64_t offset = 0;  ///< bytes from the buffer's begin
    std::int64_t count = 0;
    TypeView type;
    bool addressed = false;  ///< the offset may be an address, the buffer MPI_BOTTOM

    /// Part i of a caller's arrays. Of an empty part nothing but the count is looked at, as MPICH
    /// has it: displacements (and datatypes, where each part has its own) may be null.
    static Part of(const int* counts, const int* displacements, const TypeView& type,
                   std::size_t i);
    template <class Displacement>
    static Part of(RankState& rank, const int* counts, const Displacement* displacements,
                   const MPI_Datatype* datatypes, std::size_t i) {
      if (counts[i] == 0) return {0, 0, {}, true};
      check_pointer(displacements, "displs");
      check_pointer(datatypes, "datatypes");
      return {displacements[i], counts[i], rank.datatypes().in_use(datatypes[i]), true};
    }
  };
  /// `part_of(i)` says where part i is.
  template <class PartOf>
  Parts(const CollectiveCall& call, void* buffer, std::size_t parts, const PartOf& part_of,
        const char* name)
      : call_(&call), buffer_(static_cast<std::byte*>(buffer)) {
    for (std::size_t i = 0; i < parts; ++i) add(part_of(i), name);
    place();
  }
  /// The same; each part has a datatype of its own, displacements are bytes.
  Parts(const CollectiveCall& call, void* buffer, const int* counts, const int* displacements,
        const MPI_Datatype* datatypes, const char* name);

  std::span<const Piece> pieces() const { return pieces_; }
  std::byte* data() const { return copy_.get() != nullptr ? copy_.get() : buffer_; }

  /// MPI_ERR_BUFFER if part i is where the caller's own part, sent or received, is too.
  void check_aliases(std::size_t i, const Side& own) const;
  /// None has bytes.
  bool empty() const;

  /// Into the copy, if there is one; part `i` of it.
  void load() const;
  void load(std::size_t i) const;
  /// Back, when the call has come so far.
  void store() const;
  /// Puts the caller's own part there. If it is too large the call fails late.
  void set(std::size_t i, const std::byte* from, std::int64_t bytes) const;

 private:
  void add(const Part& part, const char* name);
  void place();

  const CollectiveCall* call_;
  std::byte* buffer_;
  bool gaps_ = false;
  std::vector<Part> parts_;
  std::vector<Piece> pieces_;  ///< in data()
  Scratch copy_;
};

}  // namespace netmod
