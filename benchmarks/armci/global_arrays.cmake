# Programs on Debian's Global Arrays, unmodified: compiled with our mpicc and linked to its archive,
# our libarmci and libmpi. GLOBAL_ARRAYS_FOUND says whether what they are linked to is installed;
# GLOBAL_ARRAYS_PACKAGES names it.
find_library(GLOBAL_ARRAYS libga-mpich.a)  # optional: libglobalarrays-dev
find_library(SCALAPACK_MPICH libscalapack-mpich.so)  # optional: libscalapack-mpich-dev
find_library(LAPACK_LIBRARY lapack)  # optional: liblapack-dev
find_library(BLAS_LIBRARY blas)  # optional: liblapack-dev
execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libgfortran.so
                OUTPUT_VARIABLE fortran_runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
set(GLOBAL_ARRAYS_PACKAGES
  "libglobalarrays-dev libscalapack-mpich-dev liblapack-dev libgfortran-12-dev")
set(GLOBAL_ARRAYS_FOUND OFF)
if(TARGET armci AND GLOBAL_ARRAYS AND SCALAPACK_MPICH AND LAPACK_LIBRARY AND BLAS_LIBRARY AND
   EXISTS ${fortran_runtime} AND NOT CASTOR_SANITIZE)  # the archive knows no sanitizer
  set(GLOBAL_ARRAYS_FOUND ON)
endif()

# castor_ga_program(name source program): target `name` builds `program` from `source`.
function(castor_ga_program name source program)
  get_filename_component(source ${source} ABSOLUTE)
  add_custom_command(OUTPUT ${program}
    COMMAND ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc -O2 -Wall -I${PROJECT_SOURCE_DIR}
            ${source} -o ${program} ${GLOBAL_ARRAYS} -larmci ${SCALAPACK_MPICH} ${LAPACK_LIBRARY}
            ${BLAS_LIBRARY} ${fortran_runtime} -lm -MMD -MF ${CMAKE_CURRENT_BINARY_DIR}/${name}.d
    DEPFILE ${CMAKE_CURRENT_BINARY_DIR}/${name}.d
    DEPENDS ${source} armci mpi compiler_wrappers VERBATIM)
  add_custom_target(${name} ALL DEPENDS ${program})
endfunction()
