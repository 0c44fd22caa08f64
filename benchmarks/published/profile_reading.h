// Figures of a run's profile, as `aprun --profile FILE` writes it.
#pragma once

#include <string>

#include "benchmarks/published/scope.h"

namespace published {

/// The number at a path like /time/groups/MPI/mean. In a list of named things the name stands:
/// /calls/MPI_Wait/seconds/mean. Throws DataError if there is none.
double figure_at(const Json& profile, const std::string& path);

/// How many messages all ranks have sent of the sizes from <= bytes < to: "256 4K"; "64K": from
/// there on. `kind` is point to point, collective or one-sided; all of these without it. The
/// profile has classes that double, so the two must be borders of classes (0, or a power of two);
/// throws DataError if they are not.
double messages_of(const Json& profile, const std::string& sizes, const std::string& kind);

}  // namespace published
