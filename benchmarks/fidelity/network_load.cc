// Loads, and a network that carries them.
#include "benchmarks/fidelity/network_load.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "corespec/virtual/virtual_domain.h"
#include "ugni_emu/gemini/topology/make_topology.h"

namespace fidelity {
namespace {

/// 64-bit LCG, Knuth's constants, high bits only.
class Draw {
 public:
  std::uint64_t below(std::uint64_t bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % bound;
  }

 private:
  std::uint64_t state_ = 1;
};

/// A node: submits its PUTs when their time has come, and takes what others send.
class Node final : public ugni::WireClient, public corespec::Event {
 public:
  Node(gemini::Network& network, corespec::EventDomain& domain, corespec::EventSource source,
       std::uint32_t bytes)
      : network_(network), domain_(domain), source_(source), bytes_(bytes) {}

  void add(const Load::Put& put) { puts_.push_back(put); }
  /// Before the run, when all have been added.
  void begin() {
    while (next_ < puts_.size() && puts_[next_].at == Time()) submit();
    await_next();
  }
  void fire(std::uint64_t) override {
    submit();
    await_next();
  }
  void read_source(ugni::Transaction&, std::uint64_t, std::span<std::byte> into) override {
    std::fill(into.begin(), into.end(), std::byte{1});
  }
  bool awaits_sent(const ugni::Transaction&) override { return false; }
  void request_sent(const ugni::Transaction&) override {}
  ugni::ResponseStatus request_arrived(ugni::SegmentView segment) override {
    if (segment.last) {
      const auto submitted = static_cast<std::int64_t>(segment.transaction.immediate[0]);
      latencies += domain_.now() - Time::picoseconds(submitted);
    }
    return ugni::ResponseStatus::ok;
  }
  void response_arrived(ugni::SegmentView) override { answered = domain_.now(); }

  Time latencies;  ///< the sum of those of all PUTs to it
  Time answered;   ///< the last response came

 private:
  void submit() {
    const Load::Put& put = puts_[next_++];
    ugni::Transaction transaction;
    transaction.injector = 1;
    transaction.source = put.from;
    transaction.target = put.to;
    transaction.length = bytes_;
    transaction.immediate[0] = static_cast<std::uint64_t>(put.at.ps());
    network_.submit(transaction, {});
  }
  void await_next() {
    if (next_ < puts_.size()) domain_.schedule(puts_[next_].at, source_, *this, 0);
  }

