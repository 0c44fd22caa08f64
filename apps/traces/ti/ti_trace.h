// Reading SimGrid's time-independent traces, as `smpirun -trace-ti` records and `-replay` takes
// them: lines `RANK ACTION ARGUMENTS...`, either all ranks' in one file, or one file per rank and a
// list of their names. Empty lines and those that begin with # say nothing.
//
// A trace has amounts of work instead of times. It becomes calls that take no time, and work is the
// time from a call's return to the next call: flops divided by a speed. Ranks are those of
// MPI_COMM_WORLD, the only communicator that a trace knows: a collective call of fewer ranks looks
// like one of all. A trace has no reductions' operations (they become MPI_SUM), and displacements
// in collective calls are those of data without gaps.
//
// Source: SimGrid's replay (src/smpi/internals/smpi_replay.cpp) and recorder (src/instr), 3.32 to
// 4.x. What its replay knows is known here, and the sends Ssend, bsend, ISsend and ibsend, which it
// records only. What it records without what a replay needs (waitAny, testany, Start, windows,
// files, collective calls with a request) is refused.
//
// Whatever is wrong with a file is one std::runtime_error of one line: the file, the line, what is
// there and what is allowed.
#pragma once

#include <string>
#include <vector>

#include "apps/traces/dumpi/trace_file.h"

namespace ti {

/// Where a trace is.
struct Files {
  int ranks = 0;                   ///< 1 to 1,000,000
  bool is_merged = false;          ///< one file has the lines of all ranks
  std::vector<std::string> paths;  ///< that file, or those of the ranks in their order
};

/// `path` is the one file of all ranks, or the list of their files: names in a line each, which are
/// taken as they are, or, if there is no such file, to begin in the list's folder.
Files find_files(const std::string& path);

/// Reads a rank's calls. `speed` (flop/s, more than 0) makes flops time. All of the trace's wall
/// times are after 1 s; CPU times and statuses there are none. The sizes of data types are in the
/// trace's sections; types that DUMPI does not know are numbers from 28 on.
///
/// `wait` and `test` say sender, receiver and tag of a request: of those it is the oldest one, also
/// if it was posted for any sender or tag. A request that a `test` found complete stays, as the
/// trace does not say so; `waitall`, whatever its number, and the end wait for all that there are.
dumpi::RankTrace read_rank(const Files& files, int rank, double speed);

/// The same of what a file contains; errors call it `name`. If it is not `is_merged`, all lines
/// have to be the rank's.
dumpi::RankTrace parse_rank(const std::string& name, const std::string& text, int rank, int ranks,
                            bool is_merged, double speed);

}  // namespace ti
