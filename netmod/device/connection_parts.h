// What the two halves of Connections share.
#pragma once

#include "netmod/device/connection.h"

namespace netmod {

constexpr std::uint32_t dma_buffer_bytes = 32768;

/// Largest mailbox message: an E0 message with its header, or a control packet.
inline std::uint32_t mailbox_message_bytes(const Settings& settings) {
  const auto control = static_cast<std::uint32_t>(sizeof(ControlPacket));
  const std::uint32_t eager = settings.vshort + wire_header_bytes;
  return eager > control ? eager : control;
}

struct Connections::Room {
  Exchange exchange;
  std::byte* landing = nullptr;
};

struct Connections::Pending {
  int peer = -1;
  gni_ep_handle_t endpoint = nullptr;
  Room room;
  Exchange answer;
};

}  // namespace netmod
