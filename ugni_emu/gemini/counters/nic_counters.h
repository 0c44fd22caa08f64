// What has passed a NIC.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ugni_emu/wire/registers.h"

namespace gemini {

/// Packets and flits by flow. They belong to the domain of the NIC's node.
class NicCounters {
 public:
  /// `packets` with `bytes` of payload in all; all but the last one carry `packet_payload`.
  void count(ugni::NicFlow flow, std::uint32_t packets, std::uint32_t bytes,
             std::uint32_t packet_payload) {
    constexpr std::uint32_t flit = 16;
    const auto flits = [](std::uint32_t payload) { return (payload + flit - 1) / flit; };
    Flow& counted = flows_[static_cast<std::size_t>(flow)];
    counted.packets += packets;
    counted.data_flits +=
        bytes / packet_payload * flits(packet_payload) + flits(bytes % packet_payload);
  }

  std::uint64_t value(const ugni::Register& which) const {
    std::uint64_t packets = 0, data = 0;
    for (std::size_t at = 0; at < flows_.size(); ++at) {
      if ((which.flows >> at & 1) == 0) continue;
      packets += flows_[at].packets;
      data += flows_[at].data_flits;
    }
    switch (which.kind) {
      case ugni::Register::Kind::nic_packets:
      case ugni::Register::Kind::nic_header_flits:
        return packets;
      case ugni::Register::Kind::nic_flits:
        return packets + data;
      case ugni::Register::Kind::nic_data_flits:
        return data;
      case ugni::Register::Kind::tile:
      case ugni::Register::Kind::nothing:
        break;
    }
    return 0;
  }

 private:
  struct Flow {
    std::uint64_t packets = 0, data_flits = 0;
  };
  std::array<Flow, ugni::nic_flow_count> flows_{};
};

}  // namespace gemini
