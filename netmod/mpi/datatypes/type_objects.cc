// Datatypes as objects of a rank.
#include "netmod/mpi/datatypes/type_objects.h"

#include <fmt/format.h>

#include "netmod/mpi/attributes/attributes.h"
#include "netmod/mpi/calls/errors.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/datatypes/datatypes.h"

namespace netmod {

MPI_Datatype add_type_handle(RankState& rank, const std::shared_ptr<Datatype>& type) {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  auto* made = rank.datatypes().made.add(handle);
  if (made == nullptr) fail(MPI_ERR_NO_MEM, "too many datatypes");
  *made = type;
  return handle;
}

MPI_Datatype add_type(RankState& rank, Datatype type, Contents contents) {
  type.contents = std::make_shared<const Contents>(std::move(contents));
  return add_type_handle(rank, std::make_shared<Datatype>(std::move(type)));
}

Contents::Used use_type(RankState& rank, MPI_Datatype handle) {
  const auto* made = rank.datatypes().made.find(handle);
  if (made == nullptr || (*made)->predefined) return {handle, nullptr};
  return {handle, *made};
}

const ObjectExtras* find_type_extras(RankState& rank, MPI_Datatype handle) {
  if (const auto* made = rank.datatypes().made.find(handle)) return &(*made)->extras;
  rank.datatypes().known(handle);
  const auto& named = rank.datatypes().extras().predefined_types;
  const auto found = named.find(handle);
  return found == named.end() ? nullptr : &found->second;
}

ObjectExtras& need_type_extras(RankState& rank, MPI_Datatype handle) {
  if (auto* made = rank.datatypes().made.find(handle)) return (*made)->extras;
  rank.datatypes().known(handle);
  return rank.datatypes().extras().predefined_types[handle];
}

int copy_type_attributes(RankState& rank, MPI_Datatype from, MPI_Datatype to) {
  const ObjectExtras* extras = find_type_extras(rank, from);
  if (extras == nullptr) return MPI_SUCCESS;
  return copy_values(rank, from, extras->attributes, need_type_extras(rank, to).attributes);
}

int delete_type_attributes(RankState& rank, MPI_Datatype datatype) {
  return delete_values(rank, datatype, need_type_extras(rank, datatype).attributes);
}

std::shared_ptr<Datatype>& made_type(RankState& rank, MPI_Datatype handle, const char* what) {
  rank.datatypes().known(handle);
  auto* found = rank.datatypes().made.find(handle);
  if (found == nullptr || (*found)->predefined) {
    fail(MPI_ERR_TYPE, fmt::format("a predefined datatype cannot be {}", what));
  }
  return *found;
}

}  // namespace netmod
