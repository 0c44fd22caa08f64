// Writing one rank's DUMPI trace, in version 1.1.0 with all eight words of the index.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "apps/traces/dumpi/calls.h"
#include "apps/traces/dumpi/trace_file.h"

namespace dumpi {

/// Whole seconds that are subtracted from all times of a stream: those before the first call.
/// A time before its bias is an error. Times from 65,536 s after it on are wrapped, and read back
/// rightly if no two calls are 32,768 s apart (CallReader).
struct Bias {
  std::uint32_t cpu_s = 0;
  std::uint32_t wall_s = 0;
};

/// Writes a file's parts in the order that recorders of version 1.1.0 have: the constructor the
/// magic and the biases, write() a call, finish() all the rest. Without finish() there is no index,
/// and readers refuse the file. What cannot be written (a value that does not fit the table, a
/// stream that has failed) is a std::runtime_error; the file then ends with the last whole call.
class TraceWriter {
 public:
  /// `out` has to be empty and binary, and to outlive the writer; errors call it `name`.
  TraceWriter(std::ostream& out, std::string name, Bias bias);
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  /// Appends a call; calls come in the order in which they returned.
  void write(const Call& call);
  /// Ends the stream and writes the sections, whose version is taken to be 1.1.0. If `called` is
  /// empty, the calls that were written are counted. No call may follow.
  void finish(const Sections& sections);

 private:
  void put(const std::string& bytes);
  [[noreturn]] void fail(const std::string& what) const;

  std::ostream& out_;
  std::string name_;
  Bias bias_;
  std::uint64_t position_ = 0;  // bytes written
  std::vector<std::uint32_t> called_;
  bool finished_ = false;
  std::string record_;  // of the call that is being written: its memory is used again
};

/// Calls of any source as a trace, so that there is one kind of trace to go through.
/// std::runtime_error if a file cannot hold them: two calls of a thread may be 32,768 s apart.
RankTrace trace_of(const std::string& name, const std::vector<Call>& calls,
                   const Sections& sections);

/// What PREFIX.meta of such a trace contains. `prefix` is a file name without folder.
std::string meta_text(const std::string& prefix, int ranks, const Sections& sections);

}  // namespace dumpi
