// A router's tiles: buffers of packets, with what is free in them and at the far ends.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "corespec/time/time.h"
#include "ugni_emu/gemini/links/rate.h"
#include "ugni_emu/gemini/packet/packet_queue.h"

namespace gemini {

/// Where packets come in: a buffer per slot. The tile's bus moves one packet at a time across the
/// router.
struct InputTile {
  static constexpr corespec::Time not_stalled = corespec::Time::max();

  bool all_empty() const {
    for (const PacketQueue& queue : queues) {
      if (!queue.empty()) return false;
    }
    return true;
  }

  std::array<PacketQueue, slots> queues;
  corespec::Time bus_free;                     ///< when the bus has moved the last packet
  corespec::Time stalled_since = not_stalled;  ///< a head has no room to go on
  std::uint8_t waiting = 0;                    ///< slots whose heads wait for room, by bit
  bool bus_expected = false;                   ///< an event tells when the bus is free
  std::uint8_t port = 0;                       ///< of the router
};

/// Where packets leave: a buffer per slot, and what sends one packet at a time over the link.
struct OutputTile {
  static constexpr corespec::Time not_stalled = corespec::Time::max();

  bool all_empty() const {
    for (const PacketQueue& queue : queues) {
      if (!queue.empty()) return false;
    }
    return true;
  }
  /// The packet that was leaving has left: its place is free.
  void settle(corespec::Time now) {
    if (leaving == 0 || free_at > now) return;
    room[leaving_slot] += leaving;
    leaving = 0;
  }

  std::array<PacketQueue, slots> queues;
  std::array<std::uint32_t, slots> room{};     ///< free phits of the buffers
  std::array<std::uint32_t, slots> credits{};  ///< and of those at the far end
  corespec::Time free_at;                      ///< when the last packet has left
  corespec::Time stalled_since = not_stalled;  ///< packets are ready, none has credits
  std::uint32_t leaving = 0;                   ///< phits of the packet that is leaving
  Slot leaving_slot = 0;
  Slot turn = 0;          ///< the slot that is asked first
  bool expected = false;  ///< an event tells when the packet has left
  std::uint8_t port = 0;  ///< of the router
};

/// Of two packets, the one whose segment was injected first is the older one, then the first of a
/// segment's.
struct PacketAge {
  corespec::Time injected;
  std::uint32_t number = 0;
  auto operator<=>(const PacketAge&) const = default;
};

/// A head that waits for room: the oldest one goes first.
struct WaitingHead {
  PacketAge age;
  std::uint16_t tile = 0;  ///< the input tile
  Slot slot = 0;           ///< its buffer there
  Slot wants = 0;          ///< the buffer that it is to go to
  bool any_tile = false;   ///< of the port; else one of them
  std::uint16_t to = 0;    ///< that one
};

/// The tiles of a link, both ways, or of the host port.
struct TilePort {
  std::uint16_t base = 0;   ///< the first one's number in the router
  std::uint16_t width = 0;  ///< how many
  std::uint16_t far_base = 0;
  PacketRouter* far = nullptr;  ///< at the other end; null: NICs, or nothing
  Rate rate;                    ///< of a tile, per phit
  std::vector<WaitingHead> waiting;
};

}  // namespace gemini
