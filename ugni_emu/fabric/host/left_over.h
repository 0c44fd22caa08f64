// Names of shared regions, and the removal of those whose processes were killed at their start.
#pragma once

#include <string>

namespace ugni::fabric {

/// What this process calls its region, which lies under that name (and what libfabric adds) in
/// /dev/shm from its making until all processes of the host have met.
std::string region_name(int rank);

/// Removes regions of processes that do not exist any more: they were killed in between.
void remove_left_over_regions();

}  // namespace ugni::fabric
