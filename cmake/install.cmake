# What is installed, and where: programs in bin/, libraries in lib/, public headers in include/, the
# modules of pkg-config and the CMake package. The three folders keep these names, since aprun and
# the compiler wrappers look for the others beside their own.
include(CMakePackageConfigHelpers)

if(NOT TARGET aprun OR NOT TARGET castor-live OR NOT TARGET mpi OR NOT TARGET pmi)
  return()  # parts of a tree are for development
endif()

# The libraries that programs link, each with its headers, and those they need themselves.
install(TARGETS mpi mpich mpifort mpichfort armci dmapp ugni pmi corespec castor_launch LIBRARY DESTINATION lib)
foreach(headers netmod/include armci/include ugni_emu/include corespec/include)
  install(DIRECTORY ${headers}/ DESTINATION include FILES_MATCHING PATTERN "*.h")
endforeach()
install(FILES ${CASTOR_FORTRAN_INCLUDE}/mpif.h ${CASTOR_FORTRAN_INCLUDE}/mpi.mod DESTINATION include)
install(TARGETS mpifort_archive ARCHIVE DESTINATION lib)
install(FILES ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/castor_interpreter.o DESTINATION lib)

install(TARGETS aprun castor-live
  smb_overhead mpi_latency mpi_bandwidth ugni_perf cq_wakeup armci_overhead armci_perf
  allreduce_scale halo_scale transpose dft_scf milc
  RUNTIME DESTINATION bin)
install(PROGRAMS ${CASTOR_INSTALLED_WRAPPERS}/mpicc ${CASTOR_INSTALLED_WRAPPERS}/mpicxx
  ${CASTOR_INSTALLED_WRAPPERS}/mpifort DESTINATION bin)
# mpiexec: the name under which CMake's FindMPI looks for a launcher, and from there for the wrappers.
install(CODE [[
  set(bin "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/bin")
  file(CREATE_LINK aprun "${bin}/mpiexec" SYMBOLIC)
  file(CREATE_LINK mpifort "${bin}/mpif77" SYMBOLIC)
  file(CREATE_LINK mpifort "${bin}/mpif90" SYMBOLIC)]])
install(FILES LICENSE DESTINATION share/doc/castor)

# castor_module(NAME LIBRARY DESCRIPTION REQUIRES): one module of pkg-config.
function(castor_module NAME LIBRARY DESCRIPTION REQUIRES)
  configure_file(cmake/module.pc.in ${PROJECT_BINARY_DIR}/pkgconfig/${NAME}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/pkgconfig/${NAME}.pc DESTINATION lib/pkgconfig)
endfunction()
castor_module(mpich mpi "MPI (MPICH ABI) of Castor, a Cray XE6 in software" "")
castor_module(mpifort mpifort "MPI for Fortran of Castor" mpich)
castor_module(armci armci "ARMCI, one-sided access, of Castor" mpich)
castor_module(cray-ugni ugni "uGNI, the user-level Gemini interface, of Castor" "")
castor_module(cray-dmapp dmapp "DMAPP, one-sided access, of Castor" cray-ugni)
castor_module(cray-pmi pmi "PMI, the process management interface, of Castor" "")

write_basic_package_version_file(${PROJECT_BINARY_DIR}/castor-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES cmake/castor-config.cmake ${PROJECT_BINARY_DIR}/castor-config-version.cmake
  DESTINATION lib/cmake/castor)
