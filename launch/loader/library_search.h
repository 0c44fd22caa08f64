// Where the dynamic loader would find a library, and which libraries are safe to share.
#pragma once

#include <string>
#include <vector>

#include "launch/loader/elf_file.h"

namespace launch {

/// Directories to search, as the dynamic loader has them, but for Castor's own libraries.
struct LibrarySearch {
  std::string own;                            ///< where Castor's libraries are, before all else
  std::vector<std::string> inherited;         ///< DT_RPATH of the loading files, outermost last
  std::vector<std::string> from_environment;  ///< LD_LIBRARY_PATH
};

/// The directory of Castor's libraries: beside that of the program that runs.
std::string own_library_directory();

/// The file that `name`, needed by `loader`, stands for; empty if there is none.
std::string find_library(const ElfFile& loader, const std::string& name,
                         const LibrarySearch& search);

/// Splits a search path at its colons and replaces $ORIGIN by the directory of `file`.
std::vector<std::string> search_directories(const std::string& path, const std::string& file);

/// True if all ranks may share one copy of the library called `name`: it keeps no state of one
/// program, or (ours) keeps it per rank. The list is part of docs/programs.md.
bool safe_to_share(const std::string& name);

/// True for those of them that are Castor's own.
bool is_own_shared(const std::string& name);

/// Why a program with `file`, which it brings or loads and which is none of Castor's, cannot run:
/// it has MPI functions, which know nothing of the job. Empty if it has none.
std::string other_mpi(const ElfFile& file);

/// The same for a library by its name alone: Open MPI's constants are others than ours.
std::string other_mpi_name(const std::string& name);

/// True for the library of a compiler's OpenMP: it keeps what a rank is doing in variables of the
/// thread, which ranks share.
bool is_openmp(const std::string& name);

/// Why a program that declares itself shared cannot need this library, which has one rank's state;
/// empty if it can.
std::string not_for_shared_images(const std::string& name);

/// What is said of a library that is needed and not found.
std::string library_not_found(const std::string& name);

/// Why a program that needs library `name` cannot run; empty if it can.
std::string reason_to_refuse(const std::string& name);

/// Our own name for a library (MPICH's file names stand for our MPI libraries); else `name`.
std::string canonical_library_name(const std::string& name);

}  // namespace launch
