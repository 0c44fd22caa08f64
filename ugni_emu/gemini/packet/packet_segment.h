// A segment whose packets find their own ways: what the NICs at both ends see of them.
#pragma once

#include <cstdint>

#include "corespec/events/event_domain.h"
#include "corespec/time/time.h"
#include "ugni_emu/gemini/format/channels.h"
#include "ugni_emu/gemini/format/packet_sizes.h"
#include "ugni_emu/gemini/packet/packet_queue.h"
#include "ugni_emu/gemini/packet/tile_choice.h"
#include "ugni_emu/gemini/topology/route_word.h"
#include "ugni_emu/wire/wire.h"

namespace gemini {

/// A piece of a transaction, there as a request and back as its response in the same object; in the
/// beginning also what the thread that posted it does at its own time. While its packets are under
/// way, routers on their ways read it only; the last one counts what has arrived.
struct PacketSegment final : corespec::Event, ugni::Submission {
  /// What a firing means. The first three are in the routers' domain, the others in the nodes'.
  enum Stage : std::uint64_t {
    at_host_port,
    at_netlink,
    lost_at_router,  ///< it is on its way back to its sender
    request_arrived,
    response_arrived,
    lost_at_nic
  };

  void fire(std::uint64_t stage) override;
  /// The transaction is submitted.
  void perform() override;
  ugni::SegmentView view() { return {transaction, offset, length, last, payload, status}; }

  PacketRouter* router = nullptr;  ///< of the end where it is, or arrives
  PacketSegment* next_free = nullptr;

  // What a NIC's port needs (Carrier).
  std::uint32_t offset = 0;  ///< in its transaction
  std::uint32_t length = 0;
  std::uint32_t packets = 0;  ///< those of its response are as many
  std::uint8_t channel = kRequests;
  std::uint8_t port = 0;         ///< the NIC of its target's router
  std::uint8_t source_port = 0;  ///< the NIC of its source's router
  std::uint8_t from = 0;         ///< the NIC that its packets leave
  std::uint8_t tries = 0;        ///< how often it was sent again
  bool last = false;             ///< its transaction's last piece
  bool marked = false;
  ugni::ResponseStatus status = ugni::ResponseStatus::ok;

  // Of its packets.
  /// The one of a port's `width` tiles that packet `number` takes, unless it adapts.
  unsigned tile(std::uint32_t number, unsigned width) const {
    return (choice == TileChoice::hashed ? flow + number : flow) % width;
  }

  RouteWord route;  ///< of all of them
  TileChoice choice = TileChoice::deterministic;
  std::uint32_t flow = 0;       ///< decides tiles, with the packet's number if hashed
  std::uint32_t nic_bytes = 0;  ///< payload that the NICs move
  PacketSizes sizes;            ///< of those that have not left the NIC
  std::uint32_t cut = 0;        ///< how many have left it
  std::uint32_t arrived = 0;    ///< how many have come to the other one, or will not come
  bool incomplete = false;      ///< some will not
  corespec::Time age;           ///< when it was injected: older ones go first
  corespec::Time ready;         ///< when the NIC has the first packet to leave,
  corespec::Time spacing;       ///< and how much later each further one
  corespec::Time delivered;     ///< when what has arrived is at the other NIC

  /// In a queue, where the thread's list of effects has done with it.
  PacketSegment* next() const { return static_cast<PacketSegment*>(next_effect); }
  void set_next(PacketSegment* segment) { next_effect = segment; }
};

}  // namespace gemini
