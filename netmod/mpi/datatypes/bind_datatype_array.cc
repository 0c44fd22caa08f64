// MPI functions: datatypes for parts of arrays, and for Fortran's kinds of numbers.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/datatypes/datatype.h"
#include "netmod/mpi/datatypes/datatypes.h"
#include "netmod/mpi/datatypes/type_objects.h"

namespace netmod {
namespace {

void check_order(int order) {
  if (order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN) return;
  fail(MPI_ERR_ARG, fmt::format("order is {} (allowed: MPI_ORDER_C, MPI_ORDER_FORTRAN)", order));
}

void check_dimensions(int ndims, std::initializer_list<const int*> arrays) {
  if (ndims < 1) fail(MPI_ERR_ARG, fmt::format("ndims is {} (allowed: 1 and above)", ndims));
  for (const int* array : arrays) check_pointer(array, "an array of dimensions");
}

/// Puts the fastest dimension first.
void sort_dimensions(std::vector<Dimension>& dimensions, int order) {
  if (order == MPI_ORDER_C) std::reverse(dimensions.begin(), dimensions.end());
}

Dimension dimension_of_subarray(int number, int size, int subsize, int start) {
  if (size < 1 || subsize < 1 || subsize > size || start < 0 || start > size - subsize) {
    fail(MPI_ERR_ARG, fmt::format("dimension {}: {} elements from {} on are no part of {}", number,
                                  subsize, start, size));
  }
  return {size, start, subsize};
}

/// What process `place` of `processes` gets of a dimension.
Dimension dimension_of_darray(int number, std::int64_t size, int distribution, int argument,
                              std::int64_t processes, std::int64_t place) {
  const auto check = [number](bool right, const char* what) {
    if (!right) fail(MPI_ERR_ARG, fmt::format("dimension {}: {}", number, what));
  };
  check(size >= 1, "there must be elements");
  check(processes >= 1, "there must be processes");
  const bool by_default = argument == MPI_DISTRIBUTE_DFLT_DARG;
  check(by_default || argument >= 1 || distribution == MPI_DISTRIBUTE_NONE,
        "the distribution's argument must be above 0");
  if (distribution == MPI_DISTRIBUTE_NONE) {
    check(processes == 1, "what is not distributed has one process");
    return {size, 0, size};
  }
  check(distribution == MPI_DISTRIBUTE_BLOCK || distribution == MPI_DISTRIBUTE_CYCLIC,
        "the distribution is none (allowed: MPI_DISTRIBUTE_BLOCK, _CYCLIC, _NONE)");
  if (distribution == MPI_DISTRIBUTE_BLOCK) {
    const std::int64_t block = by_default ? (size + processes - 1) / processes : argument;
    check(block * processes >= size, "the blocks do not cover the array");
    const std::int64_t start = std::min(place * block, size);
    return {size, start, std::min(block, size - start)};
  }
  const std::int64_t block = by_default ? 1 : argument;
  const std::int64_t start = std::min(place * block, size);
  const std::int64_t round = block * processes;
  const std::int64_t rounds = (size - start) / round;
  const std::int64_t last = std::min(block, (size - start) % round);
  if (last == block) return {size, start, block, rounds + 1, round, 0};
  return {size, start, block, rounds, round, last};
}

/// The type of a Fortran kind, made once per rank: programs may ask again and again, and do not
/// free it.
int make_f90(const char* function, int combiner, std::vector<int> wanted, MPI_Datatype basic,
             MPI_Datatype* newtype) {
  return call(function, [&](RankState& rank) {
    check_pointer(newtype, "newtype");
    if (basic == MPI_DATATYPE_NULL) {
      fail(MPI_ERR_ARG, "no type here has such a precision and range");
    }
    for (const MPI_Datatype handle : rank.datatypes().extras().fortran_kinds) {
      const Contents& contents = *(*rank.datatypes().made.find(handle))->contents;
      if (contents.combiner == combiner && contents.integers == wanted) {
        *newtype = handle;
        return;
      }
    }
    Datatype made = duplicate(rank.datatypes().known(basic), true);
    made.predefined = true;
    *newtype = add_type(rank, std::move(made), {combiner, std::move(wanted), {}, {}});
    rank.datatypes().extras().fortran_kinds.push_back(*newtype);
  });
}

/// By decimal digits and decimal exponent; MPI_UNDEFINED: any.
MPI_Datatype real_of(int digits, int range, MPI_Datatype four, MPI_Datatype eight,
                     MPI_Datatype sixteen) {
  const auto within = [&](int most_digits, int most_range) {
    return (digits == MPI_UNDEFINED || (digits >= 0 && digits <= most_digits)) &&
           (range == MPI_UNDEFINED || (range >= 0 && range <= most_range)) &&
           (digits != MPI_UNDEFINED || range != MPI_UNDEFINED);
  };
  if (within(6, 37)) return four;
  if (within(15, 307)) return eight;
  return within(33, 4931) ? sixteen : MPI_DATATYPE_NULL;
}

MPI_Datatype integer_of(int range) {
  if (range < 0 || range > 18) return MPI_DATATYPE_NULL;
  if (range <= 2) return MPI_INTEGER1;
  if (range <= 4) return MPI_INTEGER2;
  return range <= 9 ? MPI_INTEGER4 : MPI_INTEGER8;
}

}  // namespace
}  // namespace netmod

