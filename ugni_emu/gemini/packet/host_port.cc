// From NICs to host tiles, and from host tiles to NICs.
#include "ugni_emu/gemini/packet/host_port.h"

#include <algorithm>

#include "ugni_emu/gemini/packet/packet_router.h"

namespace gemini {

using corespec::Time;

HostPort::HostPort(const PacketTiming& timing, PacketRouter& router)
    : timing_(timing),
      router_(router),
      leaving_(2 * timing.topology.nics_per_router()),
      free_at_(timing.host_width),
      credits_(timing.host_width, {timing.input_phits, timing.input_phits}),
      receptions_(timing.topology.nics_per_router()) {
  for (Reception& each : receptions_) each.room = {timing.nic_phits, timing.nic_phits};
}

// ---- out of NICs

void HostPort::accept(PacketSegment& segment, unsigned nic) {
  leaving_[2 * nic + segment.channel].push(segment);
  inject();
}

void HostPort::injection_is_due() {
  due_ = Time::max();
  inject();
}

void HostPort::add_credit(unsigned tile, Slot slot, std::uint32_t phits) {
  credits_[tile][channel_of(slot)] += phits;
  inject();
}

void HostPort::inject() {
  const Time now = router_.domain().now();
  const auto queues = static_cast<unsigned>(leaving_.size());
  Time next = Time::max();
  for (unsigned in_vain = 0; in_vain < queues; turn_ = turn_ + 1 == queues ? 0 : turn_ + 1) {
    SegmentQueue<PacketSegment>& queue = leaving_[turn_];
    ++in_vain;
    if (queue.empty()) continue;
    PacketSegment& segment = *queue.front();
    const Time ready = segment.ready + segment.spacing * segment.cut;
    if (ready > now) {
      next = std::min(next, ready);
      continue;
    }
    PacketSizes sizes = segment.sizes;
    const std::uint32_t phits = sizes.take();
    unsigned tile = 0;
    if (!choose_tile(segment, phits, now, tile, next)) continue;
    segment.sizes = sizes;
    if (sizes.packets == 0) queue.pop();
    cut(segment, phits, tile);
    in_vain = 0;
  }
  if (next >= due_) return;
  due_ = next;
  router_.expect(next, PacketRouter::Firing::injection);
}

/// A host tile that takes the next packet now. False: none; `next`: when one may, unless for
/// credits.
bool HostPort::choose_tile(const PacketSegment& segment, std::uint32_t phits, Time now,
                           unsigned& tile, Time& next) const {
  const unsigned width = timing_.host_width;
  if (segment.choice != TileChoice::adaptive) {
    tile = segment.tile(segment.cut, width);
    if (credits_[tile][segment.channel] < phits) return false;
    if (free_at_[tile] <= now) return true;
    next = std::min(next, free_at_[tile]);
    return false;
  }
  Time soonest = Time::max();
  std::uint32_t most = 0;
  for (unsigned tried = 0; tried < width; ++tried) {
    const unsigned each = (segment.cut + tried) % width;
    const std::uint32_t credits = credits_[each][segment.channel];
    if (credits < phits) continue;
    if (free_at_[each] > now) {
      soonest = std::min(soonest, free_at_[each]);
    } else if (credits > most) {
      most = credits;
      tile = each;
    }
  }
  if (most == 0) next = std::min(next, soonest);
  return most != 0;
}

void HostPort::cut(PacketSegment& segment, std::uint32_t phits, unsigned tile) {
  const Time lasts = timing_.host_tile.time(phits);
  free_at_[tile] = router_.domain().now() + lasts;
  credits_[tile][segment.channel] -= phits;
  Packet& packet = router_.share().packets.take();
  packet.segment = &segment;
  packet.route = segment.route;
  packet.number = static_cast<std::uint16_t>(segment.cut++);
  packet.phits = static_cast<std::uint16_t>(phits);
  packet.lasts = timing_.cycles(lasts);
  packet.slot = slot_of(segment.channel, 0);
  router_.arrive_from_host(packet, tile);
}

// ---- into NICs

unsigned HostPort::nic_of(const Packet& packet) { return packet.segment->port; }

/// What the NIC has taken in takes no room any longer.
void HostPort::settle(Reception& reception, Time now) {
  for (unsigned channel = 0; channel < reception.taken.size(); ++channel) {
    PacketQueue& taken = reception.taken[channel];
    while (!taken.empty() && taken.front().head <= now) {
      Packet& packet = taken.pop();
      reception.room[channel] += packet.phits;
      router_.share().packets.put(packet);
    }
  }
}

bool HostPort::has_room(const Packet& packet) {
  const unsigned nic = nic_of(packet);
  Reception& reception = receptions_[nic];
  const unsigned channel = packet.segment->channel;
  settle(reception, router_.domain().now());
  if (reception.room[channel] >= packet.phits) return true;
  if (!reception.wanted[channel]) {
    reception.wanted[channel] = true;
    router_.expect(reception.taken[channel].front().head, PacketRouter::Firing::nic_room, nic,
                   slot_of(channel, 0));
  }
  return false;
}

void HostPort::room_is_due(unsigned nic, Slot slot) {
  receptions_[nic].wanted[channel_of(slot)] = false;
  router_.nic_has_room();
}

void HostPort::deliver(Packet& packet, Time begin, Time end) {
  PacketSegment& segment = *packet.segment;
  Reception& reception = receptions_[nic_of(packet)];
  const unsigned channel = segment.channel;
  const std::uint32_t full = timing_.format.packet_payload();
  const std::uint32_t before = std::min(segment.nic_bytes, packet.number * full);
  const std::uint32_t bytes = std::min(segment.nic_bytes - before, full);
  const Time taken = reception.server.serve(channel, timing_.nic.time(bytes), {begin, end}).tail;
  const Time received = begin + timing_.host_port.time(packet.phits) + timing_.reception;
  const Time delivered = std::max(taken, received);
  reception.room[channel] -= packet.phits;
  packet.head = taken;
  reception.taken[channel].push(packet);
  segment.delivered = std::max(segment.delivered, delivered);
  account_for(segment);
}

/// One more of its packets has come, or will not come.
void HostPort::account_for(PacketSegment& segment) {
  if (++segment.arrived < segment.packets) return;
  if (!segment.incomplete) [[likely]] {
    finish(segment, segment.delivered + timing_.end);
    return;
  }
  // The time that the sender waits has been that of the lost packet.
  corespec::EventDomain& domain = router_.domain();
  router_.send_back(segment, sender_of(segment), domain, domain.now() + timing_.hop,
                    router_.source());
}

void HostPort::account_for_lost(Packet& packet) {
  PacketSegment& segment = *packet.segment;
  segment.incomplete = true;
  router_.share().packets.put(packet);
  account_for(segment);
}

void HostPort::deliver_by_netlink(PacketSegment& segment) {
  const Time now = router_.domain().now();
  Reception& reception = receptions_[segment.port];
  const Passage in = reception.server.serve(segment.channel, timing_.nic.time(segment.nic_bytes),
                                            {now, segment.delivered});
  finish(segment, in.tail + timing_.nic_to_router);
}

HostPort::Held HostPort::held() const {
  Held held;
  for (const auto& credits : credits_) {
    for (const std::uint32_t each : credits) {
      held.missing_phits += std::int64_t{timing_.input_phits} - each;
    }
  }
  for (const Reception& each : receptions_) {
    for (unsigned channel = 0; channel < each.taken.size(); ++channel) {
      held.missing_phits += std::int64_t{timing_.nic_phits} - each.room[channel];
      held.taken += each.taken[channel].size();
      each.taken[channel].for_each(
          [&](const Packet& packet) { held.missing_phits -= packet.phits; });
    }
  }
  return held;
}

void HostPort::finish(PacketSegment& segment, Time delivered) {
  segment.router = &router_;
  router_.nodes_domain().schedule_from(router_.domain(), delivered, router_.source(), segment,
                                       PacketSegment::request_arrived + segment.channel);
}

}  // namespace gemini
