# The CMake package castor: targets castor::mpi, castor::mpifort, castor::armci, castor::dmapp,
# castor::ugni and castor::pmi, and the programs castor::aprun, castor::mpicc and castor::mpicxx. Finds
# the tree that it lies in.
get_filename_component(castor_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

# castor_library(name soname [other targets it is used with])
function(castor_library name soname)
  if(TARGET castor::${name})
    return()
  endif()
  add_library(castor::${name} SHARED IMPORTED)
  # What the library itself needs lies beside it.
  set_target_properties(castor::${name} PROPERTIES
    IMPORTED_LOCATION "${castor_PREFIX}/lib/${soname}"
    IMPORTED_SONAME ${soname}
    INTERFACE_INCLUDE_DIRECTORIES "${castor_PREFIX}/include"
    INTERFACE_LINK_OPTIONS "LINKER:-rpath-link,${castor_PREFIX}/lib"
    INTERFACE_LINK_LIBRARIES "${ARGN}")
endfunction()
castor_library(mpi libmpi.so.12)
castor_library(mpifort libmpifort.so.12 castor::mpi)
castor_library(armci libarmci.so.1 castor::mpi)
castor_library(ugni libugni.so.0)
castor_library(dmapp libdmapp.so.1 castor::ugni)
castor_library(pmi libpmi.so.0)

foreach(program aprun mpicc mpicxx)
  if(NOT TARGET castor::${program})
    add_executable(castor::${program} IMPORTED)
    set_target_properties(castor::${program} PROPERTIES
      IMPORTED_LOCATION "${castor_PREFIX}/bin/${program}")
  endif()
endforeach()
