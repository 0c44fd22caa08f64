# aprun as users start it: real programs, built with mpicc and run as jobs.
set(present TRUE)
foreach(program aprun mpi compiler_wrappers smb_overhead)
  if(NOT TARGET ${program})
    set(present FALSE)
  endif()
endforeach()
if(NOT present)
  return()
endif()

set(mpi_programs)
# mpi_program(name source compiler [flags...])
function(mpi_program name source compiler)
  add_custom_command(OUTPUT ${programs}/${name}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${programs}
    COMMAND ${compiler} -O2 -o ${programs}/${name} ${sources}/${source} ${ARGN}
    DEPENDS ${sources}/${source} compiler_wrappers mpi mpifort pmi alpslli alpsutil gpcd rca udreg
            ${built}
            ${PROJECT_SOURCE_DIR}/netmod/include/mpi.h
    VERBATIM)
  set(mpi_programs ${mpi_programs} ${programs}/${name} PARENT_SCOPE)
endfunction()

mpi_program(mpi_job job.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc)
mpi_program(mpi_pieces pieces.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc)
mpi_program(mpi_prints_and_ends prints_and_ends.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc)
mpi_program(mpif_prints_and_ends prints_and_ends.f90 ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpifort)
mpi_program(mpi_crash crash.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc)
mpi_program(mpi_job_cxx job.cc ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicxx)
mpi_program(mpi_pieces_cxx pieces.cc ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicxx)
mpi_program(mpi_pieces_fortran pieces.f90 ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpifort)
mpi_program(backtrace_fortran backtrace.f90 ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpifort -g -O0)
mpi_program(measured_overlap measured_overlap.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc)
mpi_program(clocks clocks.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc)
mpi_program(cpus cpus.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc)
mpi_program(pmi_in_mpi pmi_in_mpi.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc -lpmi)
mpi_program(temporaries temporaries.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc)
mpi_program(idle idle.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc -lugni)
mpi_program(turns turns.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc -I${PROJECT_SOURCE_DIR} -lpmi)
mpi_program(bad_rank bad_rank.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc -I${PROJECT_SOURCE_DIR})
mpi_program(leaves leaves.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc -lugni)
mpi_program(stuck stuck.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc)
mpi_program(last_interval last_interval.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc
            -I${PROJECT_SOURCE_DIR}/corespec/include)
# A tool's library, before libmpi and behind it.
set(tool -Wl,--no-as-needed -L${programs} -L${CMAKE_LIBRARY_OUTPUT_DIRECTORY} -Wl,-rpath,${programs})
mpi_program(libtool.so tool.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc -fPIC -shared)
mpi_program(libtool_caller.so tool_caller.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc -fPIC -shared
            -DLIBRARY)
set(built_before ${built})
list(APPEND built ${programs}/libtool.so)
mpi_program(tool_caller tool_caller.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc)
mpi_program(tool_linked tool_caller.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc ${tool} -ltool)
mpi_program(tool_behind tool_caller.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc ${tool} -lmpi -ltool)
set(built ${built_before})
# Programs whose places are looked for: with lines, without, stripped, and with lines elsewhere.
set(with_lines ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc -g)
set(where -I${PROJECT_SOURCE_DIR} -L${programs} -lwhere_library -Wl,-rpath,${programs})
mpi_program(libwhere_library.so where_library.c "${with_lines}" -fPIC -shared)
set(built_before ${built})
list(APPEND built ${programs}/libwhere_library.so)
mpi_program(where where.c "${with_lines}" ${where})
mpi_program(where_wrapper where.c "${with_lines}" -DWRAPPER ${where})
mpi_program(where_without_lines where.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc ${where})
mpi_program(where_stripped where.c "${with_lines}" ${where} -s)
set(built ${built_before})
mpi_program(where_cxx where.cc ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicxx -g)
mpi_program(where_fortran where.f90 ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpifort -g)
add_custom_command(OUTPUT ${programs}/where_separate
  COMMAND ${CMAKE_OBJCOPY} --only-keep-debug where where_separate.lines
  COMMAND ${CMAKE_OBJCOPY} --strip-all --add-gnu-debuglink=where_separate.lines where where_separate
  DEPENDS ${programs}/where WORKING_DIRECTORY ${programs} VERBATIM)
