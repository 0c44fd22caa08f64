# What is installed, and where: programs, libraries, public headers, the modules of pkg-config and the
# CMake package, in the folders of GNUInstallDirs beside each other.
include(CMakePackageConfigHelpers)

if(NOT TARGET aprun OR NOT TARGET castor-live OR NOT TARGET mpi OR NOT TARGET pmi)
  return()  # parts of a tree are for development
endif()
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/castor)

# The libraries that programs link, each with its headers, and those they need themselves.
install(TARGETS mpi mpich mpifort mpichfort armci dmapp ugni pmi udreg alpslli alpsutil rca gpcd gm
  castor_ugni corespec aprun EXPORT castor-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET castor_papi)
  install(TARGETS castor_papi EXPORT castor-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(TARGETS castor_launch dumpi_record LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The build tree has the headers at the same place, as links: what finds them in one tree does in the other.
# castor_headers(FOLDER NAME...): public headers, by their names in FOLDER.
function(castor_headers FOLDER)
  foreach(name ${ARGN})
    get_filename_component(folder ${name} DIRECTORY)
    install(FILES ${FOLDER}/${name} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
    file(MAKE_DIRECTORY ${CASTOR_BUILT_HEADERS}/${folder})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${FOLDER}/${name} ${CASTOR_BUILT_HEADERS}/${name} SYMBOLIC)
  endforeach()
endfunction()
foreach(folder netmod/include armci/include ugni_emu/include corespec/include)
  file(GLOB_RECURSE names CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/${folder}
    ${PROJECT_SOURCE_DIR}/${folder}/*.h)
  castor_headers(${folder} ${names})
endforeach()
castor_headers(apps/gemini_monitor gemini_monitor.h)
install(FILES ${CASTOR_BUILT_HEADERS}/mpif.h ${CASTOR_BUILT_HEADERS}/mpi.mod
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS mpifort_archive ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/castor_interpreter.o
  DESTINATION ${CMAKE_INSTALL_LIBDIR})

install(TARGETS castor-live grid_order link_map rtr
  smb_overhead mpi_latency mpi_bandwidth ugni_info ugni_perf cq_wakeup armci_overhead armci_perf
  allreduce_scale halo_scale transpose dft_scf milc
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(name mpicc mpicxx mpifort)
  install(PROGRAMS ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name} DESTINATION ${CMAKE_INSTALL_BINDIR})
endforeach()
foreach(name cc CC ftn)
  install(PROGRAMS ${PROJECT_BINARY_DIR}/${CASTOR_CRAYPE_DIRECTORY}/${name} DESTINATION ${CASTOR_CRAYPE_DIRECTORY})
endforeach()
# mpiexec is also the name under which CMake's FindMPI looks for a launcher, and from there for the
# wrappers.
install(CODE "set(bin \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")")
install(CODE [[
  file(CREATE_LINK aprun "${bin}/mpiexec" SYMBOLIC)
  file(CREATE_LINK aprun "${bin}/mpirun" SYMBOLIC)
  file(CREATE_LINK mpifort "${bin}/mpif77" SYMBOLIC)
  file(CREATE_LINK mpifort "${bin}/mpif90" SYMBOLIC)]])
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/bash-completion/completions
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/castor)

# castor_module(NAME LIBRARY DESCRIPTION REQUIRES [DEFINES]): one module of pkg-config; LIBRARY may be
# empty: headers alone.
function(castor_module NAME LIBRARY DESCRIPTION REQUIRES)
  string(JOIN " " DEFINES ${ARGN})
  string(PREPEND DEFINES " ")
  string(REGEX REPLACE " $" "" DEFINES "${DEFINES}")
  set(LIBS)
  if(LIBRARY)
    set(option)
    get_target_property(options ${LIBRARY} INTERFACE_LINK_OPTIONS)
    if(options)
      string(REPLACE "LINKER:" "-Wl," option "${options} ")
    endif()
    set(LIBS "Libs: -L\${libdir} -Wl,-rpath-link,\${libdir} ${option}-l${LIBRARY}")
  endif()
  set(module ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/pkgconfig/${NAME}.pc)
  configure_file(cmake/module.pc.in ${module} @ONLY)
  install(FILES ${module} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
castor_module(mpich mpi "MPI (MPICH ABI) of Castor, a Cray XE6 in software" "")
castor_module(mpifort mpifort "MPI for Fortran of Castor" mpich)
castor_module(armci armci "ARMCI, one-sided access, of Castor" mpich)
# The wrappers of an XE's compilers define it, too; so do ours (launch/mpicc).
castor_module(cray-gni-headers "" "Headers of uGNI, of Castor" "" -D__CRAYXE)
castor_module(cray-ugni ugni "uGNI, the user-level Gemini interface, of Castor" cray-gni-headers)
castor_module(cray-udreg udreg "UDREG, a cache of memory registrations, of Castor" "")
castor_module(cray-alpslli alpslli "ALPS, requests to the launcher, of Castor" "")
castor_module(cray-alpsutil alpsutil "ALPS, placement of a job, of Castor" "")
castor_module(cray-rca rca "RCA, a node's number and coordinates, of Castor" "")
castor_module(cray-gpcd gpcd "GPCD, the counters of a Gemini, of Castor" "")
castor_module(gemini-monitor gm "The Gemini monitor library, of Castor" "mpich cray-gpcd cray-rca")
if(TARGET castor_papi)
  castor_module(castor-papi castor_papi "PAPI's events of a Gemini's counters, of Castor" papi)
endif()
castor_module(cray-dmapp dmapp "DMAPP, one-sided access, of Castor" cray-ugni)
castor_module(cray-pmi pmi "PMI, the process management interface, of Castor" "")

# The CMake package; find_package() takes castor and Castor for its name.
install(EXPORT castor-targets NAMESPACE castor:: DESTINATION ${package})
configure_package_config_file(cmake/castor-config.cmake.in ${PROJECT_BINARY_DIR}/castor-config.cmake
  INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/castor-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/castor-config.cmake ${PROJECT_BINARY_DIR}/castor-config-version.cmake
  DESTINATION ${package})
