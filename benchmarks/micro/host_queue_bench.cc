// The live wire's queue between two processes of a host, and what the host takes for a line.
#include "ugni_emu/fabric/host/host_queue.h"

#include <benchmark/benchmark.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "benchmarks/micro/two_cpus.h"
#include "corespec/host/os_thread.h"

namespace {

using corespec::OsThread;
using engine_benchmark::TwoCpus;
using ugni::fabric::HostQueue;
using ugni::fabric::HostQueueReader;
using ugni::fabric::HostQueueWriter;

void write_and_read(benchmark::State& state) {
  const auto queue = std::make_unique<HostQueue::Shared>();
  HostQueueWriter writer(*queue);
  HostQueueReader reader(*queue);
  const std::vector<std::byte> message(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    writer.write(message);
    benchmark::DoNotOptimize(reader.look().data());
    reader.next();
  }
}
BENCHMARK(write_and_read)->Arg(8)->Arg(240)->Arg(4096);

/// Times `there_and_back` on one CPU, while `answer` runs on another until told to stop.
void between_cpus(benchmark::State& state, const std::function<void()>& there_and_back,
                  const std::function<void(const std::atomic<bool>&)>& answer) {
  const TwoCpus cpus(state);
  if (!cpus.found()) return;
  std::atomic<bool> stop{false};
  OsThread other(cpus.other(), [&] { answer(stop); });
  for (auto _ : state) there_and_back();
  stop = true;
  other.join();
}

/// A message there, one back.
void round_trip(benchmark::State& state) {
  const auto there = std::make_unique<HostQueue::Shared>();
  const auto back = std::make_unique<HostQueue::Shared>();
  const std::vector<std::byte> message(static_cast<std::size_t>(state.range(0)));
  HostQueueWriter writer(*there);
  HostQueueReader reader(*back);
  between_cpus(
      state,
      [&] {
        writer.write(message);
        while (reader.look().empty()) {
        }
        reader.next();
      },
      [&](const std::atomic<bool>& stop) {
        HostQueueReader requests(*there);
        HostQueueWriter answers(*back);
        while (!stop.load(std::memory_order_relaxed)) {
          if (requests.look().empty()) continue;
          requests.next();
          answers.write(message);
        }
      });
}
BENCHMARK(round_trip)->Arg(8)->Arg(240)->Arg(4096);

/// The same with nothing but one word of one line.
void line_round_trip(benchmark::State& state) {
  alignas(HostQueue::line) std::atomic<std::uint64_t> word{0};
  std::uint64_t count = 0;
  between_cpus(
      state,
      [&] {
        word.store(++count, std::memory_order_release);
        ++count;
        while (word.load(std::memory_order_acquire) != count) {
        }
      },
      [&](const std::atomic<bool>& stop) {
        while (!stop.load(std::memory_order_relaxed)) {
          const std::uint64_t seen = word.load(std::memory_order_acquire);
          if (seen % 2 != 0) word.store(seen + 1, std::memory_order_release);
        }
      });
}
BENCHMARK(line_round_trip);

}  // namespace
