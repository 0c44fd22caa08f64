# The real Global Arrays (Debian's archive, unmodified) on our libarmci and libmpi, on both clocks.
# Judged by what the program prints.
if(CASTOR_SANITIZE)
  return()  # the archive is not built with a sanitizer
endif()
include(${PROJECT_SOURCE_DIR}/benchmarks/armci/global_arrays.cmake)
if(NOT GLOBAL_ARRAYS_FOUND)
  add_test(NAME global_arrays COMMAND ${CMAKE_COMMAND} -E echo
           "missing: needs ${GLOBAL_ARRAYS_PACKAGES}")
  set_tests_properties(global_arrays PROPERTIES FAIL_REGULAR_EXPRESSION "missing: ")
  return()
endif()

set(program ${CMAKE_CURRENT_BINARY_DIR}/ga_operations)
castor_ga_program(ga_programs programs/ga_operations.c ${program})

foreach(clock virtual live)
  foreach(ranks 1 2 4 6)
    set(name global_arrays/${clock}/${ranks})
    add_test(NAME ${name}
      COMMAND $<TARGET_FILE:aprun> --clock ${clock} -q -n ${ranks} -N 2 ${program})
    set_tests_properties(${name} PROPERTIES TIMEOUT 120
      PASS_REGULAR_EXPRESSION "(^|\n)ok\n" FAIL_REGULAR_EXPRESSION "wrong: |Error")
  endforeach()
endforeach()
