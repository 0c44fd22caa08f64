// What moves packets between a router's tiles.
#include "ugni_emu/gemini/packet/packet_router.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "corespec/host/check.h"
#include "ugni_emu/wire/observed.h"

namespace gemini {

using corespec::Time;

namespace {

/// An event's meaning in its `arg`.
struct Told {
  PacketRouter::Firing what;
  unsigned tile;
  Slot slot;
  std::uint32_t phits;
};

std::uint64_t packed(const Told& told) {
  return std::uint64_t{told.phits} << 32 | std::uint64_t{told.slot} << 24 |
         std::uint64_t{told.tile} << 8 | static_cast<std::uint64_t>(told.what);
}

Told unpacked(std::uint64_t arg) {
  return {static_cast<PacketRouter::Firing>(arg & 0xFF), static_cast<unsigned>(arg >> 8 & 0xFFFF),
          static_cast<Slot>(arg >> 24), static_cast<std::uint32_t>(arg >> 32)};
}

constexpr std::uint64_t damage_stream = 0x64616D6100000000;

PacketAge age_of(const Packet& packet) { return {packet.segment->age, packet.number}; }

}  // namespace

void Packet::fire(std::uint64_t tile) {
  if (tile == lost) [[unlikely]] {
    router->host().account_for_lost(*this);
  } else {
    router->arrive(*this, static_cast<unsigned>(tile));
  }
}

PacketRouter::PacketRouter(const PacketTiming& timing, PacketShare& share, RouterId number,
                           corespec::EventDomain& domain, corespec::EventDomain& nodes,
                           corespec::EventSource source)
    : timing_(timing),
      share_(share),
      domain_(domain),
      nodes_domain_(nodes),
      source_(source),
      number_(number),
      host_(timing, *this) {
  if (timing.faults != nullptr && timing.faults->one_damaged_in != 0) {
    damage_.emplace(timing.faults->seed, damage_stream + number);
  }
  const Topology& topology = timing_.topology;
  std::uint16_t tiles = 0;
  for (unsigned link = 0; link < topology.links_per_router(); ++link) {
    const Port port{number_, static_cast<std::uint8_t>(link)};
    const LinkClassId kind = topology.link_class(port);
    ports_.push_back({tiles, timing_.link_width[kind], 0, nullptr, timing_.link_tiles[kind], {}});
    tiles = static_cast<std::uint16_t>(tiles + timing_.link_width[kind]);
  }
  ports_.push_back(
      {tiles, static_cast<std::uint16_t>(timing_.host_width), 0, nullptr, timing_.host_tile, {}});
  tiles = static_cast<std::uint16_t>(tiles + timing_.host_width);
  inputs_.resize(tiles);
  outputs_.resize(tiles);
  output_buffers_.resize(tiles);
  for (unsigned port = 0; port < ports_.size(); ++port) {
    for (unsigned tile = ports_[port].base; tile < ports_[port].base + ports_[port].width; ++tile) {
      inputs_[tile].port = outputs_[tile].port = static_cast<std::uint8_t>(port);
      outputs_[tile].room.fill(static_cast<std::uint16_t>(timing_.output_phits));
      outputs_[tile].credits.fill(static_cast<std::uint16_t>(timing_.input_phits));
    }
  }
}

std::int64_t PacketRouter::missing_phits() const {
  std::int64_t missing = 0;
  for (const OutputTile& each : outputs_) {
    for (Slot slot = 0; slot < slots; ++slot) {
      missing += std::int64_t{timing_.output_phits} - each.room[slot];
      // The host tiles' far ends are the NICs.
      missing += std::int64_t{timing_.input_phits} - each.credits[slot];
    }
    missing -= each.leaving;  // it has left
  }
  return missing;
}

void PacketRouter::connect() {
  const Topology& topology = timing_.topology;
  const unsigned links = topology.links_per_router();
  classes_.resize(ports_.size() * links * most_buffer_classes);
  for (unsigned link = 0; link < links; ++link) {
    const Port out{number_, static_cast<std::uint8_t>(link)};
    if (!topology.has_link(out)) continue;
    const Port far = topology.far_end(out);
    ports_[link].far = share_.routers[far.router].get();
    ports_[link].far_base = ports_[link].far->ports_[far.link].base;
    for (unsigned by = 0; by < ports_.size(); ++by) {
      std::optional<Port> in;
      if (by != host_number()) in = Port{number_, static_cast<std::uint8_t>(by)};
      for (unsigned held = 0; held < most_buffer_classes; ++held) {
        classes_[(by * links + link) * most_buffer_classes + held] =
            static_cast<std::uint8_t>(topology.buffer_class(out, in, held));
      }
    }
  }
}

// ---- into an input buffer

void PacketRouter::arrive(Packet& packet, unsigned tile) {
  if (share_.counters != nullptr) count(packet, tile);
  packet.head = domain_.now();
  InputTile& input = inputs_[tile];
  const bool is_head = !input.filled.has(packet.slot);
  input.buffers.push(packet.slot, packet);
  input.filled.set(packet.slot, true);
  if (is_head) advance(tile, packet.slot);
}

void PacketRouter::arrive_from_host(Packet& packet, unsigned tile) {
  arrive(packet, ports_[host_number()].base + tile);
}

PacketRouter::Way PacketRouter::way_of(const Packet& packet, unsigned came_by) const {
  const unsigned channel = channel_of(packet.slot);
  if (packet.route.arrived()) return {host_number(), slot_of(channel, 0)};
  const unsigned link = packet.route.link();
  const std::size_t links = ports_.size() - 1;
  const unsigned held = class_of(packet.slot);
  return {link, slot_of(channel, classes_[(came_by * links + link) * most_buffer_classes + held])};
}

// ---- across the router

/// The head of an input buffer goes on, unless it has to wait for the bus or for room.
bool PacketRouter::advance(unsigned tile, Slot slot) {
  InputTile& input = inputs_[tile];
  if (input.bus_free > domain_.now()) {
    expect_bus(tile);
    return false;
  }
  const Packet& packet = input.buffers.head(slot);
  const Way way = way_of(packet, input.port);
  TilePort& port = ports_[way.port];
  if (!input.waiting.has(slot)) {
    const bool is_alone = port.waiting.empty();
    OutputTile* const output = is_alone ? room_for(port, packet, way.slot) : nullptr;
    if (output != nullptr) {
      move(tile, slot, way.slot, number_of(*output));
      return true;
    }
    wait(tile, slot, way, packet);
    if (is_alone) return false;
  }
  arbitrate(port, way.slot);
  return input.bus_free > domain_.now();
}

/// The output tile of its choice, if that has room for the packet.
OutputTile* PacketRouter::room_for(const TilePort& port, const Packet& packet, Slot wants,
                                   std::uint64_t taken) {
  const Time now = domain_.now();
  const PacketSegment& segment = *packet.segment;
  if (segment.choice != TileChoice::adaptive) {
    const unsigned tile = segment.tile(packet.number, port.width);
    OutputTile& output = outputs_[port.base + tile];
    output.settle(now);
    return output.room[wants] >= packet.phits && (taken >> tile & 1) == 0 ? &output : nullptr;
  }
  OutputTile* best = nullptr;
  for (unsigned tried = 0; tried < port.width; ++tried) {
    const unsigned tile = (packet.number + tried) % port.width;
    OutputTile& output = outputs_[port.base + tile];
    output.settle(now);
    // A packet that is leaving takes ever less room: of two tiles, the one that is free sooner.
    const auto merit = [&](const OutputTile& each) {
      return std::tuple(each.room[wants], now - std::max(each.free_at, now), each.credits[wants]);
    };
    if (output.room[wants] < packet.phits || (taken >> tile & 1) != 0) continue;
    if (best == nullptr || merit(output) > merit(*best)) best = &output;
  }
  return best;
}

/// The bus takes it across; its place in the input buffer is free when its last phit has gone.
void PacketRouter::move(unsigned tile, Slot slot, Slot wants, unsigned to) {
  const Time now = domain_.now();
  InputTile& input = inputs_[tile];
  Packet& packet = input.buffers.pop(slot);
  input.filled.set(slot, !input.buffers.queue(slot).empty());
  if (input.waiting.has(slot)) stop_waiting(tile, slot, ports_[outputs_[to].port]);
  const Time last_phit = packet.head + timing_.cycle * packet.lasts;
  input.bus_free = now + timing_.cycle * packet.phits;
  const Time across = std::max(last_phit, input.bus_free);
  return_credit(tile, slot, packet.phits, across);
  if (!input.filled.none()) expect_bus(tile);

  OutputTile& output = outputs_[to];
  if (!packet.route.arrived()) packet.route.step();
  packet.head = now;
  packet.lasts = timing_.cycles(across - now);
  packet.slot = wants;
  output.room[wants] = static_cast<std::uint16_t>(output.room[wants] - packet.phits);
  output.filled.set(wants, true);
  output_buffers_[to].buffers.push(wants, packet);
  if (output.free_at <= now) {
    send(to);
  } else {
    expect_left(to);
  }
}

void PacketRouter::wait(unsigned tile, Slot slot, Way way, const Packet& packet) {
  InputTile& input = inputs_[tile];
  TilePort& port = ports_[way.port];
  if (input.waiting.none()) input.stalled_since = domain_.now();
  input.waiting.set(slot, true);
  const PacketSegment& segment = *packet.segment;
  WaitingHead head{age_of(packet), static_cast<std::uint16_t>(tile), slot, way.slot};
  head.any_tile = segment.choice == TileChoice::adaptive;
  head.to = static_cast<std::uint16_t>(port.base + segment.tile(packet.number, port.width));
  port.waiting.push_back(head);
  // Where packets are queued there are events; the last one leaves without, unless it is awaited.
  for (unsigned to = port.base; to < port.base + port.width; ++to) {
    const bool may_go = head.any_tile || head.to == to;
    outputs_[to].settle(domain_.now());
    if (may_go && outputs_[to].leaving != 0) expect_left(to);
  }
}

void PacketRouter::stop_waiting(unsigned tile, Slot slot, TilePort& port) {
  InputTile& input = inputs_[tile];
  input.waiting.set(slot, false);
  if (input.waiting.none()) count_stall(true, tile, input.stalled_since);
  const auto found =
      std::find_if(port.waiting.begin(), port.waiting.end(),
                   [&](const WaitingHead& head) { return head.tile == tile && head.slot == slot; });
  *found = port.waiting.back();
  port.waiting.pop_back();
}

/// Those that wait for a buffer of the port go on as far as there is room, the oldest first. Where
/// it is too small for an older one, the younger ones wait, too.
void PacketRouter::arbitrate(TilePort& port, Slot wants) {
  const Time now = domain_.now();
  std::uint64_t taken = 0;  // tiles that an older one waits for, by bit
  const auto order = [](const WaitingHead& head) {
    return std::tuple(head.age, head.tile, head.slot);
  };
  std::optional<WaitingHead> last;  // the one that was asked last
  for (;;) {
    const WaitingHead* oldest = nullptr;
    for (const WaitingHead& head : port.waiting) {
      if (head.wants != wants || inputs_[head.tile].bus_free > now) continue;
      if (last && order(head) <= order(*last)) continue;
      if (oldest == nullptr || order(head) < order(*oldest)) oldest = &head;
    }
    if (oldest == nullptr) return;
    const WaitingHead head = *oldest;
    const Packet& packet = inputs_[head.tile].buffers.head(head.slot);
    if (OutputTile* const output = room_for(port, packet, wants, taken)) {
      move(head.tile, head.slot, wants, number_of(*output));
    } else if (head.any_tile) {
      return;
    } else {
      taken |= std::uint64_t{1} << (head.to - port.base);
    }
    last = head;
  }
}

/// The bus has moved a packet: the tile's other heads, the oldest first.
void PacketRouter::bus_is_free(unsigned tile) {
  InputTile& input = inputs_[tile];
  input.bus_expected = false;
  if (input.bus_free > domain_.now()) {
    expect_bus(tile);
    return;
  }
  FilledSlots tried;
  for (;;) {
    Slot oldest = slots;
    for (Slot slot = 0; slot < slots; ++slot) {
      if (tried.has(slot) || !input.filled.has(slot)) continue;
      if (oldest == slots ||
          age_of(input.buffers.head(slot)) < age_of(input.buffers.head(oldest))) {
        oldest = slot;
      }
    }
    if (oldest == slots) return;
    tried.set(oldest, true);
    if (advance(tile, oldest)) return;
  }
}

void PacketRouter::return_credit(unsigned tile, Slot slot, std::uint32_t phits, Time at) {
  const TilePort& port = ports_[inputs_[tile].port];
  if (port.far == nullptr) {
    expect(at, Firing::host_credit, tile - port.base, slot, phits);
    return;
  }
  const unsigned sender = port.far_base + (tile - port.base);
  port.far->domain_.schedule_from(domain_, at + timing_.hop, source_, *port.far,
                                  packed({Firing::credit, sender, slot, phits}));
}

// ---- out of an output buffer

bool PacketRouter::has_credits(const OutputTile& output, Slot slot, const Packet& packet) {
  if (output.port == host_number()) return host_.has_room(packet);
  return output.credits[slot] >= packet.phits;
}

/// The tile, which is free, sends the next packet: slots take turns.
void PacketRouter::send(unsigned tile) {
  OutputTile& output = outputs_[tile];
  output.settle(domain_.now());
  if (output.filled.none()) return;
  OutputBuffers& held = output_buffers_[tile];
  for (unsigned tried = 0; tried < slots; ++tried) {
    const auto slot = static_cast<Slot>((output.turn + tried) % slots);
    if (!output.filled.has(slot) || !has_credits(output, slot, held.buffers.head(slot))) continue;
    if (held.stalled_since != not_stalled) count_stall(false, tile, held.stalled_since);
    Packet& packet = held.buffers.pop(slot);
    output.filled.set(slot, !held.buffers.queue(slot).empty());
    output.turn = static_cast<Slot>((slot + 1) % slots);
    send(packet, tile);
    if (!output.filled.none() || !ports_[output.port].waiting.empty()) expect_left(tile);
    return;
  }
  if (held.stalled_since == not_stalled) held.stalled_since = domain_.now();
}

void PacketRouter::send(Packet& packet, unsigned tile) {
  const Time now = domain_.now();
  OutputTile& output = outputs_[tile];
  const TilePort& port = ports_[output.port];
  const bool crosses_link = output.port != host_number();
  const Time begin = damage_ && crosses_link ? now + repeat(packet, port) : now;
  // As in fidelity message, the tile is held for the packet's own work only; what comes in more
  // slowly ends no earlier than it has come.
  output.free_at = begin + port.rate.time(packet.phits);
  output.leaving = packet.phits;
  output.leaving_slot = packet.slot;
  const Time last_phit = std::max(output.free_at, packet.head + timing_.cycle * packet.lasts);
  if (!crosses_link) {
    host_.deliver(packet, now, last_phit);
    return;
  }
  if (timing_.faults != nullptr &&
      timing_.faults->failures.down({number_, output.port}, now, last_phit + timing_.hop)) {
    lose(packet);
    return;
  }
  std::uint16_t& credits = output.credits[packet.slot];
  credits = static_cast<std::uint16_t>(credits - packet.phits);
  packet.lasts = timing_.cycles(last_phit - begin);
  packet.router = port.far;
  corespec::observe(domain_, [&] {
    corespec::Occurrence made =
        ugni::observed(corespec::Occurrence::Kind::link_passed, packet.segment->transaction,
                       number_, packet.phits, begin, output.free_at);
    made.part = output.port;
    return made;
  });
  port.far->domain_.schedule_from(domain_, begin + timing_.hop, source_, packet,
                                  port.far_base + (tile - port.base));
}

/// Go-back-N: the far end drops a packet that is damaged, and all behind it, and says so a hop
/// later; the tile begins again with that packet. How long the tile works in vain.
Time PacketRouter::repeat(const Packet& packet, const TilePort& port) {
  const Time once = port.rate.time(packet.phits) + timing_.hop * 2;
  Time in_vain;
  while (damage_->below(timing_.faults->one_damaged_in) == 0) {
    ++share_.faults.damaged;
    in_vain += once;
  }
  return in_vain;
}

/// What it leaves free at the far end was not taken. The router that it was for counts it as
/// missing: the sender learns of it once for all packets of the segment.
void PacketRouter::lose(Packet& packet) {
  ++share_.faults.lost_on_links;
  const ugni::Transaction& transaction = packet.segment->transaction;
  const Nid receiver =
      packet.segment->channel == kRequests ? transaction.target : transaction.source;
  packet.router = share_.routers[timing_.topology.router_of(receiver)].get();
  packet.router->domain_.schedule_from(domain_, domain_.now() + timing_.faults->interval, source_,
                                       packet, Packet::lost);
}

void PacketRouter::send_back(PacketSegment& segment, Nid to, corespec::EventDomain& from, Time at,
                             corespec::EventSource& source) {
  const Place place = timing_.topology.place(to);
  segment.marked = false;
  segment.port = static_cast<std::uint8_t>(place.nic);
  segment.router = share_.routers[place.router].get();
  segment.router->domain_.schedule_from(from, at, source, segment, PacketSegment::lost_at_router);
}

void PacketRouter::pass_back(PacketSegment& segment) {
  nodes_domain_.schedule_from(domain_, domain_.now() + timing_.end, source_, segment,
                              PacketSegment::lost_at_nic);
}

void PacketRouter::has_left(unsigned tile) {
  OutputTile& output = outputs_[tile];
  output.expected = false;
  if (output.free_at > domain_.now()) {
    expect_left(tile);
    return;
  }
  send(tile);
  TilePort& port = ports_[output.port];
  for (Slot slot = 0; slot < slots && !port.waiting.empty(); ++slot) arbitrate(port, slot);
}

void PacketRouter::add_credit(unsigned tile, Slot slot, std::uint32_t phits) {
  OutputTile& output = outputs_[tile];
  CASTOR_CHECK(output.credits[slot] + phits <= timing_.input_phits, "more credits than room");
  output.credits[slot] = static_cast<std::uint16_t>(output.credits[slot] + phits);
  if (output.free_at <= domain_.now() && !output.filled.none()) send(tile);
}

void PacketRouter::nic_has_room() {
  const TilePort& port = ports_[host_number()];
  for (unsigned tile = port.base; tile < port.base + port.width; ++tile) {
    if (outputs_[tile].free_at <= domain_.now() && !outputs_[tile].filled.none()) send(tile);
  }
}

// ---- events

void PacketRouter::expect(Time at, Firing what, unsigned tile, Slot slot, std::uint32_t phits) {
  domain_.schedule(at, source_, *this, packed({what, tile, slot, phits}));
}

void PacketRouter::expect_bus(unsigned tile) {
  InputTile& input = inputs_[tile];
  if (input.bus_expected) return;
  input.bus_expected = true;
  expect(input.bus_free, Firing::bus, tile);
}

void PacketRouter::expect_left(unsigned tile) {
  OutputTile& output = outputs_[tile];
  if (output.expected) return;
  output.expected = true;
  expect(output.free_at, Firing::left, tile);
}

void PacketRouter::fire(std::uint64_t arg) {
  const Told told = unpacked(arg);
  switch (told.what) {
    case Firing::bus:
      bus_is_free(told.tile);
      return;
    case Firing::left:
      has_left(told.tile);
      return;
    case Firing::credit:
      add_credit(told.tile, told.slot, told.phits);
      return;
    case Firing::host_credit:
      host_.add_credit(told.tile, told.slot, told.phits);
      return;
    case Firing::injection:
      host_.injection_is_due();
      return;
    case Firing::nic_room:
      host_.room_is_due(told.tile, told.slot);
      return;
  }
}

// ---- counters

void PacketRouter::count(const Packet& packet, unsigned tile) {
  LinkCounters counted;
  const unsigned channel = channel_of(packet.slot);
  counted.phits[channel] = packet.phits;
  counted.packets[channel] = 1;
  const std::uint8_t port = inputs_[tile].port;
  share_.counters->tiles.count_at({number_, port}, tile - ports_[port].base, domain_.now(),
                                  counted);
}

/// Up to now, since a time from which on it has not been counted; that is over.
void PacketRouter::count_stall(bool input, unsigned tile, Time& since) {
  const Time from = std::exchange(since, not_stalled);
  if (share_.counters == nullptr) return;
  const std::uint8_t port = input ? inputs_[tile].port : outputs_[tile].port;
  share_.counters->tiles.count_stall({number_, port}, tile - ports_[port].base, input, from,
                                     domain_.now());
}

void PacketRouter::count_so_far() {
  const Time now = domain_.now();
  for (unsigned tile = 0; tile < inputs_.size(); ++tile) {
    for (const bool input : {true, false}) {
      Time& since = input ? inputs_[tile].stalled_since : output_buffers_[tile].stalled_since;
      if (since == not_stalled) continue;
      count_stall(input, tile, since);
      since = now;
    }
  }
}

}  // namespace gemini
