// MPI functions: epochs of windows.
#include <atomic>

#include "netmod/mpi/calls/call_scope.h"
#include "netmod/mpi/groups/communicators.h"
#include "netmod/mpi/windows/epochs.h"
#include "netmod/mpi/windows/window_call.h"

using netmod::check_pointer;
using netmod::Flush;
using netmod::RankState;
using netmod::Window;
using netmod::window_call;

extern "C" {

int PMPI_Win_fence(int assertion, MPI_Win win) {
  return window_call("MPI_Win_fence", win, [&](RankState& rank, Window& window) {
    netmod::fence(rank, window, assertion);
  });
}
NETMOD_PUBLISH(Win_fence);

int PMPI_Win_start(MPI_Group group, int assertion, MPI_Win win) {
  return window_call("MPI_Win_start", win, [&](RankState& rank, Window& window) {
    netmod::start_access(rank, window, rank.communicators().group(group), assertion);
  });
}
NETMOD_PUBLISH(Win_start);

int PMPI_Win_complete(MPI_Win win) {
  return window_call("MPI_Win_complete", win, netmod::complete_access);
}
NETMOD_PUBLISH(Win_complete);

int PMPI_Win_post(MPI_Group group, int assertion, MPI_Win win) {
  return window_call("MPI_Win_post", win, [&](RankState& rank, Window& window) {
    netmod::post_exposure(rank, window, rank.communicators().group(group), assertion);
  });
}
NETMOD_PUBLISH(Win_post);

int PMPI_Win_wait(MPI_Win win) { return window_call("MPI_Win_wait", win, netmod::wait_exposure); }
NETMOD_PUBLISH(Win_wait);

int PMPI_Win_test(MPI_Win win, int* flag) {
  return window_call("MPI_Win_test", win, [&](RankState& rank, Window& window) {
    check_pointer(flag, "flag");
    *flag = netmod::test_exposure(rank, window) ? 1 : 0;
  });
}
NETMOD_PUBLISH(Win_test);

int PMPI_Win_lock(int lock_type, int target, int assertion, MPI_Win win) {
  return window_call("MPI_Win_lock", win, [&](RankState& rank, Window& window) {
    netmod::lock(rank, window, lock_type, target, assertion);
  });
}
NETMOD_PUBLISH(Win_lock);

int PMPI_Win_unlock(int target, MPI_Win win) {
  return window_call("MPI_Win_unlock", win, [&](RankState& rank, Window& window) {
    netmod::unlock(rank, window, target);
  });
}
NETMOD_PUBLISH(Win_unlock);

int PMPI_Win_lock_all(int assertion, MPI_Win win) {
  return window_call("MPI_Win_lock_all", win, [&](RankState& rank, Window& window) {
    netmod::lock_all(rank, window, assertion);
  });
}
NETMOD_PUBLISH(Win_lock_all);

int PMPI_Win_unlock_all(MPI_Win win) {
  return window_call("MPI_Win_unlock_all", win, netmod::unlock_all);
}
NETMOD_PUBLISH(Win_unlock_all);

int PMPI_Win_flush(int target, MPI_Win win) {
  return window_call("MPI_Win_flush", win, [&](RankState& rank, Window& window) {
    netmod::flush(rank, window, target, Flush::remote);
  });
}
NETMOD_PUBLISH(Win_flush);

int PMPI_Win_flush_all(MPI_Win win) {
  return window_call("MPI_Win_flush_all", win, [](RankState& rank, Window& window) {
    netmod::flush_all(rank, window, Flush::remote);
  });
}
NETMOD_PUBLISH(Win_flush_all);

int PMPI_Win_flush_local(int target, MPI_Win win) {
  return window_call("MPI_Win_flush_local", win, [&](RankState& rank, Window& window) {
    netmod::flush(rank, window, target, Flush::local);
  });
}
NETMOD_PUBLISH(Win_flush_local);

int PMPI_Win_flush_local_all(MPI_Win win) {
  return window_call("MPI_Win_flush_local_all", win, [](RankState& rank, Window& window) {
    netmod::flush_all(rank, window, Flush::local);
  });
}
NETMOD_PUBLISH(Win_flush_local_all);

// Programs that wait for a store of another rank's call this: it makes progress.
int PMPI_Win_sync(MPI_Win win) {
  return window_call("MPI_Win_sync", win, [](RankState& rank, const Window&) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    rank.device().progress();
    std::atomic_thread_fence(std::memory_order_seq_cst);
  });
}
NETMOD_PUBLISH(Win_sync);

}  // extern "C"
