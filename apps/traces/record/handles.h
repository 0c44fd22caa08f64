// The numbers that a trace has for a rank's handles.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <vector>

namespace dumpi_record {

/// Numbers of handles of one kind (all handles are integers). Threads may call all functions at
/// once. A handle may be there twice for a while: MPI has freed it for one thread, which is about
/// to remove it, and given it to another one. Then the newer one's number counts.
class Numbers {
 public:
  /// Whether the number of a handle that is gone is another one's afterwards: the smallest that is
  /// free.
  enum class Reuse : std::uint8_t { yes, no };
  /// The program's handles have numbers from `first` on.
  Numbers(int first, Reuse reuse) : next_(first), reuse_(reuse) {}

  /// A handle of MPI's own.
  void set(int handle, int number);
  /// A new handle's number.
  int add(int handle);
  /// The number of a handle, or `unknown`.
  int find(int handle, int unknown) const;
  /// The number of a handle, a new one if it has none.
  int find_or_add(int handle);
  void remove(int handle, int number);
  /// The same, of whichever number it has.
  void remove(int handle);

 private:
  int add_locked(int handle);
  /// Its newest number, or nullptr.
  const int* find_locked(int handle) const;

  mutable std::mutex mutex_;
  std::multimap<int, int> numbers_;
  std::set<int> free_;
  int next_;
  Reuse reuse_;
};

/// Numbers of data types, and their sizes. Types of MPI's that the format does not have, as those
/// of a fixed width or of Fortran, have the number of the type of C that is the same; what has none
/// (complex types) counts as the program's. A type's number is another's of the same size once it
/// has been freed.
class TypeNumbers {
 public:
  /// MPI has been initialized.
  void begin();
  /// Of a type that the call has used.
  int of(MPI_Datatype type);
  /// Of an argument that may mean nothing: of what is no known type that of MPI_DATATYPE_NULL.
  int of_unused(MPI_Datatype type) const;
  int add(MPI_Datatype type);
  void remove(MPI_Datatype type);
  /// Bytes, by number.
  const std::vector<std::uint32_t>& sizes() const { return sizes_; }

 private:
  mutable std::mutex mutex_;
  std::map<MPI_Datatype, int> numbers_;
  std::multimap<std::uint32_t, int> free_;  ///< by size
  std::vector<std::uint32_t> sizes_;
};

/// All of a rank's.
struct Handles {
  Handles();

  Numbers comms{4, Numbers::Reuse::no};
  Numbers requests{2, Numbers::Reuse::yes};
  Numbers groups{3, Numbers::Reuse::yes};
  Numbers ops{15, Numbers::Reuse::yes};
  Numbers infos{1, Numbers::Reuse::yes};
  Numbers wins{1, Numbers::Reuse::no};
  TypeNumbers types;
};

}  // namespace dumpi_record
