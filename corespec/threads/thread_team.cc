// Teams of threads.
#include "corespec/threads/thread_team.h"

#include "corespec/config/parameters.h"
#include "corespec/threads/node.h"

namespace corespec {

ThreadTeam::ThreadTeam(int threads) {
  Thread& caller = this_thread();
  try {
    for (int number = 1; number < threads; ++number) {
      others_.push_back(&caller.node().start_thread(ThreadRole::application, caller.process(),
                                                    [this, number] { work(number); }));
    }
  } catch (...) {
    end();  // those that wait in this object already
    throw;
  }
}

ThreadTeam::~ThreadTeam() { end(); }

void ThreadTeam::end() {
  body_ = nullptr;
  begin();
  for (Thread* thread : others_) this_thread().node().join(*thread);
}

void ThreadTeam::begin() {
  this_thread().sync();
  busy_.store(static_cast<int>(others_.size()), std::memory_order_release);
  begins_.notify();
}

// The body is the program's own, not a part of the library call around it.
void ThreadTeam::call(Body body, void* argument, int number) {
  const LibraryCall* const around = this_thread().library_call();
  this_thread().leave_library();
  body(argument, number);
  this_thread().enter_library(around);
}

void ThreadTeam::run(Body body, void* argument) {
  body_ = body;
  argument_ = argument;
  begin();
  call(body, argument, 0);
  Thread& caller = this_thread();
  const Parameters& parameters = caller.node().parameters();
  caller.sync();
  for (;;) {
    const std::uint64_t seen = ends_.epoch();
    if (busy_.load(std::memory_order_acquire) == 0) break;
    caller.spin(ends_, seen, parameters.poll_period);
  }
  if (!others_.empty()) caller.charge(parameters.shm_latency);
}

void ThreadTeam::work(int number) {
  Thread& thread = this_thread();
  const LibraryCall call_of_team;
  const Parameters& parameters = thread.node().parameters();
  for (std::uint64_t regions = 0;; ++regions) {
    while (begins_.epoch() == regions) thread.spin(begins_, regions, parameters.poll_period);
    if (body_ == nullptr) return;
    thread.charge(parameters.shm_latency);
    call(body_, argument_, number);
    thread.sync();
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) ends_.notify();
  }
}

}  // namespace corespec
