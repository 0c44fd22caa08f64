// What the host takes for waking a sleeping thread: the floor under a progress thread's overhead.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "benchmarks/micro/two_cpus.h"
#include "corespec/host/futex.h"
#include "corespec/host/os_thread.h"
#include "corespec/live/live_clock.h"

namespace {

using corespec::OsThread;
using corespec::futex::Scope;
using corespec::futex::Word;
using engine_benchmark::TwoCpus;

std::int64_t nanoseconds() { return corespec::LiveClock::host_nanoseconds(); }

/// Reads the clock all the time; a step that took long was another thread's.
class Computing {
 public:
  void run() {
    constexpr std::int64_t longest_own_step = 1'000;
    std::int64_t last = nanoseconds();
    while (!stop.load(std::memory_order_relaxed)) {
      const std::int64_t now = nanoseconds();
      if (now - last > longest_own_step) taken.fetch_add(now - last, std::memory_order_relaxed);
      last = now;
    }
  }
  std::atomic<bool> stop{false};
  std::atomic<std::int64_t> taken{0};  ///< nanoseconds
};

/// Of one thread, every 100 us, by another CPU; it does nothing but go to sleep again. One thread
/// computes on its CPU (`computes`), or none.
void wake_up(benchmark::State& state, bool computes) {
  constexpr std::int64_t gap = 100'000;
  const TwoCpus cpus(state);
  if (!cpus.found()) return;

  Word word{0};
  std::atomic<bool> stop{false};
  std::atomic<std::int64_t> woken{0};
  OsThread sleeper(cpus.other(), [&] {
    while (!stop.load()) {
      const std::uint32_t seen = word.load();
      if (!stop.load()) corespec::futex::wait(word, seen, Scope::shared);
      woken.fetch_add(1, std::memory_order_relaxed);
    }
  });
  Computing computing;
  computing.stop = !computes;
  OsThread computer(cpus.other(), [&] { computing.run(); });

  const std::int64_t taken_before = computing.taken.load();
  const std::int64_t woken_before = woken.load();
  for (auto _ : state) {
    const std::int64_t start = nanoseconds();
    while (nanoseconds() - start < gap) {
    }
    const std::int64_t before = nanoseconds();
    word.fetch_add(1);
    corespec::futex::wake_all(word, Scope::shared);
    state.SetIterationTime(static_cast<double>(nanoseconds() - before) * 1e-9);
  }
  const auto times = static_cast<double>(std::max<std::int64_t>(1, woken.load() - woken_before));
  state.counters["taken_us"] =
      static_cast<double>(computing.taken.load() - taken_before) / times * 1e-3;
  computing.stop = true;
  stop = true;
  word.fetch_add(1);
  corespec::futex::wake_all(word, Scope::shared);
  computer.join();
  sleeper.join();
}

BENCHMARK_CAPTURE(wake_up, beside_computing, true)->UseManualTime()->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(wake_up, of_an_idle_cpu, false)->UseManualTime()->Unit(benchmark::kMicrosecond);

}  // namespace
