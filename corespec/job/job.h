// Seam 5, launch: a rank's own number and place, exchange of start-up data, output, abort, end.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corespec/threads/process.h"
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
  /// The job's ranks on a node, by their local numbers: ascending unless ranks were reordered.
  virtual std::vector<int> ranks_on(int nid) const = 0;
  /// The rank with local number 0 on the node of `rank`.
  virtual int leader_of(int rank) const { return ranks_on(nid_of(rank)).front(); }
  /// The lowest rank of each node, ascending. Null: not known, or ranks fill nodes in order.
  virtual const std::vector<int>* lowest_ranks() const { return nullptr; }
  /// The number that the launcher has given the process: its rank unless ranks were reordered.
  virtual int place_of(int rank) const { return rank; }
  /// Protection tag and cookie under which the job's NIC domains talk: as the one job that a
  /// machine runs, the first that GNI leaves to users (GNI_PTAG_USER_START, GNI_PKEY_USER_START).
  static constexpr std::uint8_t user_ptag = 3;
  static constexpr std::uint32_t user_cookie = 128U << 16;
  virtual std::uint8_t ptag() const { return user_ptag; }
  virtual std::uint32_t cookie() const { return user_cookie; }
  virtual const Parameters& parameters() const = 0;

  /// Returns when every rank has called it. Meanwhile the rank serves others, if it is told how: by
  /// `service`, or as its process has been told.
  void barrier(Process& caller);
  virtual void barrier(Process& caller, BarrierService* service) = 0;
  using Take = std::function<void(int rank, std::span<const std::byte> given)>;
  /// Every rank gives `in`, of a size of its own; `take` gets all of them in rank order. Throws
  /// std::runtime_error at all that have called it if others have called barrier() instead: its
  /// text is for people, and empty at all ranks but one.
  virtual void exchange(Process& caller, std::span<const std::byte> in, const Take& take) = 0;
  /// The same of equal sizes; `out` receives size() x in.size() bytes. Throws in the same way if
  /// they are not equal.
  void allgather(Process& caller, std::span<const std::byte> in, std::span<std::byte> out);
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