list(APPEND mpi_programs ${programs}/where_separate)
mpi_program(marked marked.c "${with_lines}" -I${PROJECT_SOURCE_DIR})
mpi_program(interrupted interrupted.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc)
mpi_program(signals signals.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc)
mpi_program(foreign_signal foreign_signal.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc)
mpi_program(memory_wait memory_wait.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc)
mpi_program(modelled_wait modelled_wait.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc -I${PROJECT_SOURCE_DIR})
mpi_program(openmp openmp.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc -fopenmp)
mpi_program(openmp_private openmp.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc -castor-tls -fopenmp
            -DTHREADPRIVATE)
mpi_program(openmp_fortran openmp.f90 ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpifort -fopenmp)
# And with the library of another compiler.
find_program(CLANG clang)  # optional: clang libomp-dev
set(HAS_LLVM_OPENMP 0)
if(CLANG)
  execute_process(COMMAND ${CLANG} -fopenmp -include omp.h -fPIC -shared ${sources}/openmp_library.c
                          -o ${CMAKE_CURRENT_BINARY_DIR}/with_llvm.so
                  RESULT_VARIABLE without_llvm OUTPUT_QUIET ERROR_QUIET)
  if(without_llvm EQUAL 0)
    set(HAS_LLVM_OPENMP 1)
    set(clangs_mpicc ${CMAKE_COMMAND} -E env MPICH_CC=${CLANG}
        ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc)
    mpi_program(openmp_llvm openmp.c "${clangs_mpicc}" -fopenmp)
  endif()
endif()
# Linked with a library that has more than the one that is found at run time.
set(missing -Wl,--unresolved-symbols=ignore-in-shared-libs ${programs}/libpointing_asker.so
    ${programs}/whole/libshrunk.so -Wl,-rpath,${programs})
mpi_program(missing missing.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc ${missing})
mpi_program(missing_now missing.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc ${missing} -Wl,-z,now)
mpi_program(missing_early missing_early.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc ${missing})
mpi_program(gone gone.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc -lugni)
if(TARGET armci)
  foreach(name armci_bad_memory armci_ends armci_unended flag_wait stuck_armci)
    mpi_program(${name} ${name}.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc -larmci)
  endforeach()
  add_custom_target(launch_armci_programs DEPENDS ${programs}/armci_bad_memory
                    ${programs}/armci_ends ${programs}/armci_unended ${programs}/flag_wait
                    ${programs}/stuck_armci)
  add_dependencies(launch_armci_programs armci)
endif()
# Programs on uGNI need no MPI library, and the wrapper leaves it out.
foreach(program pmi_job cancelled_wait collective_engine message_queues poll_channel starts_programs
        stuck_ugni survivors)
  mpi_program(${program} ${program}.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc -pthread
              -I${PROJECT_SOURCE_DIR}/corespec/include
              -Wl,--as-needed -lpmi -lugni)
endforeach()
find_library(HUGETLBFS hugetlbfs REQUIRED)  # libhugetlbfs-dev
mpi_program(companions companions.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc
            -Wl,--as-needed -lalpslli -lalpsutil ${HUGETLBFS} -lpmi -lrca -ludreg -lugni)
mpi_program(figure1_alone figure1_alone.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc
            ${sources}/figure1.c -lgpcd)
mpi_program(figure1_job figure1_job.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc
            ${sources}/figure1.c -lgpcd)
# An ordinary program on PAPI, which Castor's library of events is linked to.
set(HAS_PAPI 0)
if(TARGET castor_papi)
  set(HAS_PAPI 1)
  set(papi -lgpcd -lrca -lpapi -Wl,--no-as-needed $<TARGET_FILE:castor_papi>)
  mpi_program(papi_job papi_job.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc -I${PROJECT_SOURCE_DIR} ${papi})
  mpi_program(papi_shared papi_job.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc -I${PROJECT_SOURCE_DIR} -DSHARED
              ${papi})
  mpi_program(papi_opener papi_opener.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc -I${PROJECT_SOURCE_DIR} -ldl)
endif()
mpi_program(rank_order rank_order.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc
            -Wl,--as-needed -lalpsutil -lpmi)
