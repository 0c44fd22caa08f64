// Completion-queue calls per second on a rank: an empty look, and an event put in and taken out.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>

#include "benchmarks/micro/rank_run.h"
#include "ugni_emu/include/gni_pub.h"
#include "ugni_emu/nic/completion_queue.h"

namespace {

constexpr std::uint8_t tag = 42;
constexpr std::uint32_t cookie = 1 << 24;
constexpr std::uint32_t entries = 1024;

/// Runs `body(queue)` on a rank with a communication domain and a queue of its own.
void on_rank(benchmark::State& state, const std::function<void(gni_cq_handle_t)>& body) {
  const char* error = engine_benchmark::run_ranks(1, 1, [&](int) {
    gni_cdm_handle_t domain = nullptr;
    gni_nic_handle_t nic = nullptr;
    gni_cq_handle_t queue = nullptr;
    std::uint32_t address = 0;
    if (GNI_CdmCreate(1, tag, cookie, 0, &domain) != GNI_RC_SUCCESS ||
        GNI_CdmAttach(domain, 0, &address, &nic) != GNI_RC_SUCCESS ||
        GNI_CqCreate(nic, entries, 0, GNI_CQ_NOBLOCK, nullptr, nullptr, &queue) != GNI_RC_SUCCESS) {
      state.SkipWithError("no completion queue");
      return;
    }
    body(queue);
    GNI_CdmDestroy(domain);
  });
  if (error != nullptr) state.SkipWithError(error);
}

void get_event_empty(benchmark::State& state) {
  on_rank(state, [&state](gni_cq_handle_t queue) {
    gni_cq_entry_t entry = 0;
    for (auto _ : state) benchmark::DoNotOptimize(GNI_CqGetEvent(queue, &entry));
    state.SetItemsProcessed(state.iterations());
  });
}
BENCHMARK(get_event_empty);

/// The queue holds `range` events; each round the NIC adds one and the rank takes the oldest.
void get_event(benchmark::State& state) {
  on_rank(state, [&state](gni_cq_handle_t handle) {
    auto& queue = *reinterpret_cast<nic::CompletionQueue*>(handle);
    for (std::int64_t i = 1; i < state.range(0); ++i) queue.push_remote(0);
    gni_cq_entry_t entry = 0;
    for (auto _ : state) {
      queue.push_remote(0);
      if (GNI_CqGetEvent(handle, &entry) != GNI_RC_SUCCESS) {
        state.SkipWithError("an event is missing");
        break;
      }
    }
    state.SetItemsProcessed(state.iterations());
  });
}
BENCHMARK(get_event)->Arg(1)->Arg(64)->Arg(1000);

}  // namespace
