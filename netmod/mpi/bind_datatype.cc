// MPI functions: datatypes.
#include <fmt/format.h>

#include <vector>

#include "netmod/mpi/call_scope.h"
#include "netmod/mpi/datatype_build.h"

namespace netmod {
namespace {

MPI_Datatype add_type(RankState& rank, Datatype type) {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  auto* made = rank.datatypes.add(handle);
  if (made == nullptr) fail(MPI_ERR_NO_MEM, "too many datatypes");
  *made = std::make_shared<Datatype>(std::move(type));
  return handle;
}

/// Runs a constructor: `parts_of(rank)` gives the parts of the new type.
int construct(const char* function, int count, MPI_Datatype* newtype, const auto& parts_of) {
  return call(function, [&](RankState& rank) {
    check_count(count);
    check_pointer(newtype, "newtype");
    const std::vector<Part> parts = parts_of(rank);
    *newtype = add_type(rank, concatenate(parts));
  });
}

std::vector<Part> strided(const TypeView& type, int count, int blocklength, std::int64_t stride) {
  check_count(blocklength, "blocklength");
  std::vector<Part> parts;
  for (std::int64_t i = 0; i < count; ++i) parts.push_back({i * stride, blocklength, type});
  return parts;
}

/// Blocks at displacements of `unit` bytes; `length_of(i)` elements each.
template <class Displacement>
std::vector<Part> indexed(const TypeView& type, int count, const auto& length_of,
                          const Displacement* displacements, std::int64_t unit) {
  std::vector<Part> parts;
  if (count > 0) check_pointer(displacements, "displacements");
  for (int i = 0; i < count; ++i) {
    const int length = length_of(i);
    check_count(length, "a block's length");
    parts.push_back({displacements[i] * unit, length, type});
  }
  return parts;
}

const int* checked_lengths(int count, const int* lengths) {
  if (count > 0) check_pointer(lengths, "blocklengths");
  return lengths;
}

/// The object of a datatype that the program made.
Datatype& made_type(RankState& rank, MPI_Datatype handle, const char* what) {
  rank.known_type(handle);
  if (auto* found = rank.datatypes.find(handle)) return **found;
  fail(MPI_ERR_TYPE, fmt::format("a predefined datatype cannot be {}", what));
}

}  // namespace
}  // namespace netmod

using netmod::call;
using netmod::check_pointer;
using netmod::Part;
using netmod::RankState;
using netmod::TypeView;

extern "C" {

int PMPI_Type_size(MPI_Datatype datatype, int* size) {
  return call("MPI_Type_size", [&](RankState& rank) {
    const std::int64_t bytes = rank.known_type(datatype).size;
    check_pointer(size, "size");
    *size = bytes <= INT32_MAX ? static_cast<int>(bytes) : MPI_UNDEFINED;
  });
}
NETMOD_PUBLISH(Type_size);

int PMPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent) {
  return call("MPI_Type_get_extent", [&](RankState& rank) {
    const TypeView type = rank.known_type(datatype);
    check_pointer(lb, "lb");
    check_pointer(extent, "extent");
    *lb = type.layout == nullptr ? 0 : type.layout->lb;
    *extent = type.extent;
  });
}
NETMOD_PUBLISH(Type_get_extent);

int PMPI_Type_get_true_extent(MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent) {
  return call("MPI_Type_get_true_extent", [&](RankState& rank) {
    const TypeView type = rank.known_type(datatype);
    check_pointer(lb, "lb");
    check_pointer(extent, "extent");
    *lb = type.layout == nullptr ? 0 : type.layout->true_lb;
    *extent = type.layout == nullptr ? type.extent : type.layout->true_ub - type.layout->true_lb;
  });
}
NETMOD_PUBLISH(Type_get_true_extent);

int PMPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return netmod::construct("MPI_Type_contiguous", count, newtype, [&](RankState& rank) {
    return std::vector<Part>{{0, count, rank.known_type(oldtype)}};
  });
}
NETMOD_PUBLISH(Type_contiguous);

int PMPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype,
                     MPI_Datatype* newtype) {
  return netmod::construct("MPI_Type_vector", count, newtype, [&](RankState& rank) {
    const TypeView type = rank.known_type(oldtype);
    return netmod::strided(type, count, blocklength, stride * type.extent);
  });
}
NETMOD_PUBLISH(Type_vector);

int PMPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                             MPI_Datatype* newtype) {
  return netmod::construct("MPI_Type_create_hvector", count, newtype, [&](RankState& rank) {
    return netmod::strided(rank.known_type(oldtype), count, blocklength, stride);
  });
}
NETMOD_PUBLISH(Type_create_hvector);

