// Starting, binding and joining POSIX threads.
#include "corespec/host/os_thread.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace corespec {
namespace {

/// A set of CPUs of any size.
class CpuSet {
 public:
  /// Room for CPUs below `count`.
  explicit CpuSet(int count)
      : count_(count), set_(CPU_ALLOC(static_cast<std::size_t>(count_)), &CpuSet::free) {
    CPU_ZERO_S(bytes(), set_.get());
  }
  explicit CpuSet(const std::vector<int>& cpus)
      : CpuSet(cpus.empty() ? 1 : *std::max_element(cpus.begin(), cpus.end()) + 1) {
    for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), bytes(), set_.get());
  }
  std::size_t bytes() const { return CPU_ALLOC_SIZE(static_cast<std::size_t>(count_)); }
  cpu_set_t* get() const { return set_.get(); }
  bool has(int cpu) const {
    return CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes(), set_.get());
  }

 private:
  static void free(cpu_set_t* set) { CPU_FREE(set); }

  int count_;
  std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set_;
};

class Attributes {
 public:
  Attributes() { pthread_attr_init(&attributes_); }
  ~Attributes() { pthread_attr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  pthread_attr_t* get() { return &attributes_; }

 private:
  pthread_attr_t attributes_;
};

/// Keeps from the calling thread, and from those it starts meanwhile, all signals but those that
/// an instruction of its own raises.
class WithoutSignals {
 public:
  explicit WithoutSignals(bool wanted) : wanted_(wanted) {
    if (!wanted_) return;
    sigset_t all;
    sigfillset(&all);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT}) {
      sigdelset(&all, own);
    }
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~WithoutSignals() {
    if (wanted_) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

 private:
  bool wanted_;
  sigset_t before_{};
};

/// The kernel's struct sched_attr, which the C library does not have.
struct SchedulingAttributes {
  std::uint32_t size;
  std::uint32_t policy;
  std::uint64_t flags;
  std::int32_t nice;
  std::uint32_t priority;
  std::uint64_t runtime;
  std::uint64_t deadline;
  std::uint64_t period;
};

/// Of two threads of a CPU the one with the shorter slice takes it from the other when it wakes up.
/// A host that refuses this is only slower.
void take_short_turns() {
  constexpr std::uint64_t shortest_slice_ns = 100'000;
  SchedulingAttributes attributes{};
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return;
  if (attributes.policy != SCHED_OTHER) return;  // the user has chosen otherwise
  attributes.size = sizeof attributes;
  attributes.runtime = shortest_slice_ns;
  syscall(SYS_sched_setattr, 0, &attributes, 0);
}

}  // namespace

OsThread::OsThread(const Options& options, std::function<void()> body)
    : body_(std::move(body)),
      exact_deadlines_(options.exact_deadlines),
      short_turns_(options.short_turns) {
  Attributes attributes;
  if (!options.cpus.empty()) {
    const CpuSet set(options.cpus);
    pthread_attr_setaffinity_np(attributes.get(), set.bytes(), set.get());
  }
  const WithoutSignals guard(!options.takes_signals);
  int error = pthread_create(&handle_, attributes.get(), &OsThread::main, this);
  // A CPU that has gone meanwhile is no reason not to run.
  if (error == EINVAL) error = pthread_create(&handle_, nullptr, &OsThread::main, this);
  if (error != 0) {
    throw std::runtime_error(
        fmt::format("cannot start thread '{}': {}", options.name, std::strerror(error)));
  }
  pthread_setname_np(handle_, options.name.c_str());
}

OsThread::~OsThread() { join(); }

void OsThread::join() {
  if (!joined_) pthread_join(handle_, nullptr);
  joined_ = true;
}

void* OsThread::main(void* self) {
  auto& thread = *static_cast<OsThread*>(self);
  if (thread.short_turns_) take_short_turns();
  if (thread.exact_deadlines_) prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  thread.body_();
  return nullptr;
}

bool OsThread::bind_caller(const std::vector<int>& cpus) {
  if (cpus.empty()) return true;
  const CpuSet set(cpus);
  return sched_setaffinity(0, set.bytes(), set.get()) == 0;
}

bool OsThread::bind(int id, int cpu) {
  const CpuSet set(std::vector<int>{cpu});
  return sched_setaffinity(id, set.bytes(), set.get()) == 0;
}

std::vector<int> OsThread::cpus_of_caller() {
  // The kernel refuses a set that is smaller than its own.
  for (int count = 1024; count <= 1 << 20; count *= 2) {
    const CpuSet set(count);
    if (sched_getaffinity(0, set.bytes(), set.get()) != 0) continue;
    std::vector<int> cpus;
    for (int cpu = 0; cpu < count; ++cpu) {
      if (set.has(cpu)) cpus.push_back(cpu);
    }
    return cpus;
  }
  return {};
}

/// The 50 us are those by which the kernel may round a thread's timers up.
void OsThread::rest(std::int64_t nanoseconds) {
  constexpr std::int64_t ns_per_s = 1'000'000'000;
  const timespec least{nanoseconds / ns_per_s, nanoseconds % ns_per_s};
  const WithoutCancellation without_cancellation;
  clock_nanosleep(CLOCK_MONOTONIC, 0, &least, nullptr);
}

int OsThread::caller_id() { return static_cast<int>(syscall(SYS_gettid)); }

}  // namespace corespec
