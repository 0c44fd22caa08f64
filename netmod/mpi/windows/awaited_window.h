// What a wait in a window's epoch is for, as text for people.
#pragma once

#include <string>

#include "corespec/threads/situation.h"
#include "netmod/mpi/windows/window.h"

namespace netmod {

class RankState;

/// A wait for a window's transfers, for the ends of others' epochs, or for a rank's lock there.
class AwaitedWindow final : public corespec::Awaited {
 public:
  AwaitedWindow(RankState& rank, const Window& window, int lock_of = -1)
      : Awaited(corespec::this_thread()), rank_(rank), window_(window), lock_of_(lock_of) {}
  bool describe(corespec::Situation& to) const override;

 private:
  RankState& rank_;
  const Window& window_;
  int lock_of_;  ///< rank of the window; -1: another wait
};

/// The lock of a rank of the window, as situations name it.
std::string lock_name(const Window& window, int job_rank);

}  // namespace netmod
