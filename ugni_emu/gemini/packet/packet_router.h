// A router of tiles.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "corespec/events/event_domain.h"
#include "corespec/random/random_stream.h"
#include "corespec/time/time.h"
#include "ugni_emu/gemini/counters/network_counters.h"
#include "ugni_emu/gemini/counters/register_reads.h"
#include "ugni_emu/gemini/links/server.h"
#include "ugni_emu/gemini/packet/host_port.h"
#include "ugni_emu/gemini/packet/packet_carrier.h"
#include "ugni_emu/gemini/packet/packet_queue.h"
#include "ugni_emu/gemini/packet/packet_segment.h"
#include "ugni_emu/gemini/packet/packet_timing.h"
#include "ugni_emu/gemini/packet/tiles.h"

namespace gemini {

/// What the routers of a network share.
struct PacketShare {
  FreeList<Packet, &Packet::next> packets;
  FreeList<PacketSegment, &PacketSegment::next_free> segments;
  std::unique_ptr<NetworkCounters> counters;           ///< null: nothing is counted
  FaultCounts faults;                                  ///< what has gone wrong
  std::vector<std::unique_ptr<PacketRouter>> routers;  ///< by number
};

/// The NIC that a segment's packets have left.
inline Nid sender_of(const PacketSegment& segment) {
  return segment.channel == kRequests ? segment.transaction.source : segment.transaction.target;
}

/// A router: its tiles' buffers, what moves packets between them, and the host port. All of it
/// belongs to the router's domain, the NIC ports and their ways out to that of its nodes.
///
/// A packet's head comes to an input tile (arrive()), goes to the output tile of its choice as soon
/// as the tile's bus is free and there is room for the whole packet (advance(), move()), and from
/// there to the far end when its turn has come and the far end has room (send()): virtual
/// cut-through. Its head is there a hop later. Room that a packet leaves behind is a credit of
/// the sender's, a hop later.
///
/// Events happen only where something waits: a tile on which nothing waits works out what is free
/// when it is next looked at.
class PacketRouter final : public corespec::Event, public CountsUnderWay {
 public:
  PacketRouter(const PacketTiming& timing, PacketShare& share, RouterId number,
               corespec::EventDomain& domain, corespec::EventDomain& nodes,
               corespec::EventSource source);
  PacketRouter(const PacketRouter&) = delete;
  PacketRouter& operator=(const PacketRouter&) = delete;
  virtual ~PacketRouter() = default;

  /// All routers are there.
  void connect();

  RouterId number() const { return number_; }
  corespec::EventDomain& domain() { return domain_; }
  corespec::EventDomain& nodes_domain() { return nodes_domain_; }
  corespec::EventSource& source() { return source_; }
  PacketShare& share() { return share_; }
  const PacketTiming& timing() const { return timing_; }
  PacketPort& port(unsigned nic) { return *nics_[nic]; }
  const PacketPort& port(unsigned nic) const { return *nics_[nic]; }
  void add_port(std::unique_ptr<PacketPort> port) { nics_.push_back(std::move(port)); }
  /// From the NICs to the router, in their domain.
  Server& injection() { return injection_; }
  HostPort& host() { return host_; }
  const HostPort& host() const { return host_; }

  /// A packet's head has come to an input tile, or to a tile of the host port.
  void arrive(Packet& packet, unsigned tile);
  void arrive_from_host(Packet& packet, unsigned host_tile);
  /// The host port's output tiles: a NIC has room again.
  void nic_has_room();
  /// A segment of which something is lost: it is to be at the router of the NIC `to` at `at`, from
  /// one of this router's domains, which `source` belongs to; and from there at its port's
  /// take_back().
  void send_back(PacketSegment& segment, Nid to, corespec::EventDomain& from, corespec::Time at,
                 corespec::EventSource& source);
  void pass_back(PacketSegment& segment);

  void fire(std::uint64_t arg) override;
  void count_so_far() override;

  // What an event at this router is.
  enum class Firing : std::uint8_t { bus, left, credit, host_credit, injection, nic_room };
  void expect(corespec::Time at, Firing what, unsigned tile = 0, Slot slot = 0,
              std::uint32_t phits = 0);

  // To look into it from outside (standstill.h).
  /// Of the buffers of its output tiles and of those at the far ends, where none holds a packet.
  std::int64_t missing_phits() const;
  const std::vector<TilePort>& ports() const { return ports_; }
  unsigned tiles() const { return static_cast<unsigned>(inputs_.size()); }
  unsigned port_of(unsigned tile) const { return inputs_[tile].port; }
  const PacketQueue& input(unsigned tile, Slot slot) const {
    return inputs_[tile].buffers.queue(slot);
  }
  const PacketQueue& output(unsigned tile, Slot slot) const {
    return output_buffers_[tile].buffers.queue(slot);
  }

 private:
  /// Where a packet goes next.
  struct Way {
    unsigned port;
    Slot slot;
  };
  Way way_of(const Packet& packet, unsigned came_by) const;
  bool advance(unsigned tile, Slot slot);
  void move(unsigned tile, Slot slot, Slot wants, unsigned to);
  OutputTile* room_for(const TilePort& port, const Packet& packet, Slot wants,
                       std::uint64_t taken = 0);
  void wait(unsigned tile, Slot slot, Way way, const Packet& packet);
  void stop_waiting(unsigned tile, Slot slot, TilePort& port);
  void arbitrate(TilePort& port, Slot wants);
  void return_credit(unsigned tile, Slot slot, std::uint32_t phits, corespec::Time at);
  void send(unsigned tile);
  void send(Packet& packet, unsigned tile);
  corespec::Time repeat(const Packet& packet, const TilePort& port);
  void lose(Packet& packet);
  bool has_credits(const OutputTile& output, Slot slot, const Packet& packet);
  void bus_is_free(unsigned tile);
  void has_left(unsigned tile);
  void add_credit(unsigned tile, Slot slot, std::uint32_t phits);
  void expect_bus(unsigned tile);
  void expect_left(unsigned tile);
  void count(const Packet& packet, unsigned tile);
  void count_stall(bool input, unsigned tile, corespec::Time& since);
  unsigned host_number() const { return static_cast<unsigned>(ports_.size()) - 1; }
  unsigned number_of(const OutputTile& output) const {
    return static_cast<unsigned>(&output - outputs_.data());
  }

  const PacketTiming& timing_;
  PacketShare& share_;
  corespec::EventDomain& domain_;
  corespec::EventDomain& nodes_domain_;
  corespec::EventSource source_;
  RouterId number_;
  std::vector<TilePort> ports_;        ///< its links, then the host port
  std::vector<std::uint8_t> classes_;  ///< by port in, link out and class held
  std::vector<InputTile> inputs_;
  std::vector<OutputTile> outputs_;
  std::vector<OutputBuffers> output_buffers_;
  HostPort host_;
  std::optional<corespec::RandomStream> damage_;  ///< draws which packets links send again

  // Of the nodes' domain.
  Server injection_;
  std::vector<std::unique_ptr<PacketPort>> nics_;
};

}  // namespace gemini
