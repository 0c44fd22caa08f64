// What MPI calls touch of a rank, prefetched.
#include "netmod/mpi/environment/rank_tables.h"

namespace netmod {

bool RankTables::prefetch(corespec::Upcoming, unsigned, corespec::LineRequests& lines) const {
  lines.add(&communicators_);  // the first line of all is there
  return false;
}

}  // namespace netmod
