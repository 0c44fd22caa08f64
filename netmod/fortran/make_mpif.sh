#!/bin/sh
# Writes mpif.h, Fortran's constants, from the C header of constants: the values are there once.
# usage: make_mpif.sh mpi_constants.h >mpif.h
# What it writes is valid in fixed and in free form: no line ends beyond column 72, none goes on in
# the next one, comments begin with ! in column 1.
set -eu

constant() { printf '      INTEGER %s\n      PARAMETER (%s=%s)\n' "$1" "$1" "$2"; }

cat <<'TEXT'
! The MPI interface for Fortran: INCLUDE 'mpif.h'. MPI-3.1, MPICH ABI.
TEXT
constant MPI_STATUS_SIZE 5
# Indices in a status: those of MPI_Status's fields, from 1.
constant MPI_SOURCE 3
constant MPI_TAG 4
constant MPI_ERROR 5
constant MPI_ADDRESS_KIND 8
constant MPI_COUNT_KIND 8
constant MPI_INTEGER_KIND 4
constant MPI_OFFSET_KIND 8
cat <<'TEXT'
      LOGICAL MPI_SUBARRAYS_SUPPORTED
      PARAMETER (MPI_SUBARRAYS_SUPPORTED=.FALSE.)
      LOGICAL MPI_ASYNC_PROTECTS_NONBLOCKING
      PARAMETER (MPI_ASYNC_PROTECTS_NONBLOCKING=.FALSE.)
TEXT
sed -n 's/^#define \(MPI_[A-Z0-9_]*\) \(.*\)$/\1 \2/p' "$1" | while read -r name value; do
  case $value in
    *'*)'* | *_FN | *_fn) continue ;;  # pointers; Fortran has others
    '((MPI_'*) value=${value##*)0} value=0${value%)} ;;  # handles
    '('*) value=${value#(} value=${value%)} ;;
  esac
  case $value in
    0x*) value=$((((value) ^ 0x80000000) - 0x80000000)) ;;  # 32 bits, signed
  esac
  case $name in
    MPI_MAX_*) value=$((value - 1)) ;;  # no closing zero
    # The keys of predefined attributes are others than C's: the values' types are.
    MPI_TAG_UB | MPI_HOST | MPI_IO | MPI_WTIME_IS_GLOBAL | MPI_UNIVERSE_SIZE | MPI_LASTUSEDCODE | \
      MPI_APPNUM | MPI_WIN_BASE | MPI_WIN_SIZE | MPI_WIN_DISP_UNIT | MPI_WIN_CREATE_FLAVOR | \
      MPI_WIN_MODEL) value=$((value + 1)) ;;
  esac
  constant "$name" "$value"
done
cat <<'TEXT'
! Arguments are marked by these variables' addresses.
      INTEGER MPI_BOTTOM, MPI_IN_PLACE
      INTEGER MPI_STATUS_IGNORE(MPI_STATUS_SIZE)
      COMMON /MPIPRIV1/ MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE
      SAVE /MPIPRIV1/
      INTEGER MPI_STATUSES_IGNORE(MPI_STATUS_SIZE,1)
      INTEGER MPI_ERRCODES_IGNORE(1)
      COMMON /MPIPRIV2/ MPI_STATUSES_IGNORE, MPI_ERRCODES_IGNORE
      SAVE /MPIPRIV2/
      CHARACTER(LEN=1) MPI_ARGVS_NULL(1,1), MPI_ARGV_NULL(1)
      COMMON /MPIPRIVC/ MPI_ARGVS_NULL, MPI_ARGV_NULL
      SAVE /MPIPRIVC/
      INTEGER MPI_UNWEIGHTED
      COMMON /MPIFCMB5/ MPI_UNWEIGHTED
      SAVE /MPIFCMB5/
      INTEGER MPI_WEIGHTS_EMPTY
      COMMON /MPIFCMB9/ MPI_WEIGHTS_EMPTY
      SAVE /MPIFCMB9/
! Functions. All others are subroutines, but MPI_Aint_add and MPI_Aint_diff, which programs
! declare themselves, as with MPICH.
      DOUBLE PRECISION MPI_WTIME, MPI_WTICK, PMPI_WTIME, PMPI_WTICK
      EXTERNAL MPI_WTIME, MPI_WTICK, PMPI_WTIME, PMPI_WTICK
! For the keys of attributes.
      EXTERNAL MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, MPI_DUP_FN
      EXTERNAL MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN
      EXTERNAL MPI_COMM_DUP_FN
      EXTERNAL MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN
      EXTERNAL MPI_TYPE_DUP_FN
      EXTERNAL MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN
      EXTERNAL MPI_WIN_DUP_FN
TEXT