  gemini::Network& network_;
  corespec::EventDomain& domain_;
  corespec::EventSource source_;
  std::uint32_t bytes_;
  std::vector<Load::Put> puts_;
  std::size_t next_ = 0;
};

/// The router so many steps further on each ring.
gemini::RouterId shifted(const gemini::Torus& torus, gemini::RouterId from, int x, int y, int z) {
  const gemini::Coordinates at = torus.coordinates(from);
  const auto around = [&](int place, int steps, int dimension) {
    const int size = torus.size(dimension);
    return static_cast<std::uint16_t>((place + steps % size + size) % size);
  };
  return torus.router_at({around(at.x, x, 0), around(at.y, y, 1), around(at.z, z, 2)});
}

Nid target_of(const gemini::Torus& torus, Pattern pattern, Nid from, std::uint64_t number,
              Draw& draw) {
  const gemini::Place place = torus.place(from);
  switch (pattern) {
    case Pattern::uniform:
      return static_cast<Nid>(draw.below(torus.nodes()));
    case Pattern::neighbour: {
      const auto turn = static_cast<int>(number % 3);
      return torus.nid_at(shifted(torus, place.router, turn == 2, turn == 1, turn == 0), place.nic);
    }
    case Pattern::tornado:
      break;
  }
  const auto far = [&](int dimension) { return (torus.size(dimension) - 1) / 2; };
  return torus.nid_at(shifted(torus, place.router, far(0), far(1), far(2)), place.nic);
}

}  // namespace

LoadedNetwork::LoadedNetwork(std::shared_ptr<const gemini::Topology> topology,
                             const std::string& fidelity)
    : topology_(std::move(topology)) {
  corespec::Parameters parameters;
  parameters.fidelity = fidelity;
  const gemini::NetworkNeeds needs = gemini::network_needs(parameters);
  gemini::NetworkDomains places;
  places.nodes = [&](gemini::RouterId router) -> corespec::EventDomain& {
    if (router % block == 0) nodes_.push_back(&engine_.add_domain());
    return *nodes_.back();
  };
  places.router = [&](gemini::RouterId router) -> corespec::EventDomain& {
    if (needs.lanes ? routers_ == nullptr : router % block == 0) {
      routers_ =
          &engine_.add_domain(corespec::DomainClass::routers,
                              needs.lanes ? corespec::QueueKind::lanes : corespec::QueueKind::heap);
    }
    return *routers_;
  };
  places.make_source = [&] { return corespec::EventSource{next_source_++, 0}; };
  network_ = gemini::make_network(parameters, topology_, places);
  engine_.set_least_delays(network_->least_delay(), network_->nic_delay(), Time::microseconds(10));
}

Outcome LoadedNetwork::run(const Load& load) {
  std::deque<Node> clients;
  for (Nid nid = 0; nid < topology_->nodes(); ++nid) {
    corespec::VirtualDomain& domain = *nodes_[topology_->router_of(nid) / block];
    const corespec::EventSource source{next_source_++, 0};
    clients.emplace_back(*network_, domain, source, load.bytes);
    network_->attach(nid, clients.back(), domain);
  }
  for (const Load::Put& put : load.puts) clients[put.from].add(put);
  for (Node& node : clients) node.begin();
  engine_.run();

  Outcome outcome;
  for (const Node& node : clients) {
    outcome.completion = std::max(outcome.completion, node.answered);
    outcome.mean_latency += node.latencies;
  }
  const auto count = static_cast<std::int64_t>(std::max<std::size_t>(load.puts.size(), 1));
  outcome.mean_latency = outcome.mean_latency / count;
  if (const auto backlog = network_->backlog()) outcome.queue_excess = backlog->excess();
  outcome.events = engine_.events();
  return outcome;
}

Outcome run_load(const std::string& torus, const std::string& fidelity, const Load& load) {
  return LoadedNetwork(gemini::make_topology(torus), fidelity).run(load);
}

Load single(Nid from, Nid to, std::uint32_t bytes) { return {bytes, {{Time(), from, to}}}; }

std::vector<Pair> pairs_of(const gemini::Torus& torus) {
  std::vector<Pair> pairs;
  const auto has = [&](const std::string& name) {
    return std::any_of(pairs.begin(), pairs.end(), [&](const Pair& it) { return it.name == name; });
  };
  for (std::uint8_t link = 0; link < 6; link += 2) {
    for (gemini::RouterId router = 0; router < torus.routers(); ++router) {
      const gemini::Port port{router, link};
      if (!torus.has_link(port)) continue;
      const gemini::LinkType type = torus.link_classes()[torus.link_class(port)].type;
      std::string name(torus.link_name(link));
      name.append(" ").append(gemini::name_of(type));
      if (has(name)) continue;
      pairs.push_back({name, torus.nid_at(router, 0), torus.nid_at(torus.far_end(port).router, 1)});
    }
  }
  const gemini::RouterId middle = shifted(torus, torus.place(0).router, torus.size(0) / 2,
                                          torus.size(1) / 2, torus.size(2) / 2);
  pairs.push_back({"farthest", 0, torus.nid_at(middle, 1)});
  return pairs;
}

Load scatter(const gemini::Topology& topology, std::uint32_t bytes) {
  Load load{bytes, {}};
  Draw draw;
  for (Nid from = 0; from < topology.nodes(); ++from) {
    load.puts.push_back({Time(), from, static_cast<Nid>(draw.below(topology.nodes()))});
  }
  return load;
}

Load open_loop(const gemini::Torus& torus, Pattern pattern, double share, std::uint32_t bytes,
               Time time) {
  // Half of eight host tiles, less the headers of full packets.
  constexpr double node_bytes_per_second = 10.401e9 / 2 * 64 / 96;
  const double seconds = bytes / (share * node_bytes_per_second);
  const auto interval = static_cast<std::uint64_t>(Time::seconds(seconds).ps());
  Load load{bytes, {}};
  Draw draw;
  for (Nid from = 0; from < torus.nodes(); ++from) {
    Time at = Time::picoseconds(static_cast<std::int64_t>(draw.below(interval)));
    for (std::uint64_t number = 0; at < time; ++number) {
      load.puts.push_back({at, from, target_of(torus, pattern, from, number, draw)});
      at += Time::picoseconds(static_cast<std::int64_t>(draw.below(2 * interval) + 1));
    }
  }
  return load;
}

Load halo_burst(const gemini::Torus& torus, int ranks, std::uint32_t bytes) {
  Load load{bytes, {}};
  constexpr int faces[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  for (Nid from = 0; from < torus.nodes(); ++from) {
    const gemini::Place place = torus.place(from);
    for (int rank = 0; rank < ranks; ++rank) {
      for (const auto& face : faces) {
        const gemini::RouterId to = shifted(torus, place.router, face[0], face[1], face[2]);
        load.puts.push_back({Time(), from, torus.nid_at(to, place.nic)});
      }
    }
  }
  return load;
}

}  // namespace fidelity
