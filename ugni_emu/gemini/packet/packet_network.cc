// Building the network of routers, attaching NICs, handing over transactions.
#include "ugni_emu/gemini/packet/packet_network.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "corespec/host/check.h"
#include "ugni_emu/gemini/links/link_bandwidth.h"
#include "ugni_emu/gemini/packet/standstill.h"
#include "ugni_emu/gemini/port/attached_port.h"
#include "ugni_emu/gemini/port/audit_ports.h"

namespace gemini {

using corespec::EventDomain;

PacketNetwork::PacketNetwork(const corespec::Parameters& parameters,
                             std::shared_ptr<const Topology> topology,
                             const NetworkDomains& domains)
    : parameters_(parameters),
      topology_(std::move(topology)),
      faults_(parameters_, *topology_),
      timing_(parameters_, *topology_),
      reads_(*topology_) {
  if (topology_->buffer_classes() > most_buffer_classes) {
    throw std::length_error("too many classes of buffers");
  }
  if (!parameters_.telemetry.empty()) {
    throw std::invalid_argument(
        "CASTOR_TELEMETRY: components write records in fidelity message, not in packet");
  }
  if (parameters_.counters == "on") {
    share_.counters = std::make_unique<NetworkCounters>(parameters_, topology_);
  }
  if (faults_.any()) timing_.faults = &faults_;
  for (RouterId number = 0; number < topology_->routers(); ++number) {
    EventDomain& nodes = domains.nodes(number);
    EventDomain& own = domains.router ? domains.router(number) : nodes;
    share_.routers.push_back(
        std::make_unique<PacketRouter>(timing_, share_, number, own, nodes, domains.make_source()));
    for (unsigned nic = 0; nic < topology_->nics_per_router(); ++nic) {
      share_.routers.back()->add_port(
          std::make_unique<PacketPort>(PacketCarrier(*share_.routers.back(), timing_),
                                       topology_->nid_at(number, nic), nic, domains.make_source()));
      PacketPort& port = share_.routers.back()->port(nic);
      if (faults_.loses()) {
        port.expect_losses(faults_);
      } else {
        port.expect_disorder();
      }
    }
  }
  for (const auto& router : share_.routers) router->connect();
}

void PacketNetwork::attach(ugni::NicAddress address, ugni::WireClient& client,
                           EventDomain& domain) {
  port_to_attach(*topology_, router_at(), address, domain).attach(client);
}

ugni::Submission& PacketNetwork::prepare(ugni::NicAddress source) {
  return attached_port(*topology_, router_at(), source).prepare();
}

void PacketNetwork::drop(ugni::Submission& submission) {
  auto& segment = static_cast<PacketSegment&>(submission);
  segment.router->port(segment.source_port).carrier().put(segment);
}

NetworkCounters* PacketNetwork::counters() {
  if (share_.counters == nullptr) return nullptr;
  for (const auto& router : share_.routers) router->count_so_far();
  return share_.counters.get();
}

bool PacketNetwork::read_registers(ugni::NicAddress address, ugni::RegisterRead& read) {
  PacketPort& port = attached_port(*topology_, router_at(), address);
  if (share_.counters == nullptr) return false;
  PacketRouter& router = *share_.routers[topology_->router_of(address)];
  reads_.begin(address,
               {router.number(), router.domain(), router.nodes_domain(), router.source(),
                *share_.counters, &router},
               port.source(), timing_.nic_to_router, read);
  return true;
}

void PacketNetwork::end_at(corespec::Time time) {
  if (share_.counters != nullptr) share_.counters->tiles.end_at(time);
}

std::vector<std::string> PacketNetwork::standstill() const {
  return gemini::standstill(*topology_, share_.routers);
}

std::vector<std::string> PacketNetwork::audit() const {
  std::vector<std::string> found;
  if (const std::size_t pieces = share_.segments.in_use(); pieces != 0) {
    found.push_back(fmt::format("pieces of transactions in the network: {}", pieces));
  }
  std::size_t packets = share_.packets.in_use();
  for (const auto& router : share_.routers) {
    const HostPort::Held held = router->host().held();
    packets -= held.taken;  // by NICs, which have them in their account still
    const std::int64_t missing = router->missing_phits() + held.missing_phits;
    if (missing == 0) continue;
    found.push_back(
        fmt::format("room for {} phits is missing at router {}", missing, router->number()));
  }
  if (packets != 0) found.push_back(fmt::format("packets in the network: {}", packets));
  audit_ports(
      *topology_,
      [this](RouterId number) -> const PacketRouter& { return *share_.routers[number]; }, found);
  return found;
}

std::size_t PacketNetwork::packets_in_tiles() const {
  std::size_t found = 0;
  for (const auto& router : share_.routers) {
    for (unsigned tile = 0; tile < router->tiles(); ++tile) {
      for (Slot slot = 0; slot < slots; ++slot) {
        found += router->input(tile, slot).size();
        found += router->output(tile, slot).size();
      }
    }
  }
  return found;
}

std::size_t PacketNetwork::packed_bytes(const corespec::Event&) const {
  CASTOR_NEVER("fidelity packet is not run in parts");
}
void PacketNetwork::pack(corespec::Event&, std::span<std::byte>) {
  CASTOR_NEVER("fidelity packet is not run in parts");
}
corespec::Event& PacketNetwork::unpack(std::span<const std::byte>) {
  CASTOR_NEVER("fidelity packet is not run in parts");
}

std::string PacketNetwork::describe() const {
  const corespec::Parameters& p = parameters_;
  return fmt::format(
      "network: {}, fidelity packet, {}\n"
      "network: hop {} ns, NIC to router {} ns per end, NIC {:.2f} GB/s each way, window {} "
      "requests, segments {} bytes\n"
      "network: buffers of {} phits in, {} out, {} at a NIC; tiles {}\n"
      "network: links {}\n",
      topology_->describe(), topology_->routing(), p.hop_latency.ns(), timing_.end.ns(),
      p.nic_bandwidth * 1e-9, p.nic_window, timing_.piece, timing_.input_phits,
      timing_.output_phits, timing_.nic_phits,
      timing_.choice == "auto" ? "as delivery modes say" : timing_.choice,
      describe_links(p, *topology_));
}

}  // namespace gemini