using netmod::call;
using netmod::check_pointer;
using netmod::Dimension;
using netmod::RankState;

extern "C" {

int PMPI_Type_create_subarray(int ndims, const int sizes[], const int subsizes[],
                              const int starts[], int order, MPI_Datatype oldtype,
                              MPI_Datatype* newtype) {
  return call("MPI_Type_create_subarray", [&](RankState& rank) {
    const netmod::TypeView type = rank.datatypes().known(oldtype);
    netmod::check_dimensions(ndims, {sizes, subsizes, starts});
    netmod::check_order(order);
    check_pointer(newtype, "newtype");
    std::vector<Dimension> dimensions;
    netmod::Contents contents{MPI_COMBINER_SUBARRAY, {ndims}, {}, {use_type(rank, oldtype)}};
    for (int i = 0; i < ndims; ++i) {
      dimensions.push_back(netmod::dimension_of_subarray(i, sizes[i], subsizes[i], starts[i]));
    }
    for (const int* array : {sizes, subsizes, starts}) {
      contents.integers.insert(contents.integers.end(), array, array + ndims);
    }
    contents.integers.push_back(order);
    netmod::sort_dimensions(dimensions, order);
    *newtype = netmod::add_type(rank, netmod::part_of_array(dimensions, type), std::move(contents));
  });
}
NETMOD_PUBLISH(Type_create_subarray);

int PMPI_Type_create_darray(int size, int rank_in_array, int ndims, const int gsizes[],
                            const int distribs[], const int dargs[], const int psizes[], int order,
                            MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return call("MPI_Type_create_darray", [&](RankState& rank) {
    const netmod::TypeView type = rank.datatypes().known(oldtype);
    netmod::check_dimensions(ndims, {gsizes, distribs, dargs, psizes});
    netmod::check_order(order);
    check_pointer(newtype, "newtype");
    std::int64_t processes = 1;
    for (int i = 0; i < ndims && processes <= size; ++i) processes *= std::max(psizes[i], 0);
    if (size < 1 || processes != size) {
      netmod::fail(MPI_ERR_ARG, fmt::format("size is {}, but psizes make another number of "
                                            "processes",
                                            size));
    }
    if (rank_in_array < 0 || rank_in_array >= size) {
      netmod::fail(MPI_ERR_ARG,
                   fmt::format("rank is {} (allowed: 0 to {})", rank_in_array, size - 1));
    }
    std::vector<Dimension> dimensions;
    std::int64_t left = rank_in_array;  // processes are in C's order whatever the array's is
    for (int i = 0; i < ndims; ++i) {
      processes /= psizes[i];
      dimensions.push_back(netmod::dimension_of_darray(i, gsizes[i], distribs[i], dargs[i],
                                                       psizes[i], left / processes));
      left %= processes;
    }
    netmod::Contents contents{
        MPI_COMBINER_DARRAY, {size, rank_in_array, ndims}, {}, {use_type(rank, oldtype)}};
    for (const int* array : {gsizes, distribs, dargs, psizes}) {
      contents.integers.insert(contents.integers.end(), array, array + ndims);
    }
    contents.integers.push_back(order);
    netmod::sort_dimensions(dimensions, order);
    *newtype = netmod::add_type(rank, netmod::part_of_array(dimensions, type), std::move(contents));
  });
}
NETMOD_PUBLISH(Type_create_darray);

int PMPI_Type_create_f90_integer(int range, MPI_Datatype* newtype) {
  return netmod::make_f90("MPI_Type_create_f90_integer", MPI_COMBINER_F90_INTEGER, {range},
                          netmod::integer_of(range), newtype);
}
NETMOD_PUBLISH(Type_create_f90_integer);

int PMPI_Type_create_f90_real(int precision, int range, MPI_Datatype* newtype) {
  return netmod::make_f90("MPI_Type_create_f90_real", MPI_COMBINER_F90_REAL, {precision, range},
                          netmod::real_of(precision, range, MPI_REAL4, MPI_REAL8, MPI_REAL16),
                          newtype);
}
NETMOD_PUBLISH(Type_create_f90_real);

int PMPI_Type_create_f90_complex(int precision, int range, MPI_Datatype* newtype) {
  return netmod::make_f90(
      "MPI_Type_create_f90_complex", MPI_COMBINER_F90_COMPLEX, {precision, range},
      netmod::real_of(precision, range, MPI_COMPLEX8, MPI_COMPLEX16, MPI_COMPLEX32), newtype);
}
NETMOD_PUBLISH(Type_create_f90_complex);

}  // extern "C"
