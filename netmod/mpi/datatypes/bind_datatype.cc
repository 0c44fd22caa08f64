// MPI functions: what datatypes are, their life, addresses.
#include "netmod/mpi/attributes/attributes.h"
#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/datatypes/datatype.h"
#include "netmod/mpi/datatypes/datatypes.h"
#include "netmod/mpi/datatypes/type_objects.h"

namespace netmod {
namespace {

struct Bounds {
  std::int64_t lb;
  std::int64_t extent;
};
Bounds bounds_of(const TypeView& type) {
  return {type.layout == nullptr ? 0 : type.layout->lb, type.extent};
}
Bounds true_bounds_of(const TypeView& type) {
  if (type.layout == nullptr) return {0, type.extent};
  return {type.layout->true_lb, type.layout->true_ub - type.layout->true_lb};
}

int get_bounds(const char* function, MPI_Datatype datatype, std::int64_t* lb, std::int64_t* extent,
               Bounds (*bounds)(const TypeView&)) {
  return call(function, [&](RankState& rank) {
    const Bounds found = bounds(rank.datatypes().known(datatype));
    check_pointer(lb, "lb");
    check_pointer(extent, "extent");
    *lb = found.lb;
    *extent = found.extent;
  });
}

int get_bound(const char* function, MPI_Datatype datatype, MPI_Aint* result, const auto& bound) {
  return call(function, [&](RankState& rank) {
    const Bounds found = bounds_of(rank.datatypes().known(datatype));
    check_pointer(result, "displacement");
    *result = bound(found);
  });
}

void get_address(const void* location, MPI_Aint* address) {
  check_pointer(address, "address");
  *address = reinterpret_cast<MPI_Aint>(location);
}

}  // namespace
}  // namespace netmod

using netmod::call;
using netmod::check_pointer;
using netmod::RankState;
using netmod::TypeView;

extern "C" {

int PMPI_Type_size(MPI_Datatype datatype, int* size) {
  return call("MPI_Type_size", [&](RankState& rank) {
    const std::int64_t bytes = rank.datatypes().known(datatype).size;
    check_pointer(size, "size");
    *size = bytes <= INT32_MAX ? static_cast<int>(bytes) : MPI_UNDEFINED;
  });
}
NETMOD_PUBLISH(Type_size);

int PMPI_Type_size_x(MPI_Datatype datatype, MPI_Count* size) {
  return call("MPI_Type_size_x", [&](RankState& rank) {
    const std::int64_t bytes = rank.datatypes().known(datatype).size;
    check_pointer(size, "size");
    *size = bytes;
  });
}
NETMOD_PUBLISH(Type_size_x);

int PMPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent) {
  return netmod::get_bounds("MPI_Type_get_extent", datatype, lb, extent, netmod::bounds_of);
}
NETMOD_PUBLISH(Type_get_extent);

int PMPI_Type_get_extent_x(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
  return netmod::get_bounds("MPI_Type_get_extent_x", datatype, lb, extent, netmod::bounds_of);
}
NETMOD_PUBLISH(Type_get_extent_x);

int PMPI_Type_get_true_extent(MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent) {
  return netmod::get_bounds("MPI_Type_get_true_extent", datatype, lb, extent,
                            netmod::true_bounds_of);
}
NETMOD_PUBLISH(Type_get_true_extent);

int PMPI_Type_get_true_extent_x(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
  return netmod::get_bounds("MPI_Type_get_true_extent_x", datatype, lb, extent,
                            netmod::true_bounds_of);
}
NETMOD_PUBLISH(Type_get_true_extent_x);

int PMPI_Type_extent(MPI_Datatype datatype, MPI_Aint* extent) {
  return netmod::get_bound("MPI_Type_extent", datatype, extent,
                           [](const netmod::Bounds& bounds) { return bounds.extent; });
}
NETMOD_PUBLISH(Type_extent);

int PMPI_Type_lb(MPI_Datatype datatype, MPI_Aint* displacement) {
  return netmod::get_bound("MPI_Type_lb", datatype, displacement,
                           [](const netmod::Bounds& bounds) { return bounds.lb; });
}
NETMOD_PUBLISH(Type_lb);

int PMPI_Type_ub(MPI_Datatype datatype, MPI_Aint* displacement) {
  return netmod::get_bound("MPI_Type_ub", datatype, displacement,
                           [](const netmod::Bounds& bounds) { return bounds.lb + bounds.extent; });
}
NETMOD_PUBLISH(Type_ub);

int PMPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return call("MPI_Type_dup", [&](RankState& rank) {
    check_pointer(newtype, "newtype");
    const TypeView type = rank.datatypes().known(oldtype);
    const bool committed = type.layout == nullptr || type.layout->committed;
    MPI_Datatype made = netmod::add_type(rank, netmod::duplicate(type, committed),
                                         {MPI_COMBINER_DUP, {}, {}, {use_type(rank, oldtype)}});
    const int code = netmod::copy_type_attributes(rank, oldtype, made);
    if (code != MPI_SUCCESS) {
      netmod::delete_type_attributes(rank, made);
      rank.datatypes().made.remove(made);
      *newtype = MPI_DATATYPE_NULL;
      netmod::fail(code, "an attribute's copy function failed");
    }
    *newtype = made;
  });
}
NETMOD_PUBLISH(Type_dup);

int PMPI_Type_commit(MPI_Datatype* datatype) {
  return call("MPI_Type_commit", [&](RankState& rank) {
    check_pointer(datatype, "datatype");
    rank.datatypes().known(*datatype);
    if (auto* found = rank.datatypes().made.find(*datatype)) (*found)->committed = true;
  });
}
NETMOD_PUBLISH(Type_commit);

int PMPI_Type_free(MPI_Datatype* datatype) {
  return call("MPI_Type_free", [&](RankState& rank) {
    check_pointer(datatype, "datatype");
    netmod::Datatype& type = *netmod::made_type(rank, *datatype, "freed");
    if (type.handles == 1) {
      const int code = netmod::delete_type_attributes(rank, *datatype);
      if (code != MPI_SUCCESS) netmod::fail(code, "an attribute's delete function failed");
    }
    --type.handles;
    rank.datatypes().made.remove(*datatype);
    *datatype = MPI_DATATYPE_NULL;
  });
}
NETMOD_PUBLISH(Type_free);

int PMPI_Get_address(const void* location, MPI_Aint* address) {
  return call("MPI_Get_address", [&](RankState&) { netmod::get_address(location, address); });
}
NETMOD_PUBLISH(Get_address);

int PMPI_Address(void* location, MPI_Aint* address) {
  return call("MPI_Address", [&](RankState&) { netmod::get_address(location, address); });
}
NETMOD_PUBLISH(Address);

// As addresses are computed: they go round at the end.
MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint displacement) {
  return static_cast<MPI_Aint>(static_cast<std::uint64_t>(base) +
                               static_cast<std::uint64_t>(displacement));
}
NETMOD_PUBLISH(Aint_add);

MPI_Aint PMPI_Aint_diff(MPI_Aint address1, MPI_Aint address2) {
  return static_cast<MPI_Aint>(static_cast<std::uint64_t>(address1) -
                               static_cast<std::uint64_t>(address2));
}
NETMOD_PUBLISH(Aint_diff);

}  // extern "C"
