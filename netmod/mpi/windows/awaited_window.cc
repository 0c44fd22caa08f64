// What a wait in a window's epoch is for, as text for people.
#include "netmod/mpi/windows/awaited_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "corespec/host/printable.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/groups/people.h"

namespace netmod {
namespace {

using corespec::Situation;

std::string window_text(const Window& window) {
  if (!window.extras.name.empty())
    return fmt::format("window \"{}\"", corespec::printable(window.extras.name));
  if (window.members == nullptr) return "a window";
  return fmt::format("a window of {} ranks", window.members->size());
}

}  // namespace

std::string lock_name(const Window& window, int job_rank) {
  return fmt::format("MPI window {} {}", people::meeting_place(*window.members), job_rank);
}

bool AwaitedWindow::describe(Situation& to) const {
  const Communicator& members = *window_.members;
  to.details = " on " + window_text(window_);
  if (lock_of_ >= 0) {
    to.details += fmt::format(", for the lock of {}", people::peer_text(rank_, &members, lock_of_));
    to.wants = lock_name(window_, members.group.job_rank(lock_of_));
    return true;
  }
  std::vector<std::string> origins;
  for (const Request* request : window_.epochs.completions) {
    if (request->complete()) continue;
    origins.push_back(
        people::peer_text(rank_, &members, rank_.device().pending(*request).envelope.source));
  }
  if (origins.empty()) return true;
  const std::size_t more = origins.size() - std::min(origins.size(), people::most_lines);
  origins.resize(origins.size() - more);
  to.details += fmt::format(", for MPI_Win_complete of {}", fmt::join(origins, ", "));
  if (more != 0) to.details += fmt::format(" and {} more", more);
  return true;
}

}  // namespace netmod
