# Tests of the Fortran bindings: programs in Fortran, compiled as users do, run as jobs.
if(NOT TARGET aprun OR NOT TARGET castor-live)
  return()
endif()
set(fortran_programs ${CMAKE_CURRENT_BINARY_DIR}/fortran)
set(fortran_sources ${CMAKE_CURRENT_SOURCE_DIR}/fortran)
file(MAKE_DIRECTORY ${fortran_programs})
# Programs compare numbers that are exact, and use few of the header's names.
set(fortran_warnings -Wall -Wextra -Wno-compare-reals -Wno-unused-dummy-argument
    -Wno-unused-parameter -Werror)
set(built)

# fortran_program(name wrapper SOURCES ... [FLAGS ...]): modules go to a folder of the program's own.
function(fortran_program name wrapper)
  cmake_parse_arguments(PROGRAM "" "" "SOURCES;FLAGS" ${ARGN})
  list(TRANSFORM PROGRAM_SOURCES PREPEND ${fortran_sources}/)
  file(MAKE_DIRECTORY ${fortran_programs}/${name}.modules)
  add_custom_command(OUTPUT ${fortran_programs}/${name}
    COMMAND ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${wrapper} -O1 ${fortran_warnings}
            -J${fortran_programs}/${name}.modules ${PROGRAM_SOURCES} ${PROGRAM_FLAGS}
            -o ${fortran_programs}/${name}
    DEPENDS ${PROGRAM_SOURCES} ${built} compiler_wrappers mpifort mpifort_archive mpi VERBATIM)
  set(built ${built} ${fortran_programs}/${name} PARENT_SCOPE)
endfunction()

foreach(name attributes collectives datatypes errors point_to_point texts topology)
  fortran_program(${name} mpifort SOURCES checks.f90 ${name}.f90)
endforeach()
fortran_program(fatal_error mpifort SOURCES fatal_error.f90)
fortran_program(static_texts mpifort SOURCES checks.f90 texts.f90 FLAGS -castor-static)
fortran_program(tls_topology mpif90 SOURCES checks.f90 topology.f90 FLAGS -castor-tls)
fortran_program(libsentinels.so mpif77 SOURCES sentinels_library.f FLAGS -shared -fPIC)
fortran_program(sentinels mpif77 SOURCES sentinels.f
                FLAGS -L${fortran_programs} -lsentinels -Wl,-rpath,${fortran_programs})
# Parts of programs that are written in C.
foreach(name attribute_languages profiling_tool)
  add_custom_command(OUTPUT ${fortran_programs}/${name}.o
    COMMAND ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc -O1 -fPIC -c ${fortran_sources}/${name}.c
            -o ${fortran_programs}/${name}.o
    DEPENDS ${fortran_sources}/${name}.c compiler_wrappers VERBATIM)
  list(APPEND built ${fortran_programs}/${name}.o)
endforeach()
fortran_program(attribute_languages mpifort SOURCES checks.f90 attribute_languages.f90
                FLAGS ${fortran_programs}/attribute_languages.o)
fortran_program(profiling mpifort SOURCES checks.f90 profiling.f90
                FLAGS ${fortran_programs}/profiling_tool.o)
fortran_program(static_profiling mpifort SOURCES checks.f90 profiling.f90
                FLAGS ${fortran_programs}/profiling_tool.o -castor-static)
add_custom_target(fortran_programs DEPENDS ${built})

castor_test(fortran_test
  SOURCES fortran_test.cc
  LIBRARIES on_clock corespec
  LIVE LIVE_FILTER "*")
target_compile_definitions(fortran_test PRIVATE
  BIN="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}" PROGRAMS="${fortran_programs}"
  SANITIZER_LIBRARY="${sanitizer_library}")
add_dependencies(fortran_test aprun castor-live fortran_programs)
