// A node on the live clock with one rank to a process, for tests.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "corespec/live/live_node.h"
#include "tests/support/plain_job.h"

namespace castor_test {

using corespec::LiveClock;
using corespec::LiveDomain;
using corespec::LiveNode;
using corespec::Time;

class ExitingJob final : public PlainJob {
 public:
  using PlainJob::PlainJob;
  [[noreturn]] void abort(corespec::Process&, int code, std::string_view) override { _exit(code); }
};

/// Arrivals by a descriptor, as a wire brings them: a counter says what has come, and the
/// descriptor is written if the receiver has armed itself.
class FakeWire final : public corespec::ArrivalSource {
 public:
  FakeWire() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~FakeWire() { close(descriptor_); }
  FakeWire(const FakeWire&) = delete;
  FakeWire& operator=(const FakeWire&) = delete;

  /// By any thread or process that shares this memory.
  void send() {
    sent_.fetch_add(1);
    if (!armed_.load()) return;
    if (on_word_.load()) {
      word_.fetch_add(1);
      corespec::futex::wake_all(word_, corespec::futex::Scope::shared);
      return;
    }
    const std::uint64_t one = 1;
    ++rings_;
    ASSERT_EQ(write(descriptor_, &one, sizeof one), static_cast<ssize_t>(sizeof one));
  }
  std::uint64_t rings() const { return rings_.load(); }
  std::uint64_t taken() const { return taken_.load(); }
  bool armed() const { return armed_.load(); }
  /// Threads that are blocked may take arrivals in themselves.
  std::atomic<bool> has_word{false};
  /// Called for each arrival, holding the domain.
  std::function<void()> on_arrival;

  bool poll() override {
    std::uint64_t count = 0;
    if (armed_.load()) [[maybe_unused]]
      const ssize_t got = read(descriptor_, &count, sizeof count);
    bool any = false;
    while (taken_.load() < sent_.load()) {
      taken_.fetch_add(1);
      any = true;
      if (on_arrival) on_arrival();
    }
    return any;
  }
  void arm(Sleeper sleeper) override {
    on_word_.store(sleeper == Sleeper::waiter);
    armed_.store(true);
  }
  void set_waiter(const corespec::Guest& guest) override {
    const std::lock_guard<std::mutex> guard(guest_mutex_);
    guest_ = guest;
  }
  corespec::Guest guest() {
    const std::lock_guard<std::mutex> guard(guest_mutex_);
    return guest_;
  }
  corespec::futex::Word* word() override { return has_word.load() ? &word_ : nullptr; }
  void disarm() override { armed_.store(false); }
  bool quieten() override { return false; }
  std::vector<int> wait_descriptors() const override { return {descriptor_}; }

 private:
  std::mutex guest_mutex_;
  corespec::Guest guest_;
  int descriptor_;
  std::atomic<bool> armed_{false};
  std::atomic<bool> on_word_{false};
  corespec::futex::Word word_{0};
  std::atomic<std::uint64_t> sent_{0};
  std::atomic<std::uint64_t> taken_{0};
  std::atomic<std::uint64_t> rings_{0};
};

/// The processes of one node: memory that all of them find.
struct NodeFile {
  NodeFile() : fd(corespec::SharedNodeMemory::make_file()), pid(getpid()) {}
  ~NodeFile() { close(fd); }
  NodeFile(const NodeFile&) = delete;
  NodeFile& operator=(const NodeFile&) = delete;
  std::unique_ptr<corespec::SharedNodeMemory> open(const std::vector<int>& ranks = {0},
                                                   std::vector<int> pids = {}) const {
    if (pids.empty()) pids.assign(ranks.size(), getpid());
    return std::make_unique<corespec::SharedNodeMemory>(pid, fd, ranks, pids);
  }
  int fd;
  int pid;
};

/// One process's part of a node, with its NIC thread.
class LiveRig {
 public:
  explicit LiveRig(int ranks = 1, int service_cpus = 0)
      : LiveRig(NodeFile(), ranks, 0, service_cpus) {}
  LiveRig(const NodeFile& file, int ranks, int local_rank, int service_cpus = 0)
      : clock(LiveClock::host_nanoseconds()),
        domain(clock),
        job(ranks),
        node({0, local_rank, ranks}, job.parameters(), domain, file.open(),
             corespec::HostPlacement::make(corespec::HostCpus::of_this_host(),
                                           request(ranks, service_cpus), 0, 1, local_rank)),
        process(job, node, local_rank, local_rank) {
    domain.set_arrivals(&wire);
    node.start_service();
  }
  ~LiveRig() {
    node.stop_service();
    domain.set_arrivals(nullptr);
  }
  LiveRig(const LiveRig&) = delete;
  LiveRig& operator=(const LiveRig&) = delete;

  corespec::Thread& start(std::function<void()> body,
                          corespec::ThreadRole role = corespec::ThreadRole::application) {
    return node.start_thread(role, &process, std::move(body));
  }

  static corespec::PlacementRequest request(int ranks, int service_cpus) {
    corespec::PlacementRequest request;
    request.ranks_per_node = ranks;
    request.service_cpus = service_cpus;
    return request;
  }

  FakeWire wire;
  LiveClock clock;
  LiveDomain domain;
  ExitingJob job;
  LiveNode node;
  corespec::Process process;
};

/// Waits for a flag that belongs to the domain.
class Flag final : public corespec::InterruptWaiter {
 public:
  explicit Flag(LiveDomain& domain) : domain_(domain) {}
  bool ready() const override {
    ++looks;
    return set_;
  }
  void set(bool value = true) {
    const corespec::EventDomain::Hold hold(domain_);
    set_ = value;
  }
  mutable std::atomic<int> looks{0};

 private:
  LiveDomain& domain_;
  bool set_ = false;
};

/// Runs `body` in a child process; wait_for() returns its exit code, or minus the signal.
template <typename Body>
pid_t in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  return child;
}

inline int wait_for(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) return -1000;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// Where the kernel lets a thread run: its number, or 0 for the caller.
inline std::vector<int> affinity_of(int thread = 0) {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(thread, sizeof set, &set), 0);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

/// Lets other threads run until `condition` holds: a test's own time limit ends what never does.
template <typename Condition>
void until(Condition condition) {
  while (!condition()) usleep(200);
}

}  // namespace castor_test
