// What aprun's options mean for a job, on either clock, and what it prints about one.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/topology/placement.h"
#include "launch/description/options.h"

namespace launch {

/// Where ranks and their threads go. Throws std::invalid_argument (the node's description).
corespec::PlacementRequest placement_of(const AprunOptions& options);

/// LD_LIBRARY_PATH for a job's programs: the folder of Castor's libraries (beside that of the
/// program that runs), then what `search` says.
std::string own_libraries_first(const std::string& search);

/// In every rank's environment, unless the user says otherwise: libgfortran keeps back nothing of
/// what a program prints, so that it is there however the rank ends (as with C's and C++'s
/// streams).
inline constexpr std::pair<const char*, const char*> fortran_keeps_nothing_back{
    "GFORTRAN_UNBUFFERED_PRECONNECTED", "y"};

/// What is said of a rank that ends before it has ended MPI or PMI.
std::string ended_without_finalize(int code);

/// The line before a run, on standard error: what is run, on how much, and how far it repeats.
void print_run(const std::string& program, int ranks, std::size_t nodes, int per_node,
               std::string_view repeats);

/// -wdir: from here on the process is where ranks begin. Throws UsageError if it cannot be.
void enter_directory(const AprunOptions& options);

/// What the user has set for a job: the environment, then -e.
std::vector<corespec::Setting> user_settings(const AprunOptions& options);

/// MPICH_ENV_DISPLAY: every parameter, on standard error.
void print_environment(const corespec::Parameters& parameters);

/// ALPS's last line, in the host's units, on standard error.
void print_alps_resources(std::uint64_t apid, const rusage& usage);

}  // namespace launch
