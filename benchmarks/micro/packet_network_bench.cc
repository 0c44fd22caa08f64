// Packet-hops per CPU second of a network of a real machine's size, and what its packets and tiles
// take of memory.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "corespec/config/parameters.h"
#include "corespec/virtual/engine.h"
#include "ugni_emu/gemini/make_network.h"
#include "ugni_emu/gemini/packet/tiles.h"
#include "ugni_emu/gemini/topology/make_topology.h"

namespace {

using corespec::Time;
using gemini::Nid;

/// A NIC that takes everything.
class Sink final : public ugni::WireClient {
 public:
  void read_source(ugni::Transaction&, std::uint64_t, std::span<std::byte> into) override {
    std::memset(into.data(), 1, into.size());
  }
  bool awaits_sent(const ugni::Transaction&) override { return false; }
  void request_sent(const ugni::Transaction&) override {}
  ugni::ResponseStatus request_arrived(ugni::SegmentView) override {
    return ugni::ResponseStatus::ok;
  }
  void response_arrived(ugni::SegmentView) override {}
};

/// A network as a run has it: the nodes of four routers in a domain, and these routers in one.
class LoadedNetwork {
 public:
  LoadedNetwork(const std::string& system, const std::string& fidelity)
      : topology_(gemini::make_topology(system)) {
    corespec::Parameters parameters;
    parameters.fidelity = fidelity;
    const gemini::NetworkNeeds needs = gemini::network_needs(parameters);
    const std::size_t before = mallinfo2().uordblks;
    gemini::NetworkDomains places;
    places.nodes = [&](gemini::RouterId router) -> corespec::EventDomain& {
      if (router % block == 0) nodes_.push_back(&engine_.add_domain());
      return *nodes_.back();
    };
    places.router = [&](gemini::RouterId router) -> corespec::EventDomain& {
      if (needs.lanes ? routers_ == nullptr : router % block == 0) {
        routers_ = &engine_.add_domain(
            corespec::DomainClass::routers,
            needs.lanes ? corespec::QueueKind::lanes : corespec::QueueKind::heap);
      }
      return *routers_;
    };
    places.make_source = [&] { return corespec::EventSource{next_source_++, 0}; };
    network_ = gemini::make_network(parameters, topology_, places);
    engine_.set_least_delays(network_->least_delay(), network_->nic_delay(),
                             Time::microseconds(10));
    bytes_ = mallinfo2().uordblks - before;
    sinks_.resize(topology_->nodes());
    for (Nid nid = 0; nid < topology_->nodes(); ++nid) {
      network_->attach(nid, sinks_[nid], *nodes_[topology_->router_of(nid) / block]);
    }
  }

  /// Every node puts `bytes` to another one, drawn, all at once. Returns how often a packet of a
  /// request or its response goes over a link.
  std::uint64_t run(std::uint64_t bytes) {
    std::uint64_t hops = 0;
    const std::uint64_t packets = (bytes + 63) / 64;
    for (Nid nid = 0; nid < topology_->nodes(); ++nid) {
      ugni::Transaction put;
      put.source = nid;
      put.target = draw() % topology_->nodes();
      put.length = bytes;
      put.injector = 1;
      hops += packets * (topology_->hops(nid, put.target) + topology_->hops(put.target, nid));
      network_->submit(put, {});
    }
    engine_.run();
    return hops;
  }

  const gemini::Topology& topology() const { return *topology_; }
  std::uint64_t events() const { return engine_.events(); }
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr gemini::RouterId block = 4;
  Nid draw() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<Nid>(state_ >> 33);
  }

  std::shared_ptr<const gemini::Topology> topology_;
  corespec::Engine engine_;
  std::vector<corespec::VirtualDomain*> nodes_;
  corespec::VirtualDomain* routers_ = nullptr;
  std::uint32_t next_source_ = 1;
  std::unique_ptr<gemini::Network> network_;
  std::vector<Sink> sinks_;
  std::uint64_t state_ = 1;
  std::size_t bytes_ = 0;
};

/// Every node of Hopper puts so many bytes to another one, drawn.
void random_puts(benchmark::State& state) {
  std::uint64_t hops = 0, events = 0;
  std::size_t bytes = 0, tiles = 0;
  for (auto _ : state) {
    state.PauseTiming();
    LoadedNetwork network("hopper", "packet");
    bytes = network.bytes();
    tiles = std::size_t{network.topology().routers()} * gemini::kTiles;
    state.ResumeTiming();
    hops += network.run(static_cast<std::uint64_t>(state.range(0)));
    events += network.events();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(hops));
  state.counters["events_per_hop"] = static_cast<double>(events) / static_cast<double>(hops);
  state.counters["bytes_per_packet"] = sizeof(gemini::Packet);
  state.counters["bytes_per_tile"] = static_cast<double>(bytes) / static_cast<double>(tiles);
}
BENCHMARK(random_puts)->Arg(64)->Arg(1024)->Arg(4096)->Unit(benchmark::kMillisecond);

}  // namespace
