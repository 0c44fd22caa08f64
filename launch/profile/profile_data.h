// What a run's ranks did with their time, as numbers: calls, losses, messages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corespec/time/time.h"
#include "launch/profile/size_histogram.h"

namespace launch {

/// Which library a call is one of, in the order in which profiles list them.
enum class CallGroup : std::uint8_t {
  computing,  ///< the program's own work, and Castor's calls that stand for it (corespec_*)
  mpi,
  armci,
  dmapp,
  ugni,    ///< GNI_*, GPCD
  pmi,     ///< PMI_*, alps_*
  system,  ///< of the C library: sleeping, reading the clock
  others   ///< calls of a rank's other threads: their time is none of the main thread's
};
constexpr std::size_t call_groups = 7;  ///< that a main thread's time consists of
/// The name under which calls of a rank's other threads are counted.
std::string of_other_thread(std::string_view function);
/// By the function's name, as libraries give it to corespec::LibraryCall.
CallGroup group_of(std::string_view function);
/// "MPI"; of computing "USER", as CrayPat has it.
const char* name_of(CallGroup group);

/// What took a CPU from a rank's main thread while this had something to do.
enum class Loss : std::uint8_t {
  interrupts,  ///< handlers
  progress,    ///< progress threads and helper threads
  noise,       ///< daemons and the kernel's threads
  others       ///< other threads: of this rank, or of ranks that share the CPU
};
constexpr std::size_t losses = 4;
const char* name_of(Loss loss);

/// What a message is part of.
enum class MessageKind : std::uint8_t { point_to_point, collective, one_sided };
constexpr std::size_t message_kinds = 3;
const char* name_of(MessageKind kind);

/// One function, called by one rank.
struct CallStatistics {
  std::uint64_t calls = 0;
  corespec::Time time;
  corespec::Time longest;
  std::uint64_t messages = 0;  ///< that set out from within it: MPI's, and one-sided transfers
  std::uint64_t bytes = 0;
};

/// What the threads that a rank's libraries have started did: progress threads, helper threads.
struct ServiceStatistics {
  corespec::Time cpu_time;
  std::uint64_t turns = 0;     ///< times that one got a CPU
  std::uint64_t sent = 0;      ///< messages and transfers that set out there
  std::uint64_t received = 0;  ///< messages that were completed there
};

/// One rank. The time of its main thread is computing, what was taken from computing, and calls.
struct RankProfile {
  int rank = 0;
  int nid = 0;
  corespec::Time begin, end;          ///< of its main thread
  std::vector<CallStatistics> calls;  ///< by ProfileData::calls; may be shorter
  corespec::Time computing;           ///< without what was lost
  corespec::Time lock_waits;          ///< within calls
  std::array<corespec::Time, losses> lost_computing;
  std::array<corespec::Time, losses> lost_in_calls;  ///< is part of the calls' time
  ServiceStatistics service;
  /// Live, as the host counts: the main thread's CPU time, and how long it was ready and had no
  /// CPU. Virtual: the same of the modelled CPUs.
  corespec::Time cpu_time, without_cpu;
};

/// All ways in which messages went.
struct ProtocolStatistics {
  std::string name;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

struct ProfileData {
  std::vector<std::string> calls;    ///< names, in order of their first call
  std::vector<SizeHistogram> sizes;  ///< by call: of messages that set out there, all ranks
  std::array<SizeHistogram, message_kinds> sizes_by_kind;
  std::vector<ProtocolStatistics> protocols;
  std::vector<RankProfile> ranks;

  /// The number of a function, which may be new.
  std::size_t call(std::string_view function);
  ProtocolStatistics& protocol(std::string_view name);
  /// Adds other ranks of the same run.
  void add(const ProfileData& other);
};

}  // namespace launch
