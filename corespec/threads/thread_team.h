// A rank's team of threads: runs a body on all of them, and waits for all.
#pragma once

#include <atomic>
#include <vector>

#include "corespec/threads/signal.h"
#include "corespec/threads/thread.h"

namespace corespec {

/// What OpenMP's parallel regions ask of threads, on the modelled CPUs of a rank: the thread that
/// makes the team is thread 0, the others are started with it and poll between regions, as
/// OpenMP's do with OMP_WAIT_POLICY=active: each keeps the CPU that it was given busy. A region
/// costs a cache line from one core to another at its beginning and at its end
/// (CASTOR_SHM_LATENCY).
class ThreadTeam {
 public:
  using Body = void (*)(void* argument, int thread);

  /// `threads` in all, at least 1. Called by a thread of a rank, which alone uses the team.
  explicit ThreadTeam(int threads);
  /// Ends the other threads and waits for them.
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  /// body(argument, 0) on the caller, body(argument, i) on thread i; returns when all have.
  void run(Body body, void* argument);

 private:
  void work(int number);
  void begin();
  void end();
  static void call(Body body, void* argument, int number);

  std::vector<Thread*> others_;
  Signal begins_;
  Signal ends_;
  std::atomic<int> busy_{0};
  Body body_ = nullptr;  ///< null: the end
  void* argument_ = nullptr;
};

}  // namespace corespec
