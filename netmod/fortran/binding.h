// Fortran's names of MPI functions, derived from the signatures of the C functions.
#pragma once

#include <cstddef>
#include <tuple>

#include "netmod/fortran/sentinels.h"
#include "netmod/include/mpi.h"

/*
 * CASTOR_FORTRAN(6, send, Send) makes the subroutine MPI_SEND of the C function MPI_Send with its 6
 * parameters, and IERROR behind them. Everything comes by address: integers and handles (which are
 * integers) are looked up, addresses of results and arrays are passed on, those that mark something
 * are translated. A LOGICAL of gfortran's is 0 or 1, as C's flags are. A status is 5 integers, laid
 * out as in C. What is not so is written out: texts (they have a length), indices that begin with
 * 1, the functions of attributes, and old functions whose addresses are plain integers.
 *
 * The C function is called by its own name, so that tools written in C see Fortran's calls. The
 * subroutines' names are pmpi_send_ and, weakly, mpi_send_.
 */

namespace netmod::fortran {

/// How Fortran passes a parameter of the C function, and the way to it.
template <class Parameter>
struct Passed;

template <>
struct Passed<int> {
  using Type = const int*;
  static int to_c(Type given) { return *given; }
};
template <>
struct Passed<long> {  // MPI_Aint, MPI_Count, MPI_Offset
  using Type = const long*;
  static long to_c(Type given) { return *given; }
};
template <>
struct Passed<int*> {
  using Type = int*;
  static int* to_c(Type given) { return integers(given); }
};
template <>
struct Passed<const int*> : Passed<int*> {};
template <>
struct Passed<long*> {
  using Type = long*;
  static long* to_c(Type given) { return given; }
};
template <>
struct Passed<const long*> : Passed<long*> {};
template <>
struct Passed<int (*)[3]> {
  using Type = int (*)[3];
  static Type to_c(Type given) { return given; }
};
template <>
struct Passed<void*> {
  using Type = void*;
  static void* to_c(Type given) { return buffer(given); }
};
template <>
struct Passed<const void*> : Passed<void*> {};
template <>
struct Passed<MPI_Status*> {
  using Type = int*;
  static MPI_Status* to_c(Type given) { return statuses(given); }
};
template <>
struct Passed<const MPI_Status*> : Passed<MPI_Status*> {};
// Functions of the program that C, too, gives all arguments by address.
template <>
struct Passed<MPI_User_function*> {
  using Type = MPI_User_function*;
  static Type to_c(Type given) { return given; }
};
template <>
struct Passed<MPI_Comm_errhandler_function*> {
  using Type = MPI_Comm_errhandler_function*;
  static Type to_c(Type given) { return given; }
};

template <class Function>
struct Signature;
template <class Result, class... Parameters>
struct Signature<Result(Parameters...)> {
  static constexpr std::size_t count = sizeof...(Parameters);
  template <std::size_t index>
  using Parameter = Passed<std::tuple_element_t<index, std::tuple<Parameters...>>>;
};

}  // namespace netmod::fortran

