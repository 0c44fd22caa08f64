# The real Global Arrays (Debian's archive, unmodified) on our libarmci and libmpi, on both clocks.
# Judged by what the program prints.
find_library(GLOBAL_ARRAYS libga-mpich.a)
find_library(SCALAPACK_MPICH libscalapack-mpich.so)
find_library(LAPACK_LIBRARY lapack)
find_library(BLAS_LIBRARY blas)
execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libgfortran.so
                OUTPUT_VARIABLE FORTRAN_RUNTIME OUTPUT_STRIP_TRAILING_WHITESPACE)
if(CASTOR_SANITIZE)
  return()  # the archive is not built with a sanitizer
endif()
if(NOT GLOBAL_ARRAYS OR NOT SCALAPACK_MPICH OR NOT LAPACK_LIBRARY OR NOT BLAS_LIBRARY OR
   NOT EXISTS ${FORTRAN_RUNTIME})
  add_test(NAME global_arrays COMMAND ${CMAKE_COMMAND} -E echo
           "skipped: needs libglobalarrays-dev libscalapack-mpich-dev liblapack-dev libgfortran-12-dev")
  set_tests_properties(global_arrays PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: ")
  return()
endif()

set(program ${CMAKE_CURRENT_BINARY_DIR}/ga_operations)
set(source ${CMAKE_CURRENT_SOURCE_DIR}/programs/ga_operations.c)
add_custom_command(OUTPUT ${program}
  COMMAND ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc -O1 -Wall -I${PROJECT_SOURCE_DIR}
          ${source} -o ${program} ${GLOBAL_ARRAYS} -larmci ${SCALAPACK_MPICH} ${LAPACK_LIBRARY}
          ${BLAS_LIBRARY} ${FORTRAN_RUNTIME} -lm
  DEPENDS ${source} armci mpi compiler_wrappers VERBATIM)
add_custom_target(ga_programs ALL DEPENDS ${program})

foreach(clock virtual live)
  foreach(ranks 1 2 4 6)
    set(name global_arrays/${clock}/${ranks})
    add_test(NAME ${name}
      COMMAND $<TARGET_FILE:aprun> --clock ${clock} -q -n ${ranks} -N 2 ${program})
    set_tests_properties(${name} PROPERTIES TIMEOUT 120
      PASS_REGULAR_EXPRESSION "(^|\n)ok\n" FAIL_REGULAR_EXPRESSION "wrong: |Error")
  endforeach()
endforeach()
