// What the two halves of Connections share.
#pragma once

#include "netmod/device/between_nodes/connection.h"

namespace netmod {

/// Largest mailbox message: an E0 message with its header, or a control packet.
inline std::uint32_t mailbox_message_bytes(const Settings& settings) {
  const auto control = static_cast<std::uint32_t>(sizeof(ControlPacket));
  const std::uint32_t eager = settings.vshort + wire_header_bytes;
  return eager > control ? eager : control;
}

/// In a registered block of the rank's; what the peer is told of it is made when it is told.
struct Connections::Room {
  std::byte* mailbox = nullptr;
  std::byte* landing = nullptr;  ///< null: no buffers are left for it
  gni_mem_handle_t handle{};
};

struct Connections::Pending {
  int peer = -1;
  gni_ep_handle_t endpoint = nullptr;
  Room room;
  Exchange answer;
};

}  // namespace netmod
