// Building the torus of routers, attaching NICs, handing over transactions.
#include "ugni_emu/gemini/message/message_network.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace gemini {

using corespec::EventDomain;

Network::Network(const corespec::Parameters& parameters, Torus torus, const DomainOf& domain_of,
                 const std::function<corespec::EventSource()>& make_source,
                 const DomainOf& router_domain_of)
    : parameters_(parameters),
      torus_(std::move(torus)),
      timing_(parameters_, torus_),
      routers_(torus_.gemini_count()) {
  for (GeminiId gemini = 0; gemini < torus_.gemini_count(); ++gemini) {
    EventDomain& nodes = domain_of(gemini);
    EventDomain& domain = router_domain_of ? router_domain_of(gemini) : nodes;
    const corespec::EventSource router = make_source();
    const corespec::EventSource first = make_source();
    const corespec::EventSource second = make_source();
    routers_.emplace_back(timing_, routers_.data(), segments_, gemini, domain, nodes,
                          std::array{router, first, second});
  }
  for (GeminiId gemini = 0; gemini < torus_.gemini_count(); ++gemini) connect(gemini);
}

/// Fills in a router's links, once all routers are there.
void Network::connect(GeminiId gemini) {
  Router& router = routers_.at(gemini);
  router.injection().rate = kHostRate;
  router.ejection().rate = kHostRate;
  const Coordinates at = router.coordinates();
  for (const Direction direction : kDirections) {
    Link& link = router.link(direction);
    link.leads_to = torus_.gemini_at(neighbour(torus_, at, direction));
    link.domain = &routers_.at(link.leads_to).domain();
    link.rate = rate_index(dimension_of(direction), link_type(torus_, at, direction));
  }
}

void Network::attach(ugni::NicAddress address, ugni::WireClient& client, EventDomain& domain) {
  if (!torus_.contains(address)) {
    throw std::invalid_argument(fmt::format("nid {}: the {} torus has nids 0 to {}", address,
                                            torus_.shape(), torus_.node_count() - 1));
  }
  Router& router = routers_.at(torus_.gemini_of(address));
  if (&router.nodes_domain() != &domain) {
    throw std::invalid_argument(
        fmt::format("nid {}: its NIC belongs in its Gemini's event domain", address));
  }
  MessagePort& port = router.port(torus_.place(address).port);
  if (port.attached()) {
    throw std::invalid_argument(fmt::format("nid {}: a NIC is attached already", address));
  }
  port.attach(client);
}

ugni::Submission& Network::prepare(ugni::NicAddress source) {
  MessagePort* const port =
      torus_.contains(source)
          ? &routers_.at(torus_.gemini_of(source)).port(torus_.place(source).port)
          : nullptr;
  if (port == nullptr || !port->attached()) {
    throw std::invalid_argument(fmt::format("nid {}: no NIC is attached there", source));
  }
  return port->prepare();
}

void Network::drop(ugni::Submission& submission) {
  auto& segment = static_cast<Segment&>(submission);
  segment.router->pool().put(segment);
}

const LinkCounters& Network::link_counters(GeminiId gemini, Direction direction) const {
  return routers_.at(gemini).link(direction).counters;
}

const LinkCounters& Network::injection_counters(GeminiId gemini) const {
  return routers_.at(gemini).injection().counters;
}

const LinkCounters& Network::ejection_counters(GeminiId gemini) const {
  return routers_.at(gemini).ejection().counters;
}

double Network::bandwidth(GeminiId gemini, Direction direction) const {
  return link_bandwidth(parameters_, torus_, torus_.coordinates(gemini), direction);
}

LinkType Network::type(GeminiId gemini, Direction direction) const {
  return link_type(torus_, torus_.coordinates(gemini), direction);
}

std::string Network::describe() const {
  const auto gigabytes = [this](std::int64_t tiles, double tile) {
    return static_cast<double>(tiles) * tile * 1e-9;
  };
  const corespec::Parameters& p = parameters_;
  return fmt::format(
      "network: {} torus{}, {} Geminis, {} nodes, fidelity message, dimension-order routing\n"
      "network: hop {} ns, NIC to router {} ns per end, NIC {:.2f} GB/s each way, window {} "
      "requests, segments {} bytes\n"
      "network: links X {:.2f}, Y {:.2f} mezzanine and {:.2f} cable, Z {:.2f} backplane and {:.2f} "
      "cable, host {:.2f} GB/s each way\n",
      torus_.shape(), torus_.name() == torus_.shape() ? "" : " (" + torus_.name() + ")",
      torus_.gemini_count(), torus_.node_count(), p.hop_latency.ns(), p.nic_to_router_latency.ns(),
      p.nic_bandwidth * 1e-9, p.nic_window, timing_.piece, gigabytes(p.tiles_x, p.tile_cable),
      gigabytes(p.tiles_y, p.tile_mezzanine), gigabytes(p.tiles_y, p.tile_cable),
      gigabytes(p.tiles_z, p.tile_backplane), gigabytes(p.tiles_z, p.tile_cable),
      gigabytes(p.tiles_host, p.tile_host));
}

}  // namespace gemini
