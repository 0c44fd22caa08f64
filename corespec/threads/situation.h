// What a thread of a rank is doing, as text for people, and what it waits for.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "corespec/threads/thread.h"

namespace corespec {

/// "MPI_Recv" and ": receive of up to 4 bytes from rank 1, tag 5, MPI_COMM_WORLD", and notes below
/// it, a line each. What other ranks must add is told as facts, by names that all ranks make alike.
struct Situation {
  std::string call;     ///< the library call that the thread is in; empty: the program's own code
  std::string details;  ///< what follows the call at once; empty if nothing more is known
  std::vector<std::string> notes;
  /// Where the thread's calls were made from (corespec/threads/calling_context.h), the innermost
  /// first, of a thread that describes itself; and the same as text: launch/symbols/code_place.h.
  std::vector<void*> context;
  std::string place;

  /// Where ranks meet (a communicator, the job): how many collective calls this rank has entered
  /// there so far, and the last one.
  struct Entered {
    std::uint64_t calls = 0;
    std::string last;
  };
  std::map<std::string, Entered> entered;
  /// The thread is in the collective call number `number` there, and waits for other members.
  struct Meeting {
    std::string where;
    std::string call;  ///< the collective; may have been begun by another call than the present one
    std::uint64_t number = 0;
    std::function<std::vector<int>()> members;  ///< ranks of the job
  };
  std::optional<Meeting> meeting;

  /// No thread of the rank goes on: `details` says why, others wait for it in vain, and what it had
  /// done is not known.
  bool gone = false;

  /// While others run: the lock that the looker holds, null if none. What another lock protects is
  /// not looked at, and then not all facts are known.
  bool alone = true;
  const Mutex* held = nullptr;
  bool may_look(const Mutex* lock) const { return alone || lock == nullptr || lock == held; }
  bool facts_known = true;

  std::vector<std::string> holds;  ///< locks
  std::string wants;               ///< the lock that the thread waits for; empty: none

  /// A rank of the job, in `details` and `notes`. Ranks whose texts differ only in such numbers can
  /// be said together.
  static std::string rank(int number);
  static constexpr char rank_begins = '\x01';
  static constexpr char rank_ends = '\x02';
};

/// While it exists, the calling thread waits inside a library call for what describe() says. Of
/// several, one inside the other, the outermost that has something to say is heard. Made where a
/// thread begins to wait, not once a call.
class Awaited {
 public:
  /// Called by the waiting thread itself, or while no thread of the machine runs: looks, changes
  /// nothing. False: it has nothing to say.
  virtual bool describe(Situation& to) const = 0;
  const Awaited* outer() const { return outer_; }

  Awaited(const Awaited&) = delete;
  Awaited& operator=(const Awaited&) = delete;

 protected:
  explicit Awaited(const Thread& thread) : call_(thread.library_call()) {
    if (call_ != nullptr) outer_ = std::exchange(call_->awaited_, this);
  }
  ~Awaited() {
    if (call_ != nullptr) call_->awaited_ = outer_;
  }

 private:
  const LibraryCall* call_;  ///< null: no report will ask
  const Awaited* outer_ = nullptr;
};

/// The call and the wait of a thread, and what the libraries know of its rank: while no thread
/// runs.
Situation situation_of(const Thread& thread);
/// The same of the calling thread, which holds `held` (null: no lock), with its context.
Situation own_situation(const Thread& thread, const Mutex* held);

}  // namespace corespec
