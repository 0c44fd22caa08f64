// Seam 5, launch: who am I, exchange of start-up data, output, abort, end.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corespec/job/process.h"
#include "corespec/threads/signal.h"

namespace corespec {

struct Parameters;

/// What a rank does for others while it waits for all of them in Job::barrier(). The waiting thread
/// and the node's events ask for it.
class BarrierService {
 public:
  /// Notified when there may be something to do.
  virtual const Signal& signal() const = 0;
  /// True if there is, whenever the signal has been notified. Looks only.
  virtual bool due() const = 0;
  /// Does it, on the waiting thread. Never blocks.
  virtual void serve() = 0;

 protected:
  ~BarrierService() = default;
};

/// A job: the ranks that one launch started. All functions that wait are called by a rank's own
/// thread and carry a modelled delay in virtual time.
class Job {
 public:
  virtual ~Job() = default;

  virtual int size() const = 0;
  virtual std::uint64_t apid() const = 0;
  /// Node (nid) of a rank.
  virtual int nid_of(int rank) const = 0;
  /// How many ranks each node has, if ranks fill nodes in order (the last may have fewer); 0 if
  /// not.
  virtual int ranks_per_node() const { return 0; }
  /// Rank's number among the job's ranks of its node.
  virtual int local_rank_of(int rank) const = 0;
  /// The job's ranks on a node, in ascending order.
  virtual std::vector<int> ranks_on(int nid) const = 0;
  /// Protection tag and cookie under which the job's NIC domains talk: as the one job that a
  /// machine runs, the first that GNI leaves to users (GNI_PTAG_USER_START, GNI_PKEY_USER_START).
  static constexpr std::uint8_t user_ptag = 3;
  static constexpr std::uint32_t user_cookie = 128U << 16;
  virtual std::uint8_t ptag() const { return user_ptag; }
  virtual std::uint32_t cookie() const { return user_cookie; }
  virtual const Parameters& parameters() const = 0;

  /// Returns when every rank has called it. Meanwhile the rank serves others, if it is told how.
  void barrier(Process& caller) { barrier(caller, nullptr); }
  virtual void barrier(Process& caller, BarrierService* service) = 0;
  /// Every rank gives `in`; `out` receives all of them in rank order (size() x in.size() bytes).
  virtual void allgather(Process& caller, std::span<const std::byte> in,
                         std::span<std::byte> out) = 0;
  /// Key-value space: values put before a barrier can be read after it. False if absent.
  virtual void put(Process& caller, std::string_view key, std::string_view value) = 0;
  virtual bool get(Process& caller, std::string_view key, std::string& value) = 0;

  /// Ends the whole job with `code`; `why` becomes one line on standard error, behind the caller's
  /// rank. Does not return to the caller.
  [[noreturn]] virtual void abort(Process& caller, int code, std::string_view why) = 0;

  /// One line to the job's standard error, not through the program's own streams.
  virtual void report(Process& caller, std::string_view line) = 0;
};

}  // namespace corespec
