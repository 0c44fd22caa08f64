// What a thread of a rank is doing, as text for people, and what it waits for.
#pragma once

#include <string>
#include <vector>

#include "corespec/threads/thread.h"

namespace corespec {

/// "MPI_Recv" "of 4 bytes from rank 1, tag 5, MPI_COMM_WORLD", and below it notes, a line each.
struct Situation {
  std::string call;     ///< the library call that the thread is in; empty: the program's own code
  std::string details;  ///< of the call; empty if nothing more is known
  std::vector<std::string> notes;

  /// Details and notes name a rank of the job by this where its number is the only difference
  /// between ranks that do the same: such ranks can then be said together (SituationGroups).
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
  explicit Awaited(Thread& thread) : thread_(thread), outer_(thread.awaited_) {
    thread_.awaited_ = this;
  }
  ~Awaited() { thread_.awaited_ = outer_; }

 private:
  Thread& thread_;
  const Awaited* outer_;
};

/// The call and the wait of a thread, and what the libraries know of its rank. Under the same
/// condition as Awaited::describe().
Situation situation_of(const Thread& thread);

}  // namespace corespec
