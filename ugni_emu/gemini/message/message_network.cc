// Building the network of routers, attaching NICs, handing over transactions.
#include "ugni_emu/gemini/message/message_network.h"

#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <utility>

#include "ugni_emu/gemini/port/attached_port.h"
#include "ugni_emu/gemini/port/audit_ports.h"

namespace gemini {

using corespec::EventDomain;

MessageNetwork::MessageNetwork(const corespec::Parameters& parameters,
                               std::shared_ptr<const Topology> topology,
                               const NetworkDomains& domains)
    : parameters_(parameters),
      topology_(std::move(topology)),
      faults_(parameters_, *topology_),
      timing_(parameters_, *topology_),
      routers_(timing_, share_),
      reads_(*topology_) {
  if (topology_->links_per_router() + 2 > Segment::most_ports) {
    throw std::length_error("too many links of a router");
  }
  if (parameters_.counters == "on") {
    share_.counters = std::make_unique<NetworkCounters>(parameters_, topology_);
  }
  if (!parameters_.telemetry.empty()) {
    share_.records = std::make_unique<telemetry::NetworkRecords>(
        parameters_, telemetry::parse_choice(parameters_.telemetry),
        telemetry::NetworkRecords::Sizes{topology_->nodes(), topology_->routers(),
                                         Router::servers(*topology_)});
  }
  for (RouterId number = 0; number < topology_->routers(); ++number) {
    EventDomain& nodes = domains.nodes(number);
    routers_.add(domains.router ? domains.router(number) : nodes, nodes, domains.make_source);
  }
  for (RouterId number = 0; number < topology_->routers(); ++number) connect(number);
  if (faults_.loses()) expect_losses();
}

void MessageNetwork::expect_losses() {
  timing_.faults = &faults_;
  for (RouterId number = 0; number < topology_->routers(); ++number) {
    for (unsigned nic = 0; nic < topology_->nics_per_router(); ++nic) {
      routers_.at(number).port(nic).expect_losses(faults_);
    }
  }
}

/// Fills in a router's links, once all routers are there.
void MessageNetwork::connect(RouterId number) {
  Router& router = routers_.at(number);
  router.injection().rate = kHostRate;
  router.ejection().rate = kHostRate;
  for (unsigned nic = 0; nic < topology_->nics_per_router(); ++nic) {
    router.netlink(nic).rate = kNetlinkRate;
  }
  for (unsigned out = 0; out < topology_->links_per_router(); ++out) {
    const Port port{number, static_cast<std::uint8_t>(out)};
    Link& link = router.link(out);
    const Port far_end = topology_->far_end(port);
    link.leads_to = far_end.router;
    link.arrives_by = far_end.link;
    link.domain = &routers_.at(link.leads_to).domain();
    link.rate = topology_->link_class(port);
  }
}

void MessageNetwork::attach(ugni::NicAddress address, ugni::WireClient& client,
                            EventDomain& domain) {
  port_to_attach(*topology_, router_at(), address, domain).attach(client);
}

ugni::Submission& MessageNetwork::prepare(ugni::NicAddress source) {
  return attached_port(*topology_, router_at(), source).prepare();
}

bool MessageNetwork::read_registers(ugni::NicAddress address, ugni::RegisterRead& read) {
  MessagePort& port = attached_port(*topology_, router_at(), address);
  if (share_.counters == nullptr) return false;
  Router& router = routers_.at(topology_->router_of(address));
  reads_.begin(
      address,
      {router.number(), router.domain(), router.nodes_domain(), router.source(), *share_.counters},
      port.source(), timing_.nic_to_router, read);
  return true;
}

void MessageNetwork::end_at(corespec::Time time) {
  if (share_.counters != nullptr) share_.counters->tiles.end_at(time);
  if (share_.records != nullptr) share_.records->end_routers_at(time);
}

Backlog MessageNetwork::backlog_of(Port port, const LinkClass& made_of, const Link& link) const {
  Backlog found;
  found.port = port;
  found.bytes = link_bandwidth(parameters_, made_of) * link.longest_wait.time().s();
  found.buffer_bytes = static_cast<double>(parameters_.*made_of.tiles *
                                           parameters_.tile_input_phits * parameters_.phit_bytes);
  return found;
}

std::optional<Backlog> MessageNetwork::backlog() const {
  const LinkClass host_port{"host", LinkType::host, &corespec::Parameters::tiles_host};
  Backlog longest;
  std::uint64_t beyond = 0;
  const auto look = [&](const Backlog& found) {
    if (found.excess() > longest.excess()) longest = found;
    if (found.excess() > Backlog::safe_excess) ++beyond;
  };
  for (RouterId number = 0; number < topology_->routers(); ++number) {
    const Router& router = routers_.at(number);
    for (unsigned out = 0; out < topology_->links_per_router(); ++out) {
      const Port port{number, static_cast<std::uint8_t>(out)};
      if (!topology_->has_link(port)) continue;
      look(backlog_of(port, topology_->link_classes()[topology_->link_class(port)],
                      router.link(out)));
    }
    look(backlog_of({number, static_cast<std::uint8_t>(router.host_port())}, host_port,
                    router.ejection()));
  }
  longest.beyond = beyond;
  return longest;
}

std::vector<std::string> MessageNetwork::audit() const {
  std::vector<std::string> found;
  if (const std::size_t pieces = share_.segments.in_use(); pieces != 0) {
    found.push_back(fmt::format("pieces of transactions in the network: {}", pieces));
  }
  audit_ports(
      *topology_, [this](RouterId number) -> const Router& { return routers_.at(number); }, found);
  return found;
}

void MessageNetwork::drop(ugni::Submission& submission) {
  auto& segment = static_cast<Segment&>(submission);
  segment.router->pool().put(segment);
}

std::string MessageNetwork::describe() const {
  const corespec::Parameters& p = parameters_;
  return fmt::format(
      "network: {}, fidelity message, {}\n"
      "network: hop {} ns, NIC to router {} ns per end, NIC {:.2f} GB/s each way, window {} "
      "requests, segments {} bytes\n"
      "network: links {}\n",
      topology_->describe(), topology_->routing(), p.hop_latency.ns(), p.nic_to_router_latency.ns(),
      p.nic_bandwidth * 1e-9, p.nic_window, timing_.piece, describe_links(p, *topology_));
}

}  // namespace gemini
