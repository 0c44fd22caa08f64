// The network in fidelity `message`: transfers travel as segments of bounded size.
#pragma once

#include <memory>
#include <string>

#include "corespec/config/parameters.h"
#include "ugni_emu/gemini/counters/register_reads.h"
#include "ugni_emu/gemini/message/router_array.h"
#include "ugni_emu/gemini/message/timing.h"
#include "ugni_emu/gemini/network/network.h"

namespace gemini {

/// See docs/network.md. Virtual time only.
class MessageNetwork final : public Network {
 public:
  MessageNetwork(const corespec::Parameters& parameters, std::shared_ptr<const Topology> topology,
                 const NetworkDomains& domains);
  MessageNetwork(const MessageNetwork&) = delete;
  MessageNetwork& operator=(const MessageNetwork&) = delete;

  /// See port_to_attach().
  void attach(ugni::NicAddress address, ugni::WireClient& client,
              corespec::EventDomain& domain) override;

  /// Throws std::invalid_argument where no NIC is attached at the source. perform() throws it if a
  /// payload is given whose size is not `length`, or a transaction is longer than 2^32 - 1 bytes. A
  /// target without a NIC answers no_such_domain after the normal travel time, a target outside the
  /// topology does so without leaving the NIC. perform() may call the client's read_source() before
  /// it returns, no other.
  ugni::Submission& prepare(ugni::NicAddress source) override;
  void drop(ugni::Submission& submission) override;

  corespec::Time least_delay() const override { return parameters_.hop_latency; }

  corespec::Time nic_delay() const override { return parameters_.nic_to_router_latency; }

  const Topology& topology() const override { return *topology_; }

  /// A segment counts as a whole when its head arrives.
  NetworkCounters* counters() override { return share_.counters.get(); }
  bool counts_stalls() const override { return false; }
  std::optional<Backlog> backlog() const override;
  std::vector<std::string> audit() const override;
  FaultCounts faults() const override { return share_.faults; }
  telemetry::NetworkRecords* records() override { return share_.records.get(); }
  bool read_registers(ugni::NicAddress address, ugni::RegisterRead& read) override;
  void end_at(corespec::Time time) override;

  // All that is scheduled for another router's domain is a segment.
  std::size_t packed_bytes(const corespec::Event& event) const override;
  void pack(corespec::Event& event, std::span<std::byte> into) override;
  corespec::Event& unpack(std::span<const std::byte> bytes) override;

  std::string describe() const override;

 private:
  void connect(RouterId number);
  void expect_losses();
  Backlog backlog_of(Port port, const LinkClass& made_of, const Link& link) const;
  struct PackedSegment;
  bool can_be_here(const PackedSegment& packed, std::size_t payload) const;
  auto router_at() {
    return [this](RouterId number) -> Router& { return routers_.at(number); };
  }

  corespec::Parameters parameters_;
  std::shared_ptr<const Topology> topology_;
  NetworkFaults faults_;
  Timing timing_;
  RouterShare share_;  ///< outlives the routers
  RouterArray routers_;
  RegisterReads reads_;
};

}  // namespace gemini
