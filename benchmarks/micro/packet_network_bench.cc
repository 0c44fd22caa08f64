// Packet-hops per CPU second of a network of a real machine's size, and what its packets and tiles
// take of memory.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "benchmarks/fidelity/network_load.h"
#include "ugni_emu/gemini/packet/tiles.h"
#include "ugni_emu/gemini/topology/make_topology.h"

namespace {

/// How often a packet of a request or of its response goes over a link.
std::uint64_t packet_hops(const gemini::Topology& topology, const fidelity::Load& load) {
  std::uint64_t hops = 0;
  for (const fidelity::Load::Put& put : load.puts) {
    hops += topology.hops(put.from, put.to) + topology.hops(put.to, put.from);
  }
  return hops * ((load.bytes + 63) / 64);
}

/// Every node of Hopper puts so many bytes to another one, drawn.
void random_puts(benchmark::State& state) {
  const std::shared_ptr<const gemini::Topology> topology = gemini::make_topology("hopper");
  const fidelity::Load load =
      fidelity::scatter(*topology, static_cast<std::uint32_t>(state.range(0)));
  std::uint64_t events = 0;
  std::size_t bytes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const std::size_t before = mallinfo2().uordblks;
    fidelity::LoadedNetwork network(topology, "packet");
    bytes = mallinfo2().uordblks - before;
    state.ResumeTiming();
    events += network.run(load).events;
  }
  const std::uint64_t hops = packet_hops(*topology, load) * state.iterations();
  const std::size_t tiles = std::size_t{topology->routers()} * gemini::kTiles;
  state.SetItemsProcessed(static_cast<std::int64_t>(hops));
  state.counters["events_per_hop"] = static_cast<double>(events) / static_cast<double>(hops);
  state.counters["bytes_per_packet"] = sizeof(gemini::Packet);
  state.counters["bytes_per_tile"] = static_cast<double>(bytes) / static_cast<double>(tiles);
}
BENCHMARK(random_puts)->Arg(64)->Arg(1024)->Arg(4096)->Unit(benchmark::kMillisecond);

}  // namespace
