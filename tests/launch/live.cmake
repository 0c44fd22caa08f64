# Live jobs as users start them: with aprun, with another launcher, or with none.
if(NOT TARGET castor-live)
  return()
endif()

add_executable(live_rank live_rank.cc)
target_link_libraries(live_rank PRIVATE launch_start_up)
set_target_properties(live_rank PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

castor_test(launch_shared_exchange_test SOURCES shared_exchange_test.cc
            LIBRARIES launch_start_up)

castor_test(launch_pmix_hello_test SOURCES pmix_hello_test.cc
            LIBRARIES launch_pmix_door)

castor_test(launch_live_access_test SOURCES live_access_test.cc live_job.cc
            LIBRARIES aprun_command launch_pmix_door)
target_compile_definitions(launch_live_access_test PRIVATE
  BIN="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}" PROGRAMS="${programs}"
  LIVE_RANK="$<TARGET_FILE:live_rank>")
add_dependencies(launch_live_access_test aprun castor-live live_rank)

castor_test(launch_live_test
  SOURCES live_end_test.cc live_job.cc live_start_test.cc
  LIBRARIES aprun_command)
set_source_files_properties(live_start_test.cc PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
target_compile_definitions(launch_live_test PRIVATE
  BIN="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}" PROGRAMS="${programs}"
  LIBRARIES="${CMAKE_LIBRARY_OUTPUT_DIRECTORY}" LIVE_RANK="$<TARGET_FILE:live_rank>")
add_dependencies(launch_live_test aprun castor-live live_rank)

if(TARGET launch_mpi_programs)
  castor_test(launch_live_mpi_test SOURCES live_job.cc live_fault_test.cc
              live_mpi_test.cc live_state_test.cc start_timeout_test.cc
              LIBRARIES aprun_command)
  target_compile_definitions(launch_live_mpi_test PRIVATE
    BIN="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}" PROGRAMS="${programs}" SOURCES="${sources}"
    HOSTS="${CMAKE_CURRENT_SOURCE_DIR}/hosts.sh"
    SLURM="${CMAKE_CURRENT_SOURCE_DIR}/slurm.sh" HAS_MPICH=${HAS_MPICH}
    SANITIZED=${sanitized})
  add_dependencies(launch_live_mpi_test aprun castor-live smb_overhead launch_mpi_programs)
endif()

# In short form; 300 faults by hand.
if(TARGET launch_mpi_programs AND NOT CASTOR_SANITIZE)
  add_test(NAME launch_kill_campaign
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/kill_campaign.sh --faults 10 --seed 4
                   ${CMAKE_BINARY_DIR} ${programs}/soak)
  set_tests_properties(launch_kill_campaign PROPERTIES TIMEOUT 120)
  add_test(NAME launch_link_down
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/link_down.sh ${programs}/soak)
  set_tests_properties(launch_link_down PROPERTIES TIMEOUT 240 SKIP_RETURN_CODE 77)
endif()

if(TARGET launch_mpi_programs)
  castor_test(launch_live_programs_test SOURCES live_programs_test.cc LIBRARIES on_clock)
  castor_test(launch_pmi_test SOURCES pmi_test.cc LIBRARIES on_clock)
  castor_test(launch_rank_order_test SOURCES grid_order_test.cc node_map_test.cc rank_order_test.cc
              LIBRARIES on_clock castor_launch launch_grid_order)
  add_dependencies(launch_rank_order_test grid_order)
  castor_test(launch_companions_test SOURCES companions_test.cc LIBRARIES on_clock)
  castor_test(launch_gpcd_test SOURCES gpcd_test.cc papi_test.cc LIBRARIES on_clock)
  target_compile_definitions(launch_gpcd_test PRIVATE HAS_PAPI=${HAS_PAPI})
  add_dependencies(launch_gpcd_test rtr)
  castor_test(launch_output_test SOURCES kept_output_test.cc output_test.cc LIBRARIES on_clock)
  castor_test(launch_libraries_test SOURCES missing_functions_test.cc openmp_test.cc
              LIBRARIES on_clock)
  target_compile_definitions(launch_libraries_test PRIVATE
    SANITIZED=${sanitized} HAS_LLVM_OPENMP=${HAS_LLVM_OPENMP})
  add_dependencies(launch_libraries_test launch_programs)
  set(on_both_clocks launch_companions_test launch_gpcd_test launch_libraries_test launch_live_programs_test launch_output_test launch_pmi_test launch_rank_order_test)
  if(TARGET launch_armci_programs)
    castor_test(launch_armci_test SOURCES armci_end_test.cc armci_memory_test.cc live_job.cc
                LIBRARIES on_clock)
    list(APPEND on_both_clocks launch_armci_test)
    add_dependencies(launch_armci_test launch_armci_programs)
  endif()
  if(TARGET launch_dmapp_programs)
    castor_test(launch_dmapp_test SOURCES dmapp_end_test.cc LIBRARIES on_clock)
    list(APPEND on_both_clocks launch_dmapp_test)
    add_dependencies(launch_dmapp_test launch_dmapp_programs)
    add_dependencies(launch_pmi_test launch_dmapp_programs)
  endif()
  foreach(test ${on_both_clocks})
    target_compile_definitions(${test} PRIVATE
      BIN="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}" PROGRAMS="${programs}"
      LIBRARIES="${CMAKE_LIBRARY_OUTPUT_DIRECTORY}" SANITIZER_LIBRARY="${sanitizer_library}")
    add_dependencies(${test} aprun castor-live launch_mpi_programs)
  endforeach()
  add_dependencies(launch_live_programs_test ugni_perf cq_wakeup smb_overhead mpi_latency
                   mpi_bandwidth allreduce_scale halo_scale)
endif()
