// Where figures come from: a column of what a run has printed, its counters, its profile, another
// program's lines.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/published/runs.h"
#include "benchmarks/published/scope.h"
#include "benchmarks/published/values.h"

namespace published {

/// One condition on a row: column, sign (=, != or >) and value.
struct Filter {
  std::string column, sign, value;
};

/// The part of a source that comes from one run.
struct SourcePart {
  enum class Kind {
    column,     ///< of its CSV: of the rows that the filters choose
    statistic,  ///< the number behind this word in rank 0's line of MPICH_GNI_ASYNC_PROGRESS_STATS
    injected,   ///< bytes that each Gemini has injected, of its counters
    counted,    ///< at each Gemini the sum of a counter over some of its links
    profile,    ///< a number of its profile, by its path
    messages,   ///< how many messages of these sizes its profile has
    telemetry,  ///< of its marked paths that the filters choose: a column of --telemetry-file
    says,       ///< the number that this expression finds in what aprun says
    lines       ///< how many lines it has printed
  };
  Kind kind = Kind::column;
  Command command;
  std::string column;  ///< or a text of several: "(<x>,<y>,<z>)<link>"; a path, a range of sizes
  std::string message_kind;  ///< all if it is empty; of counters the beginning of a link's name
  std::vector<Filter> filters;
  std::vector<std::string>
      sizes;  ///< of messages, one figure each; without them every row that is left
};

struct Source {
  std::vector<SourcePart> parts;  ///< one behind the other
  bool average = false;           ///< the mean of all parts instead, to three decimals
};

/// Reads a source's description:
///
///   like      the name of a definition that this one adds to
///   run       [APRUN OPTIONS, PROGRAM, ARGUMENTS]; or lines_of: a command
///   column    or statistic, injected, counted (on links), profile, messages (of a kind),
///             telemetry, says
///   where     "side=recv link!=HH vc0_phits>0"
///   at        "8191 8K": sizes of messages
///   with      {variable: word}
///   for       {variable: [word, ...]}: one part each;  average_over: the same, and their mean
Source read_source(const Json& node, const Json& definitions, const Scope& scope);

/// The figures; of the column `instead` if that is not empty.
Values values_of(const Source& source, const Runs& runs, const std::string& instead = "");

/// 8191 or 8K as bytes.
std::string bytes_of(const std::string& size);

}  // namespace published
