// MPI functions: datatypes made of one or several others by count, stride and displacement.
#include <vector>

#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/datatypes/checked.h"
#include "netmod/mpi/datatypes/datatype.h"
#include "netmod/mpi/datatypes/datatypes.h"
#include "netmod/mpi/datatypes/type_objects.h"

namespace netmod {
namespace {

using Integers = std::vector<int>;
using Addresses = std::vector<MPI_Aint>;

/// What a constructor makes of `oldtype`.
struct Recipe {
  std::vector<Part> parts;
  int combiner = MPI_COMBINER_NAMED;
  Integers integers;
  Addresses addresses;
};

/// Runs a constructor of one old type: `recipe_of(type)` says what it makes.
int construct(const char* function, int count, MPI_Datatype oldtype, MPI_Datatype* newtype,
              const auto& recipe_of) {
  return call(function, [&](RankState& rank) {
    check_count(count);
    const TypeView type = rank.datatypes().known(oldtype);
    check_pointer(newtype, "newtype");
    Recipe recipe = recipe_of(type);
    *newtype = add_type(rank, concatenate(recipe.parts),
                        {recipe.combiner,
                         std::move(recipe.integers),
                         std::move(recipe.addresses),
                         {use_type(rank, oldtype)}});
  });
}

std::vector<Part> strided(const TypeView& type, int count, int blocklength, std::int64_t stride) {
  check_count(blocklength, "blocklength");
  return {{0, blocklength, type, count, stride}};
}

int hvector(const char* function, int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
            MPI_Datatype* newtype) {
  return construct(function, count, oldtype, newtype, [&](const TypeView& type) {
    return Recipe{strided(type, count, blocklength, stride),
                  MPI_COMBINER_HVECTOR,
                  {count, blocklength},
                  {stride}};
  });
}

const int* checked_lengths(int count, const int* lengths) {
  if (count > 0) check_pointer(lengths, "blocklengths");
  for (int i = 0; i < count; ++i) check_count(lengths[i], "a block's length");
  return lengths;
}

/// Blocks at displacements of `unit` bytes; `length_of(i)` elements each.
template <class Displacement>
std::vector<Part> indexed(const TypeView& type, int count, const auto& length_of,
                          const Displacement* displacements, std::int64_t unit) {
  std::vector<Part> parts;
  if (count > 0) check_pointer(displacements, "displacements");
  parts.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    parts.push_back({times(displacements[i], unit), length_of(i), type});
  return parts;
}

Integers with_count(int count, const int* values) {
  Integers integers{count};
  integers.insert(integers.end(), values, values + count);
  return integers;
}

int hindexed(const char* function, int count, const int* lengths, const MPI_Aint* displacements,
             MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return construct(function, count, oldtype, newtype, [&](const TypeView& type) {
    checked_lengths(count, lengths);
    auto parts = indexed(
        type, count, [lengths](int i) { return lengths[i]; }, displacements, 1);
    return Recipe{std::move(parts), MPI_COMBINER_HINDEXED, with_count(count, lengths),
                  Addresses(displacements, displacements + count)};
  });
}

int make_struct(const char* function, int count, const int* lengths, const MPI_Aint* displacements,
                const MPI_Datatype* types, MPI_Datatype* newtype) {
  return call(function, [&](RankState& rank) {
    check_count(count);
    check_pointer(newtype, "newtype");
    checked_lengths(count, lengths);
    if (count > 0) check_pointer(displacements, "displacements");
    if (count > 0) check_pointer(types, "types");
    std::vector<Part> parts;
    Contents contents{MPI_COMBINER_STRUCT,
                      with_count(count, lengths),
                      Addresses(displacements, displacements + count),
                      {}};
    for (int i = 0; i < count; ++i) {
      parts.push_back({displacements[i], lengths[i], rank.datatypes().known(types[i])});
      contents.types.push_back(use_type(rank, types[i]));
    }
    Datatype made = concatenate(parts);
    // As a compiler pads a struct, unless a bound was set.
    if (!made.marked_ub && !made.marked_lb) {
      const std::int64_t over = made.extent() % made.alignment;
      if (over != 0) made.ub = plus(made.ub, made.alignment - over);
    }
    *newtype = add_type(rank, std::move(made), std::move(contents));
  });
}

}  // namespace
}  // namespace netmod

using netmod::call;
using netmod::RankState;
using netmod::Recipe;
using netmod::TypeView;

extern "C" {

int PMPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return netmod::construct(
      "MPI_Type_contiguous", count, oldtype, newtype, [&](const TypeView& type) {
        return Recipe{{{0, count, type}}, MPI_COMBINER_CONTIGUOUS, {count}, {}};
      });
}
NETMOD_PUBLISH(Type_contiguous);

int PMPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype,
                     MPI_Datatype* newtype) {
  return netmod::construct("MPI_Type_vector", count, oldtype, newtype, [&](const TypeView& type) {
    return Recipe{netmod::strided(type, count, blocklength, netmod::times(stride, type.extent)),
                  MPI_COMBINER_VECTOR,
                  {count, blocklength, stride},
                  {}};
  });
}
NETMOD_PUBLISH(Type_vector);

int PMPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                             MPI_Datatype* newtype) {
  return netmod::hvector("MPI_Type_create_hvector", count, blocklength, stride, oldtype, newtype);
}
NETMOD_PUBLISH(Type_create_hvector);

int PMPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                      MPI_Datatype* newtype) {
  return netmod::hvector("MPI_Type_hvector", count, blocklength, stride, oldtype, newtype);
}
NETMOD_PUBLISH(Type_hvector);

int PMPI_Type_indexed(int count, const int blocklengths[], const int displacements[],
                      MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return netmod::construct("MPI_Type_indexed", count, oldtype, newtype, [&](const TypeView& type) {
    const int* lengths = netmod::checked_lengths(count, blocklengths);
    auto parts = netmod::indexed(
        type, count, [lengths](int i) { return lengths[i]; }, displacements, type.extent);
    netmod::Integers integers = netmod::with_count(count, lengths);
    integers.insert(integers.end(), displacements, displacements + count);
    return Recipe{std::move(parts), MPI_COMBINER_INDEXED, std::move(integers), {}};
  });
}
NETMOD_PUBLISH(Type_indexed);

int PMPI_Type_create_hindexed(int count, const int blocklengths[], const MPI_Aint displacements[],
                              MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return netmod::hindexed("MPI_Type_create_hindexed", count, blocklengths, displacements, oldtype,
                          newtype);
}
NETMOD_PUBLISH(Type_create_hindexed);

int PMPI_Type_hindexed(int count, int blocklengths[], MPI_Aint displacements[],
                       MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return netmod::hindexed("MPI_Type_hindexed", count, blocklengths, displacements, oldtype,
                          newtype);
}
NETMOD_PUBLISH(Type_hindexed);

int PMPI_Type_create_indexed_block(int count, int blocklength, const int displacements[],
                                   MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return netmod::construct(
      "MPI_Type_create_indexed_block", count, oldtype, newtype, [&](const TypeView& type) {
        netmod::check_count(blocklength, "blocklength");
        auto parts = netmod::indexed(
            type, count, [blocklength](int) { return blocklength; }, displacements, type.extent);
        netmod::Integers integers{count, blocklength};
        integers.insert(integers.end(), displacements, displacements + count);
        return Recipe{std::move(parts), MPI_COMBINER_INDEXED_BLOCK, std::move(integers), {}};
      });
}
NETMOD_PUBLISH(Type_create_indexed_block);

int PMPI_Type_create_hindexed_block(int count, int blocklength, const MPI_Aint displacements[],
                                    MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return netmod::construct(
      "MPI_Type_create_hindexed_block", count, oldtype, newtype, [&](const TypeView& type) {
        netmod::check_count(blocklength, "blocklength");
        auto parts = netmod::indexed(
            type, count, [blocklength](int) { return blocklength; }, displacements, 1);
        return Recipe{std::move(parts),
                      MPI_COMBINER_HINDEXED_BLOCK,
                      {count, blocklength},
                      netmod::Addresses(displacements, displacements + count)};
      });
}
NETMOD_PUBLISH(Type_create_hindexed_block);

int PMPI_Type_create_struct(int count, const int blocklengths[], const MPI_Aint displacements[],
                            const MPI_Datatype types[], MPI_Datatype* newtype) {
  return netmod::make_struct("MPI_Type_create_struct", count, blocklengths, displacements, types,
                             newtype);
}
NETMOD_PUBLISH(Type_create_struct);

int PMPI_Type_struct(int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype types[],
                     MPI_Datatype* newtype) {
  return netmod::make_struct("MPI_Type_struct", count, blocklengths, displacements, types, newtype);
}
NETMOD_PUBLISH(Type_struct);

int PMPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent,
                             MPI_Datatype* newtype) {
  return call("MPI_Type_create_resized", [&](RankState& rank) {
    netmod::check_pointer(newtype, "newtype");
    *newtype =
        netmod::add_type(rank, netmod::resize(rank.datatypes().known(oldtype), lb, extent),
                         {MPI_COMBINER_RESIZED, {}, {lb, extent}, {use_type(rank, oldtype)}});
  });
}
NETMOD_PUBLISH(Type_create_resized);

}  // extern "C"