/// Declares the weak name mpi_x_ of a pmpi_x_ defined before it.
#define CASTOR_FORTRAN_PUBLISH(name) \
  extern "C" decltype(pmpi_##name##_) mpi_##name##_ __attribute__((weak, alias("pmpi_" #name "_")))

#define CASTOR_FORTRAN(count_, name, Name)                                               \
  static_assert(netmod::fortran::Signature<decltype(MPI_##Name)>::count == count_,       \
                "MPI_" #Name " has another number of parameters");                       \
  extern "C" void pmpi_##name##_(CASTOR_FORTRAN_TAKE_##count_(MPI_##Name) int* ierror) { \
    *ierror = MPI_##Name(CASTOR_FORTRAN_GIVE_##count_(MPI_##Name));                      \
  }                                                                                      \
  CASTOR_FORTRAN_PUBLISH(name)

// The parameters 0 to count - 1, and what becomes of them.
#define CASTOR_FORTRAN_PARAMETER(Function, index) \
  netmod::fortran::Signature<decltype(Function)>::Parameter<index>
#define CASTOR_FORTRAN_TAKE(Function, index) \
  CASTOR_FORTRAN_PARAMETER(Function, index)::Type a##index,
#define CASTOR_FORTRAN_GIVE(Function, index) \
  CASTOR_FORTRAN_PARAMETER(Function, index)::to_c(a##index)

#define CASTOR_FORTRAN_TAKE_0(F)
#define CASTOR_FORTRAN_TAKE_1(F) CASTOR_FORTRAN_TAKE(F, 0)
#define CASTOR_FORTRAN_TAKE_2(F) CASTOR_FORTRAN_TAKE_1(F) CASTOR_FORTRAN_TAKE(F, 1)
#define CASTOR_FORTRAN_TAKE_3(F) CASTOR_FORTRAN_TAKE_2(F) CASTOR_FORTRAN_TAKE(F, 2)
#define CASTOR_FORTRAN_TAKE_4(F) CASTOR_FORTRAN_TAKE_3(F) CASTOR_FORTRAN_TAKE(F, 3)
#define CASTOR_FORTRAN_TAKE_5(F) CASTOR_FORTRAN_TAKE_4(F) CASTOR_FORTRAN_TAKE(F, 4)
#define CASTOR_FORTRAN_TAKE_6(F) CASTOR_FORTRAN_TAKE_5(F) CASTOR_FORTRAN_TAKE(F, 5)
#define CASTOR_FORTRAN_TAKE_7(F) CASTOR_FORTRAN_TAKE_6(F) CASTOR_FORTRAN_TAKE(F, 6)
#define CASTOR_FORTRAN_TAKE_8(F) CASTOR_FORTRAN_TAKE_7(F) CASTOR_FORTRAN_TAKE(F, 7)
#define CASTOR_FORTRAN_TAKE_9(F) CASTOR_FORTRAN_TAKE_8(F) CASTOR_FORTRAN_TAKE(F, 8)
#define CASTOR_FORTRAN_TAKE_10(F) CASTOR_FORTRAN_TAKE_9(F) CASTOR_FORTRAN_TAKE(F, 9)
#define CASTOR_FORTRAN_TAKE_11(F) CASTOR_FORTRAN_TAKE_10(F) CASTOR_FORTRAN_TAKE(F, 10)
#define CASTOR_FORTRAN_TAKE_12(F) CASTOR_FORTRAN_TAKE_11(F) CASTOR_FORTRAN_TAKE(F, 11)
#define CASTOR_FORTRAN_TAKE_13(F) CASTOR_FORTRAN_TAKE_12(F) CASTOR_FORTRAN_TAKE(F, 12)

#define CASTOR_FORTRAN_GIVE_0(F)
#define CASTOR_FORTRAN_GIVE_1(F) CASTOR_FORTRAN_GIVE(F, 0)
#define CASTOR_FORTRAN_GIVE_2(F) CASTOR_FORTRAN_GIVE_1(F), CASTOR_FORTRAN_GIVE(F, 1)
#define CASTOR_FORTRAN_GIVE_3(F) CASTOR_FORTRAN_GIVE_2(F), CASTOR_FORTRAN_GIVE(F, 2)
#define CASTOR_FORTRAN_GIVE_4(F) CASTOR_FORTRAN_GIVE_3(F), CASTOR_FORTRAN_GIVE(F, 3)
#define CASTOR_FORTRAN_GIVE_5(F) CASTOR_FORTRAN_GIVE_4(F), CASTOR_FORTRAN_GIVE(F, 4)
#define CASTOR_FORTRAN_GIVE_6(F) CASTOR_FORTRAN_GIVE_5(F), CASTOR_FORTRAN_GIVE(F, 5)
#define CASTOR_FORTRAN_GIVE_7(F) CASTOR_FORTRAN_GIVE_6(F), CASTOR_FORTRAN_GIVE(F, 6)
#define CASTOR_FORTRAN_GIVE_8(F) CASTOR_FORTRAN_GIVE_7(F), CASTOR_FORTRAN_GIVE(F, 7)
#define CASTOR_FORTRAN_GIVE_9(F) CASTOR_FORTRAN_GIVE_8(F), CASTOR_FORTRAN_GIVE(F, 8)
#define CASTOR_FORTRAN_GIVE_10(F) CASTOR_FORTRAN_GIVE_9(F), CASTOR_FORTRAN_GIVE(F, 9)
#define CASTOR_FORTRAN_GIVE_11(F) CASTOR_FORTRAN_GIVE_10(F), CASTOR_FORTRAN_GIVE(F, 10)
#define CASTOR_FORTRAN_GIVE_12(F) CASTOR_FORTRAN_GIVE_11(F), CASTOR_FORTRAN_GIVE(F, 11)
#define CASTOR_FORTRAN_GIVE_13(F) CASTOR_FORTRAN_GIVE_12(F), CASTOR_FORTRAN_GIVE(F, 12)