mpi_program(own_names own_names.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc -rdynamic
            -Wl,--no-as-needed -lpmi -lugni)
mpi_program(stands_before.so stands_before.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc -fPIC -shared
            -Wl,--as-needed -ldl)
mpi_program(pmi2_job pmi2_job.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc -Wl,--as-needed -lpmi)
mpi_program(pmi_node pmi_node.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc -Wl,--as-needed -lpmi)
mpi_program(quits quits.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc -lpmi)
if(TARGET dmapp)
  mpi_program(dmapp_alone dmapp_alone.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc
              -Wl,--as-needed -ldmapp -lpmi)
  mpi_program(stuck_dmapp stuck_dmapp.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc
              -Wl,--as-needed -ldmapp -lpmi)
  mpi_program(first_call first_call.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc
              -Wl,--as-needed -ldmapp -lpmi -lugni)
  add_custom_target(launch_dmapp_programs DEPENDS ${programs}/dmapp_alone ${programs}/first_call
                    ${programs}/stuck_dmapp)
  add_dependencies(launch_dmapp_programs dmapp)
endif()
# Live ranks load our libraries themselves: a sanitizer has to be theirs too.
set(as_the_libraries)
if(CASTOR_SANITIZE)
  set(as_the_libraries -fsanitize=${CASTOR_SANITIZE})
endif()
foreach(program thread_affinity lent_cpu live_ends soak)
  mpi_program(${program} ${program}.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc -pthread
              ${as_the_libraries})
endforeach()
mpi_program(stuck_live stuck.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc ${as_the_libraries})
set(built_before ${built})
list(APPEND built ${programs}/libwhere_library.so)
mpi_program(where_live where.c "${with_lines}" ${where} ${as_the_libraries})
set(built ${built_before})
# What these do is undefined.
mpi_program(crash_live crash.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc ${as_the_libraries}
            -fno-sanitize=undefined)
mpi_program(live_faults live_faults.c ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/mpicc ${as_the_libraries}
            -fno-sanitize=undefined)
# A program that Debian's MPICH built runs as it is.
find_program(MPICH_MPICC mpicc.mpich)  # optional: libmpich-dev mpich
find_path(MPICH_HEADERS mpi.h PATH_SUFFIXES mpich)  # optional: libmpich-dev
set(HAS_MPICH 0)
if(MPICH_MPICC AND MPICH_HEADERS)
  set(HAS_MPICH 1)
  mpi_program(mpich_job job.c ${MPICH_MPICC})
  mpi_program(soak_for_mpich soak.c ${MPICH_MPICC} ${as_the_libraries})
endif()
add_custom_target(launch_mpi_programs DEPENDS ${mpi_programs})
if(TARGET castor_papi)
  add_dependencies(launch_mpi_programs castor_papi)
endif()
if(TARGET armci)
  # Of both targets that have the program, or the build may make it before the library.
  add_dependencies(launch_mpi_programs armci)
endif()
if(TARGET dmapp)
  add_dependencies(launch_mpi_programs dmapp)
endif()

# The manual pages and the completion. (Sanitized, they are the same.)
if(NOT CASTOR_SANITIZE)
  find_program(BASH_PROGRAM bash REQUIRED)  # bash
  foreach(step manual completion)
    add_test(NAME launch/${step} COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/pages.sh
             ${step} ${CMAKE_BINARY_DIR})
    set_tests_properties(launch/${step} PROPERTIES TIMEOUT 120 SKIP_RETURN_CODE 77)
  endforeach()
endif()

castor_test(launch_aprun_test
  SOURCES aprun_crash_test.cc aprun_damaged_test.cc aprun_errors_test.cc
          aprun_interrupt_test.cc aprun_libc_test.cc aprun_other_mpi_test.cc aprun_signals_test.cc
          aprun_test.cc stuck_test.cc tools_test.cc turns_test.cc where_test.cc
  LIBRARIES on_clock)
launch_test_paths(launch_aprun_test
  SOURCES="${sources}" VERSION="${PROJECT_VERSION}" SANITIZED=${sanitized} HAS_MPICH=${HAS_MPICH})
