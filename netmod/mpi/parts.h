// The parts of all ranks in a caller's buffer, as the collectives with counts and displacements
// have them.
#pragma once

#include <vector>

#include "netmod/mpi/arguments.h"
#include "netmod/mpi/collectives.h"

namespace netmod {

/// Where they are if no datatype has gaps, else one after another in a packed copy.
class Parts {
 public:
  /// Displacements are multiples of the datatype's extent.
  Parts(const CollectiveCall& call, void* buffer, const int* counts, const int* displacements,
        MPI_Datatype datatype, const char* name);
  /// Each part has a datatype of its own; displacements are bytes.
  Parts(const CollectiveCall& call, void* buffer, const int* counts, const int* displacements,
        const MPI_Datatype* datatypes, const char* name);

  std::span<const Piece> pieces() const { return pieces_; }
  std::byte* data() const { return copy_.get() != nullptr ? copy_.get() : buffer_; }

  /// Into the copy, if there is one; part `i` of it.
  void load() const;
  void load(std::size_t i) const;
  /// Back, when the call has come so far.
  void store() const;
  /// Puts the caller's own part there.
  void set(std::size_t i, const std::byte* from, std::int64_t bytes) const;

 private:
  struct Part {
    std::int64_t offset = 0;  ///< bytes from the buffer's begin
    std::int64_t count = 0;
    TypeView type;
  };
  void add(std::int64_t offset, std::int64_t count, const TypeView& type, const char* name);
  void place();

  const CollectiveCall* call_;
  std::byte* buffer_;
  bool gaps_ = false;
  std::vector<Part> parts_;
  std::vector<Piece> pieces_;  ///< in data()
  Scratch copy_;
};

}  // namespace netmod
