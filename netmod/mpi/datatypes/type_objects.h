// Datatypes as objects of a rank: new handles, how they were made, attributes.
#pragma once

#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/datatypes/datatype_build.h"

namespace netmod {

/// A new handle for a datatype made as `contents` says.
MPI_Datatype add_type(RankState& rank, Datatype type, Contents contents);
/// A further handle of a datatype, which lives until all are freed.
MPI_Datatype add_type_handle(RankState& rank, const std::shared_ptr<Datatype>& type);

/// A datatype as another's contents hold it.
Contents::Used use_type(RankState& rank, MPI_Datatype handle);

/// Name and attributes, of a predefined type too; null: it has none. MPI_ERR_TYPE: not a datatype.
const ObjectExtras* find_type_extras(RankState& rank, MPI_Datatype handle);
ObjectExtras& need_type_extras(RankState& rank, MPI_Datatype handle);

/// copy_values() and delete_values() for a datatype.
int copy_type_attributes(RankState& rank, MPI_Datatype from, MPI_Datatype to);
int delete_type_attributes(RankState& rank, MPI_Datatype datatype);

/// The object of a datatype that the program made and may change; `what` was to be done.
std::shared_ptr<Datatype>& made_type(RankState& rank, MPI_Datatype handle, const char* what);

}  // namespace netmod
