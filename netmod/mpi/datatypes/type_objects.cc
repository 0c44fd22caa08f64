// Datatypes as objects of a rank.
#include "netmod/mpi/datatypes/type_objects.h"

#include <fmt/format.h>

namespace netmod {

MPI_Datatype add_type_handle(RankState& rank, const std::shared_ptr<Datatype>& type) {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  auto* made = rank.datatypes.add(handle);
  if (made == nullptr) fail(MPI_ERR_NO_MEM, "too many datatypes");
  *made = type;
  return handle;
}

MPI_Datatype add_type(RankState& rank, Datatype type, Contents contents) {
  type.contents = std::make_shared<const Contents>(std::move(contents));
  return add_type_handle(rank, std::make_shared<Datatype>(std::move(type)));
}

Contents::Used use_type(RankState& rank, MPI_Datatype handle) {
  const auto* made = rank.datatypes.find(handle);
  if (made == nullptr || (*made)->predefined) return {handle, nullptr};
  return {handle, *made};
}

const ObjectExtras* find_type_extras(RankState& rank, MPI_Datatype handle) {
  if (const auto* made = rank.datatypes.find(handle)) return &(*made)->extras;
  rank.known_type(handle);
  const auto& named = rank.extras().predefined_types;
  const auto found = named.find(handle);
  return found == named.end() ? nullptr : &found->second;
}

ObjectExtras& need_type_extras(RankState& rank, MPI_Datatype handle) {
  if (auto* made = rank.datatypes.find(handle)) return (*made)->extras;
  rank.known_type(handle);
  return rank.extras().predefined_types[handle];
}

std::shared_ptr<Datatype>& made_type(RankState& rank, MPI_Datatype handle, const char* what) {
  rank.known_type(handle);
  auto* found = rank.datatypes.find(handle);
  if (found == nullptr || (*found)->predefined) {
    fail(MPI_ERR_TYPE, fmt::format("a predefined datatype cannot be {}", what));
  }
  return *found;
}

}  // namespace netmod
