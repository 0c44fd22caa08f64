#!/bin/sh
# Writes mpi_names.inc: the subroutines that the bindings make, declared for the module mpi.
# usage: make_names.sh bind_*.cc >mpi_names.inc
set -eu
sed -n \
  -e 's/^CASTOR_FORTRAN([0-9]*, \([a-z0-9_]*\),.*/\1/p' \
  -e 's/^CASTOR_FORTRAN_PUBLISH(\([a-z0-9_]*\));/\1/p' "$@" | sort |
  # The functions are declared with their types.
  grep -v -x -e wtime -e wtick -e aint_add -e aint_diff |
  sed 's/.*/external :: MPI_&, PMPI_&/'
