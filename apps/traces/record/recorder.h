// One rank's recording: its file, its clock, what is on and off.
#pragma once

#include <atomic>
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "apps/traces/dumpi/trace_writer.h"
#include "apps/traces/record/handles.h"

namespace dumpi_record {

/// What the environment says.
///
/// DUMPI_RECORD_PREFIX: of the files' names, with a folder or without (dumpi-PROGRAM).
/// DUMPI_RECORD_SKEW_US: the wall clock of each rank is off by between 0 and so many us (0): the
/// clocks of real nodes are not aligned. The offset is drawn from the rank and DUMPI_RECORD_SEED
/// (1).
struct Settings {
  std::string prefix;
  std::int64_t skew_ns = 0;
  std::uint64_t seed = 1;

  /// Throws std::runtime_error if a value is none.
  static Settings from_environment();
};

/// By how much a rank's wall clock is ahead, in ns.
std::int64_t clock_offset(const Settings& settings, int rank);

/// A time by both of a rank's clocks, ns.
struct Moment {
  std::int64_t cpu = 0;
  std::int64_t wall = 0;  ///< since 1970, without the skew
  static Moment now();
};

/// What a rank records of its calls, as apps/README.md says, between MPI_Init and MPI_Finalize. A
/// file that cannot be written ends the job with one line. Threads may call all functions at once,
/// but begin() and end().
///
/// Of polls (MPI_Test and its like, MPI_Iprobe) those that have found something are recorded; the
/// others, calls that returned an error, and calls while MPI_Pcontrol has turned recording off, the
/// footer counts as called and ignored.
class Recorder {
 public:
  /// The calling rank's.
  static Recorder& own();

  Handles handles;

  /// MPI_Init has returned.
  void begin(const Moment& entry);
  /// MPI_Finalize is called: says on rank 0 which calls of the job have no place in the trace.
  void say_others() const;
  /// MPI_Finalize has returned, and has been added.
  void end();

  bool has_begun() const { return writer_ != nullptr; }
  void turn(bool on) { on_ = on; }
  void add(dumpi::Label label, const Moment& entry, const Moment& exit,
           std::vector<dumpi::Value> values);
  void ignore(dumpi::Label label);
  /// A call that is not in the table, by its number in other_calls.def.
  void count_other(std::size_t number);

 private:
  Recorder();
  void open();
  /// Ends the job, with the first faulty rank's line, if one has a fault.
  void agree(const std::string& fault) const;
  [[noreturn]] void fail(const std::string& what) const;
  std::uint16_t thread_number();

  std::mutex mutex_;
  std::atomic<bool> on_ = true;
  int rank_ = 0;
  int ranks_ = 1;
  Settings settings_;
  std::int64_t offset_ns_ = 0;
  dumpi::Bias bias_;
  dumpi::Sections sections_;
  std::string path_;
  std::ofstream file_;
  std::unique_ptr<dumpi::TraceWriter> writer_;
  std::map<std::thread::id, std::uint16_t> threads_;
  std::vector<std::uint64_t> others_;
  std::atomic<bool> begun_ = false, shared_ = false;
};

}  // namespace dumpi_record