add_dependencies(launch_aprun_test aprun smb_overhead ugni_perf launch_mpi_programs
                 launch_programs)

find_package(nlohmann_json REQUIRED)  # nlohmann-json3-dev
if(TARGET link_map)
  castor_test(launch_dragonfly_test SOURCES dragonfly_test.cc
              LIBRARIES on_clock nlohmann_json::nlohmann_json)
  launch_test_paths(launch_dragonfly_test)
  add_dependencies(launch_dragonfly_test aprun link_map smb_overhead allreduce_scale halo_scale
                   launch_mpi_programs)
endif()
castor_test(launch_packet_test SOURCES packet_test.cc
            LIBRARIES on_clock nlohmann_json::nlohmann_json)
launch_test_paths(launch_packet_test)
add_dependencies(launch_packet_test aprun smb_overhead halo_scale launch_mpi_programs)
castor_test(launch_failures_test SOURCES failures_test.cc
            LIBRARIES on_clock nlohmann_json::nlohmann_json)
launch_test_paths(launch_failures_test)
add_dependencies(launch_failures_test aprun armci_perf halo_scale launch_mpi_programs)
castor_test(launch_faults_test
            SOURCES audit_test.cc faults_test.cc faults_libraries_test.cc live_faults_test.cc
              live_job.cc mpi_faults_test.cc
            LIBRARIES on_clock)
launch_test_paths(launch_faults_test)
add_dependencies(launch_faults_test aprun castor-live fault_workload halo_scale transpose
                 launch_mpi_programs)
castor_test(launch_workers_test SOURCES workers_test.cc LIBRARIES on_clock)
launch_test_paths(launch_workers_test SANITIZED=${sanitized})
add_dependencies(launch_workers_test aprun castor-live launch_mpi_programs)
castor_test(launch_worker_hosts_test SOURCES worker_hosts_test.cc LIBRARIES on_clock)
target_compile_definitions(launch_worker_hosts_test PRIVATE
  HOSTS="${CMAKE_CURRENT_SOURCE_DIR}/hosts.sh"
  BIN="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}" PROGRAMS="${programs}" SANITIZED=${sanitized}
  SANITIZER_LIBRARY="${sanitizer_library}")
add_dependencies(launch_worker_hosts_test aprun castor-live launch_mpi_programs)
if(TARGET transpose AND TARGET milc)
  castor_test(launch_one_result_test SOURCES one_result_test.cc LIBRARIES on_clock)
  target_compile_definitions(launch_one_result_test PRIVATE
    HOSTS="${CMAKE_CURRENT_SOURCE_DIR}/hosts.sh"
    BIN="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}" PROGRAMS="${programs}" SANITIZER_LIBRARY="${sanitizer_library}")
  add_dependencies(launch_one_result_test aprun transpose dft_scf allreduce_scale halo_scale
                   collective_scale smb_overhead milc s3d minighost armci_perf armci_overhead
                   ugni_perf fault_workload launch_mpi_programs)
  if(TARGET ga_transpose)
    target_compile_definitions(launch_one_result_test PRIVATE CASTOR_GLOBAL_ARRAYS)
    add_dependencies(launch_one_result_test ga_transpose)
  endif()
endif()
castor_test(launch_run_files_test SOURCES run_files_test.cc run_names_test.cc
            LIBRARIES on_clock nlohmann_json::nlohmann_json PkgConfig::OTF2)
launch_test_paths(launch_run_files_test)
add_dependencies(launch_run_files_test aprun castor-live smb_overhead launch_mpi_programs)
castor_test(launch_telemetry_test SOURCES telemetry_test.cc
            LIBRARIES on_clock nlohmann_json::nlohmann_json)
launch_test_paths(launch_telemetry_test SOURCES="${sources}")
add_dependencies(launch_telemetry_test aprun castor-live halo_scale launch_mpi_programs)
find_program(BASH_PROGRAM bash REQUIRED)  # bash
add_test(NAME launch/run_page
         COMMAND ${BASH_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/run_page.sh ${CMAKE_BINARY_DIR})
set_tests_properties(launch/run_page PROPERTIES TIMEOUT 400 SKIP_RETURN_CODE 77)
