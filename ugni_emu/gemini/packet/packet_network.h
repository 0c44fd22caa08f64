// The network in fidelity `packet`: every packet queues in the buffers of tiles.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "corespec/config/parameters.h"
#include "ugni_emu/gemini/counters/register_reads.h"
#include "ugni_emu/gemini/network/network.h"
#include "ugni_emu/gemini/packet/packet_router.h"
#include "ugni_emu/gemini/packet/packet_timing.h"

namespace gemini {

/// See docs/network.md. Virtual time only, in one part.
class PacketNetwork final : public Network {
 public:
  /// Throws std::invalid_argument where parameters do not go together.
  PacketNetwork(const corespec::Parameters& parameters, std::shared_ptr<const Topology> topology,
                const NetworkDomains& domains);
  PacketNetwork(const PacketNetwork&) = delete;
  PacketNetwork& operator=(const PacketNetwork&) = delete;

  /// See port_to_attach(). prepare() and drop() are as MessageNetwork's.
  void attach(ugni::NicAddress address, ugni::WireClient& client,
              corespec::EventDomain& domain) override;
  ugni::Submission& prepare(ugni::NicAddress source) override;
  void drop(ugni::Submission& submission) override;

  corespec::Time least_delay() const override { return parameters_.hop_latency; }
  corespec::Time nic_delay() const override { return timing_.end; }

  const Topology& topology() const override { return *topology_; }
  NetworkCounters* counters() override;
  bool counts_stalls() const override { return true; }
  std::optional<Backlog> backlog() const override { return std::nullopt; }
  telemetry::NetworkRecords* records() override { return nullptr; }
  bool read_registers(ugni::NicAddress address, ugni::RegisterRead& read) override;
  void end_at(corespec::Time time) override;
  std::vector<std::string> standstill() const override;
  std::vector<std::string> audit() const override;
  FaultCounts faults() const override { return share_.faults; }

  // It is not run in parts (NetworkNeeds::parts).
  std::size_t packed_bytes(const corespec::Event& event) const override;
  void pack(corespec::Event& event, std::span<std::byte> into) override;
  corespec::Event& unpack(std::span<const std::byte> bytes) override;

  std::string describe() const override;

  /// For tests.
  PacketRouter& router(RouterId number) { return *share_.routers.at(number); }
  /// Packets that are in buffers of tiles.
  std::size_t packets_in_tiles() const;

 private:
  auto router_at() {
    return [this](RouterId number) -> PacketRouter& { return *share_.routers[number]; };
  }

  corespec::Parameters parameters_;
  std::shared_ptr<const Topology> topology_;
  NetworkFaults faults_;
  PacketTiming timing_;
  PacketShare share_;  ///< outlives the routers
  RegisterReads reads_;
};

}  // namespace gemini
