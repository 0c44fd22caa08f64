// Interposed libc: the CPUs of the node, which for a rank are the modelled ones.
#include <pthread.h>
#include <sched.h>
#include <sys/sysinfo.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "launch/libc/cpu_host.h"
#include "launch/libc/real.h"

using corespec::Thread;
using launch::CpuHost;
using launch::RankPart;
using launch::RankProgram;
using launch::real_function;
using launch::running_program_or_null;

namespace {

/// A rank that asks, on a thread of its own: not if its CPUs are the host's.
struct Asking {
  RankProgram* program = running_program_or_null();
  Thread* thread = corespec::this_thread_or_null();

  explicit operator bool() const {
    return program != nullptr && program->cpu_host != nullptr && thread != nullptr;
  }
  const CpuHost::Cpus& cpus() const { return program->cpu_host->cpus(*thread); }
  const std::vector<int>& allowed() const { return program->cpu_host->allowed(*thread); }
  /// Programs know a CPU by the operating system's number.
  const corespec::NodeTopology::Cpu& here() const {
    thread->sync();
    return cpus()[static_cast<std::size_t>(thread->cpu())];
  }
};

/// CPUs that a rank has asked for: what its thread is bound to has to stay.
class AskedCpus final : public RankPart {
 public:
  const std::vector<int>& keep(std::vector<int> cpus) {
    sets_.push_back(std::make_unique<std::vector<int>>(std::move(cpus)));
    return *sets_.back();
  }
  void program_ended() override {}

 private:
  std::vector<std::unique_ptr<std::vector<int>>> sets_;
};

// A mask is as many bytes as its caller says, its bits those of whole words.
constexpr std::size_t word = sizeof(unsigned long);

/// The error, or 0.
int affinity_of(const Asking& rank, std::size_t bytes, cpu_set_t* mask) {
  const CpuHost::Cpus& cpus = rank.cpus();
  if (bytes % word != 0 || bytes * CHAR_BIT < cpus.size()) return EINVAL;
  if (mask == nullptr) return EFAULT;
  std::memset(mask, 0, bytes);
  for (const int cpu : rank.allowed()) {
    CPU_SET_S(cpus[static_cast<std::size_t>(cpu)].os_index, bytes, mask);
  }
  return 0;
}

/// The error, or 0. What the node has not is left out, as the kernel does; nothing left is an
/// error.
int bind_to(const Asking& rank, std::size_t bytes, const cpu_set_t* mask) {
  if (mask == nullptr) return EFAULT;
  const CpuHost::Cpus& cpus = rank.cpus();
  std::vector<int> asked;
  for (std::size_t cpu = 0; cpu < cpus.size(); ++cpu) {
    if (CPU_ISSET_S(cpus[cpu].os_index, bytes, mask) != 0) asked.push_back(static_cast<int>(cpu));
  }
  if (asked.empty()) return EINVAL;
  if (asked == rank.allowed()) return 0;
  std::unique_ptr<RankPart>& part = rank.program->asked_cpus;
  if (part == nullptr) part = std::make_unique<AskedCpus>();
  rank.program->cpu_host->run_on(*rank.thread,
                                 static_cast<AskedCpus&>(*part).keep(std::move(asked)));
  return 0;
}

int as_result(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

/// True if the number names the calling process or thread.
bool is_caller(pid_t id) { return id == 0 || id == getpid() || id == gettid(); }

}  // namespace

extern "C" {

long sysconf(int name) noexcept {
  static const auto real = real_function<long(int)>("sysconf");
  if (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF) {
    const Asking rank;
    if (rank) return static_cast<long>(rank.cpus().size());
  }
  return real(name);
}

int get_nprocs() noexcept { return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)); }
int get_nprocs_conf() noexcept { return static_cast<int>(sysconf(_SC_NPROCESSORS_CONF)); }

int sched_getaffinity(pid_t pid, std::size_t bytes, cpu_set_t* mask) noexcept {
  static const auto real = real_function<int(pid_t, std::size_t, cpu_set_t*)>("sched_getaffinity");
  const Asking rank;
  if (!rank || !is_caller(pid)) return real(pid, bytes, mask);
  return as_result(affinity_of(rank, bytes, mask));
}

int sched_setaffinity(pid_t pid, std::size_t bytes, const cpu_set_t* mask) noexcept {
  static const auto real =
      real_function<int(pid_t, std::size_t, const cpu_set_t*)>("sched_setaffinity");
  const Asking rank;
  if (!rank || !is_caller(pid)) return real(pid, bytes, mask);
  return as_result(bind_to(rank, bytes, mask));
}

int pthread_getaffinity_np(pthread_t of, std::size_t bytes, cpu_set_t* mask) noexcept {
  static const auto real =
      real_function<int(pthread_t, std::size_t, cpu_set_t*)>("pthread_getaffinity_np");
  const Asking rank;
  if (!rank || of != pthread_self()) return real(of, bytes, mask);
  return affinity_of(rank, bytes, mask);
}

int pthread_setaffinity_np(pthread_t of, std::size_t bytes, const cpu_set_t* mask) noexcept {
  static const auto real =
      real_function<int(pthread_t, std::size_t, const cpu_set_t*)>("pthread_setaffinity_np");
  const Asking rank;
  if (!rank || of != pthread_self()) return real(of, bytes, mask);
  return bind_to(rank, bytes, mask);
}

int sched_getcpu() noexcept {
  static const auto real = real_function<int()>("sched_getcpu");
  const Asking rank;
  if (!rank) return real();
  return rank.here().os_index;
}

int getcpu(unsigned* cpu, unsigned* numa_node) noexcept {
  static const auto real = real_function<int(unsigned*, unsigned*)>("getcpu");
  const Asking rank;
  if (!rank) return real(cpu, numa_node);
  const corespec::NodeTopology::Cpu& here = rank.here();
  if (cpu != nullptr) *cpu = static_cast<unsigned>(here.os_index);
  if (numa_node != nullptr) *numa_node = static_cast<unsigned>(here.numa_node);
  return 0;
}

}  // extern "C"