int PMPI_Type_indexed(int count, const int blocklengths[], const int displacements[],
                      MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return netmod::construct("MPI_Type_indexed", count, newtype, [&](RankState& rank) {
    const TypeView type = rank.known_type(oldtype);
    const int* lengths = netmod::checked_lengths(count, blocklengths);
    return netmod::indexed(
        type, count, [lengths](int i) { return lengths[i]; }, displacements, type.extent);
  });
}
NETMOD_PUBLISH(Type_indexed);

int PMPI_Type_create_hindexed(int count, const int blocklengths[], const MPI_Aint displacements[],
                              MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return netmod::construct("MPI_Type_create_hindexed", count, newtype, [&](RankState& rank) {
    const int* lengths = netmod::checked_lengths(count, blocklengths);
    return netmod::indexed(
        rank.known_type(oldtype), count, [lengths](int i) { return lengths[i]; }, displacements, 1);
  });
}
NETMOD_PUBLISH(Type_create_hindexed);

int PMPI_Type_create_indexed_block(int count, int blocklength, const int displacements[],
                                   MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return netmod::construct("MPI_Type_create_indexed_block", count, newtype, [&](RankState& rank) {
    const TypeView type = rank.known_type(oldtype);
    return netmod::indexed(
        type, count, [blocklength](int) { return blocklength; }, displacements, type.extent);
  });
}
NETMOD_PUBLISH(Type_create_indexed_block);

int PMPI_Type_create_struct(int count, const int blocklengths[], const MPI_Aint displacements[],
                            const MPI_Datatype types[], MPI_Datatype* newtype) {
  return call("MPI_Type_create_struct", [&](RankState& rank) {
    netmod::check_count(count);
    check_pointer(newtype, "newtype");
    netmod::checked_lengths(count, blocklengths);
    if (count > 0) check_pointer(displacements, "displacements");
    if (count > 0) check_pointer(types, "types");
    std::vector<Part> parts;
    for (int i = 0; i < count; ++i) {
      netmod::check_count(blocklengths[i], "a block's length");
      parts.push_back({displacements[i], blocklengths[i], rank.known_type(types[i])});
    }
    netmod::Datatype made = netmod::concatenate(parts);
    // As a compiler pads a struct, unless a bound was set.
    if (!made.marked_ub && !made.marked_lb) {
      const std::int64_t over = made.extent() % made.alignment;
      if (over != 0) made.ub += made.alignment - over;
    }
    *newtype = netmod::add_type(rank, std::move(made));
  });
}
NETMOD_PUBLISH(Type_create_struct);

int PMPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent,
                             MPI_Datatype* newtype) {
  return call("MPI_Type_create_resized", [&](RankState& rank) {
    check_pointer(newtype, "newtype");
    *newtype = netmod::add_type(rank, netmod::resize(rank.known_type(oldtype), lb, extent));
  });
}
NETMOD_PUBLISH(Type_create_resized);

int PMPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return call("MPI_Type_dup", [&](RankState& rank) {
    check_pointer(newtype, "newtype");
    const TypeView type = rank.known_type(oldtype);
    const bool committed = type.layout == nullptr || type.layout->committed;
    *newtype = netmod::add_type(rank, netmod::duplicate(type, committed));
  });
}
NETMOD_PUBLISH(Type_dup);

int PMPI_Type_commit(MPI_Datatype* datatype) {
  return call("MPI_Type_commit", [&](RankState& rank) {
    check_pointer(datatype, "datatype");
    rank.known_type(*datatype);
    if (auto* found = rank.datatypes.find(*datatype)) (*found)->committed = true;
  });
}
NETMOD_PUBLISH(Type_commit);

int PMPI_Type_free(MPI_Datatype* datatype) {
  return call("MPI_Type_free", [&](RankState& rank) {
    check_pointer(datatype, "datatype");
    netmod::made_type(rank, *datatype, "freed");
    rank.datatypes.remove(*datatype);
    *datatype = MPI_DATATYPE_NULL;
  });
}
NETMOD_PUBLISH(Type_free);

int PMPI_Get_address(const void* location, MPI_Aint* address) {
  return call("MPI_Get_address", [&](RankState&) {
    check_pointer(address, "address");
    *address = reinterpret_cast<MPI_Aint>(location);
  });
}
NETMOD_PUBLISH(Get_address);

MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint displacement) { return base + displacement; }
NETMOD_PUBLISH(Aint_add);

MPI_Aint PMPI_Aint_diff(MPI_Aint address1, MPI_Aint address2) { return address1 - address2; }
NETMOD_PUBLISH(Aint_diff);

}  // extern "C"
