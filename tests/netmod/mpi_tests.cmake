# Tests of the MPI library above its device, on a fake device.
castor_test(mpi_bindings_test
  SOURCES
    fake_device.cc
    mpi_abi_test.cc
    mpi_collective_test.cc
    mpi_communicator_test.cc
    mpi_datatype_test.cc
    mpi_error_test.cc
    mpi_external_test.cc
    mpi_intercommunicator_test.cc
    mpi_agreement_test.cc
    mpi_alias_test.cc
    mpi_neighbour_test.cc
    mpi_nonblocking_test.cc
    mpi_overflow_test.cc
    mpi_point_to_point_test.cc
    mpi_reduce_test.cc
    mpi_request_test.cc
    mpi_rules_test.cc
    mpi_topology_test.cc
    mpi_type_map_test.cc
    mpi_type_object_test.cc
    mpi_unit_test.cc
    mpi_unused_argument_test.cc
    mpi_verdict_test.cc
  LIBRARIES mpi_objects castor_ugni corespec fmt::fmt-header-only)
target_compile_definitions(mpi_bindings_test PRIVATE CASTOR_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
