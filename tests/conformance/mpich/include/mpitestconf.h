/* What MPICH's test programs would learn from a configure script: Debian 12 and gcc, no MPI-IO, no
   dynamic processes, POSIX threads, and the standard only, nothing of MPICH's own. */
#ifndef CASTOR_TESTS_MPITESTCONF_H
#define CASTOR_TESTS_MPITESTCONF_H

#include <mpi.h>

#define HAVE_STDARG_H 1
#define HAVE_STDINT_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STRING_H 1
#define HAVE_STRINGS_H 1
#define HAVE_SYS_RESOURCE_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_UNISTD_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_PTHREAD_H 1
#define HAVE_PTHREAD_BARRIER_INIT 1
#define HAVE_GETRUSAGE 1
#define HAVE_STRDUP 1
#define HAVE_USLEEP 1

#define HAVE__BOOL 1
#define HAVE_LONG_LONG 1
#define HAVE_LONG_LONG_INT 1
#define HAVE_LONG_DOUBLE 1
#define HAVE_FLOAT__COMPLEX 1
#define HAVE_DOUBLE__COMPLEX 1
#define HAVE_LONG_DOUBLE__COMPLEX 1
#define USE_LONG_DOUBLE_COMPLEX 1
#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 8
#define SIZEOF_LONG_LONG 8
#define SIZEOF_VOID_P 8
#define SIZEOF_MPI_OFFSET 8
#define POINTERINT_t long

#define HAVE_MPI_INIT_THREAD 1
#define HAVE_MPI_INTEGER16 1
#define HAVE_MPI_TYPE_CREATE_STRUCT 1
#define HAVE_MPI2_COMBINERS 1
/* The suite's helpers for windows want all of the interface. */
#ifdef MPI_WIN_NULL_COPY_FN
#define HAVE_MPI_WIN_CREATE 1
#endif
#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX
#define USE_STRICT_MPI 1

#endif
