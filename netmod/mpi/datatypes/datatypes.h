// The datatypes of a rank, by handle.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "netmod/include/mpi.h"
#include "netmod/mpi/calls/handles.h"
#include "netmod/mpi/datatypes/datatype.h"

namespace netmod {

/// What few ranks have of datatypes.
struct DatatypesExtras {
  /// Names and attributes that the program gave predefined datatypes.
  std::map<MPI_Datatype, ObjectExtras> predefined_types;
  std::vector<MPI_Datatype> fortran_kinds;  ///< made by MPI_Type_create_f90_*
};

class Datatypes {
 public:
  /// By handle; MPI_ERR_TYPE if there is none, or, of one in use, if it has not been committed.
  TypeView known(MPI_Datatype handle);
  TypeView in_use(MPI_Datatype handle);
  /// The same for `count` elements: of none the datatype is not looked at, as MPICH has it.
  TypeView in_use(MPI_Datatype handle, std::int64_t count) {
    if (count == 0) [[unlikely]]
      return {};
    return in_use(handle);
  }

  HandleTable<std::shared_ptr<Datatype>> made{HandleKind::datatype, padded_pair_count};
  DatatypesExtras& extras() {
    if (extras_ == nullptr) extras_ = std::make_unique<DatatypesExtras>();
    return *extras_;
  }

 private:
  /// Of a type that is not a simple one; throws as known() does.
  const Datatype& layout_of(MPI_Datatype handle);

  std::unique_ptr<DatatypesExtras> extras_;
};

}  // namespace netmod
