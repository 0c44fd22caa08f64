// Parameters of fidelity `packet`, checked and turned into times.
#include "ugni_emu/gemini/packet/packet_timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "ugni_emu/gemini/links/link_bandwidth.h"
#include "ugni_emu/gemini/port/largest_segment.h"

namespace gemini {
namespace {

/// That a packet can number (Packet::number).
constexpr std::int64_t most_packets = std::numeric_limits<std::uint16_t>::max();

std::uint32_t largest_packet(const PacketFormat& format) {
  std::uint32_t phits = 0;
  for (const auto kind : {ugni::TransactionKind::put, ugni::TransactionKind::get,
                          ugni::TransactionKind::atomic, ugni::TransactionKind::collective}) {
    for (const unsigned channel : {kRequests, kResponses}) {
      phits = std::max(phits, format.full_packet(kind, channel));
    }
  }
  return phits;
}

std::uint32_t buffer(const char* variable, std::int64_t phits, std::uint32_t packet) {
  if (phits >= packet) return static_cast<std::uint32_t>(phits);
  throw std::invalid_argument(
      fmt::format("{}: a buffer of {} phits does not hold the largest packet, {} phits", variable,
                  phits, packet));
}

}  // namespace

PacketTiming::PacketTiming(const corespec::Parameters& parameters, const Topology& shape)
    : topology(shape),
      format(parameters),
      host_tile(parameters.phit_bytes, parameters.tile_host),
      host_port(parameters.phit_bytes, host_bandwidth(parameters)),
      netlink(parameters.phit_bytes, parameters.netlink_bandwidth),
      nic(1, parameters.nic_bandwidth),
      host_width(static_cast<unsigned>(parameters.tiles_host)),
      hop(parameters.hop_latency),
      nic_to_router(parameters.nic_to_router_latency),
      loopback(parameters.memory_latency),
      cycle(parameters.router_cycle),
      outstanding_limit(parameters.nic_window),
      piece(largest_segment(parameters, most_packets)),
      choice(parameters.tile_choice) {
  for (const LinkClass& each : topology.link_classes()) {
    const auto width = static_cast<std::uint8_t>(parameters.*each.tiles);
    link_width.push_back(width);
    link_tiles.emplace_back(parameters.phit_bytes, link_bandwidth(parameters, each) / width);
  }
  const std::uint32_t packet = largest_packet(format);
  input_phits = buffer("CASTOR_TILE_INPUT_PHITS", parameters.tile_input_phits, packet);
  output_phits = buffer("CASTOR_TILE_OUTPUT_PHITS", parameters.tile_output_phits, packet);
  nic_phits = buffer("CASTOR_NIC_INPUT_PHITS", parameters.nic_input_phits, packet);
  const std::uint32_t full = format.full_packet(ugni::TransactionKind::put, kRequests);
  reception = (host_tile.time(full) - host_port.time(full)) / 2 * 2;
  end = nic_to_router - reception / 2;
  if (end <= corespec::Time()) {
    throw std::invalid_argument(
        fmt::format("CASTOR_NIC_TO_ROUTER_LATENCY: {} ns; fidelity packet needs more than half of "
                    "what a packet takes on one host tile, {} ns",
                    nic_to_router.ns(), (reception / 2).ns()));
  }
}

}  // namespace gemini
