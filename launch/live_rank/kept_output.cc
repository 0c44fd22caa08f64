// What a rank of a live job has printed leaves its process, however that ends.
#include "launch/live_rank/kept_output.h"

#include <poll.h>
#include <stdio_ext.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>

#include "corespec/host/os_thread.h"

namespace launch {
namespace {

/// A signal handler has no other way to the serving thread.
std::atomic<int> requests{-1};
std::atomic<int> answers{-1};

/// For a thread to leave printf() or its like.
constexpr int looks = 100;
constexpr std::int64_t between_looks_ns = 1'000'000;
/// A handler waits longer than all looks take.
constexpr int patience_ms = 500;

int new_event() { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void ring(int event) {
  const std::uint64_t one = 1;
  syscall(SYS_write, event, &one, sizeof one);
}

void take(int event) {
  std::uint64_t times = 0;
  syscall(SYS_read, event, &times, sizeof times);
}

/// Has stdout hand on each line. What the program printed before goes out.
void hand_on_lines() {
  std::fflush(stdout);
  const bool buffers_nothing = __fbufsize(stdout) == 1;
  if (buffers_nothing || __flbf(stdout) != 0 || isatty(STDOUT_FILENO) == 1) return;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
}

}  // namespace

KeptOutput::KeptOutput() : requests_(new_event()), answers_(new_event()) {
  hand_on_lines();
  requests.store(requests_, std::memory_order_relaxed);
  answers.store(answers_, std::memory_order_relaxed);
}

KeptOutput::~KeptOutput() {
  requests.store(-1, std::memory_order_relaxed);
  answers.store(-1, std::memory_order_relaxed);
  close(requests_);
  close(answers_);
}

void KeptOutput::flush() {
  for (int look = 0; look < looks; ++look) {
    if (ftrylockfile(stdout) == 0) {
      fflush_unlocked(stdout);
      funlockfile(stdout);
      return;
    }
    corespec::OsThread::rest(between_looks_ns);
  }
}

void KeptOutput::request() {
  const int request = requests.load(std::memory_order_relaxed);
  const int answer = answers.load(std::memory_order_relaxed);
  if (request < 0 || answer < 0) return;
  take(answer);
  ring(request);
  pollfd ready{answer, POLLIN, 0};
  poll(&ready, 1, patience_ms);
}

void KeptOutput::serve() const {
  take(requests_);
  flush();
  ring(answers_);
}

}  // namespace launch
