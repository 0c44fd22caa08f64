// A router's tiles: buffers of packets, with what is free in them and at the far ends.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "corespec/time/time.h"
#include "ugni_emu/gemini/links/rate.h"
#include "ugni_emu/gemini/packet/packet_queue.h"

namespace gemini {

inline constexpr corespec::Time not_stalled = corespec::Time::max();

/// The buffers of a tile, one way: a queue for each slot.
class TileBuffers {
 public:
  const Packet& head(Slot slot) const { return queues_[slot].front(); }
  const PacketQueue& queue(Slot slot) const { return queues_[slot]; }
  void push(Slot slot, Packet& packet) { queues_[slot].push(packet); }
  Packet& pop(Slot slot) { return queues_[slot].pop(); }

 private:
  std::array<PacketQueue, slots> queues_;
};

/// Which of a tile's buffers hold packets.
class FilledSlots {
 public:
  bool none() const { return bits_ == 0; }
  bool has(Slot slot) const { return (bits_ >> slot & 1) != 0; }
  void set(Slot slot, bool filled) {
    const unsigned bit = 1U << slot;
    bits_ = static_cast<std::uint8_t>(filled ? bits_ | bit : bits_ & ~bit);
  }

 private:
  std::uint8_t bits_ = 0;
};

/// Where packets come in. The tile's bus moves one packet at a time across the router.
struct InputTile {
  TileBuffers buffers;
  corespec::Time bus_free;                     ///< when the bus has moved the last packet
  corespec::Time stalled_since = not_stalled;  ///< a head has no room to go on
  FilledSlots filled;
  FilledSlots waiting;        ///< whose heads wait for room
  bool bus_expected = false;  ///< an event tells when the bus is free
  std::uint8_t port = 0;      ///< of the router
};

/// Where packets leave, one at a time, over the link: what a packet that chooses a tile looks at.
/// (The buffers are apart: it looks at several tiles, and at the buffers of one.)
struct OutputTile {
  /// The packet that was leaving has left: its place is free.
  void settle(corespec::Time now) {
    if (leaving == 0 || free_at > now) return;
    room[leaving_slot] = static_cast<std::uint16_t>(room[leaving_slot] + leaving);
    leaving = 0;
  }

  corespec::Time free_at;                      ///< when the last packet has left
  std::array<std::uint16_t, slots> room{};     ///< free phits of the buffers
  std::array<std::uint16_t, slots> credits{};  ///< and of those at the far end
  std::uint16_t leaving = 0;                   ///< phits of the packet that is leaving
  Slot leaving_slot = 0;
  Slot turn = 0;  ///< the slot that is asked first
  FilledSlots filled;
  bool expected = false;  ///< an event tells when the packet has left
  std::uint8_t port = 0;  ///< of the router
};
static_assert(sizeof(OutputTile) == 32);

/// What a packet that is sent looks at besides.
struct OutputBuffers {
  TileBuffers buffers;
  corespec::Time stalled_since = not_stalled;  ///< packets are ready, none has credits
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
