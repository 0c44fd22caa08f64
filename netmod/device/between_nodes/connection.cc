// Connections: sending and taking in packets.
#include "netmod/device/between_nodes/connection.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "corespec/threads/node.h"
#include "corespec/threads/thread.h"
#include "netmod/device/between_nodes/connection_parts.h"
#include "ugni_emu/doors/doors.h"

namespace netmod {

// ---- sending

void Connections::send(Connection& connection, RequestImpl& request) {
  if (connection.open() && connection.backlog.empty() && !connection.has_control_backlog() &&
      client_.transmit(connection, request)) {
    return;
  }
  connection.backlog.push_back(request);
  wait(connection);
}

bool Connections::withdraw(RequestImpl& request) {
  if (!request.queued) return false;
  Connection* connection = find(request.peer);
  if (connection == nullptr) return false;
  connection->backlog.remove(request);
  return true;
}

void Connections::wait(Connection& connection) {
  if (connection.waiting) return;
  connection.waiting = true;
  waiting_.push_back(&connection);
}

bool Connections::send_raw(gni_ep_handle_t endpoint, std::span<const std::byte> header,
                           std::span<const std::byte> data, ugni::Loan* loan) {
  const gni_return_t code = port_.calls().send(endpoint, header, data, loan);
  if (code == GNI_RC_NOT_DONE) return false;
  port_.check("GNI_SmsgSendWTag", code);
  port_.message_sent();
  return true;
}

bool Connections::send_message(Connection& connection, PacketHeader& header, const std::byte* data,
                               std::uint64_t bytes, ugni::Loan* loan) {
  header.sequence = connection.send_sequence;
  header.ring_credits = connection.units_to_return;
  const auto packet = std::as_bytes(std::span(&header, 1));
  if (!send_raw(connection.endpoint(), packet, {data, bytes}, loan)) return false;
  connection.units_to_return = 0;
  ++connection.send_sequence;
  ++statistics_.eager_mailbox;
  return true;
}

std::byte* Connections::take_buffer() {
  if (spare_buffer_ != nullptr) return std::exchange(spare_buffer_, nullptr);
  if (!buffers_made_) {
    buffers_made_ = true;
    const std::size_t each =
        (settings_.largest_eager + dma_buffer_bytes - 1) / dma_buffer_bytes * dma_buffer_bytes;
    const std::size_t count = std::max<std::size_t>(
        1, static_cast<std::size_t>(settings_.parameters->num_bufs) * dma_buffer_bytes / 2 / each);
    std::byte* base = memory_.take(count * each);
    port_.check(
        "GNI_MemRegister",
        GNI_MemRegister(port_.nic(), reinterpret_cast<std::uint64_t>(base), count * each, nullptr,
                        GNI_MEM_READWRITE, static_cast<std::uint32_t>(-1), &buffer_handle_));
    registered_.push_back(buffer_handle_);
    buffer_bytes_ = static_cast<std::uint32_t>(each);
    fresh_buffers_ = static_cast<std::uint32_t>(count);
    next_fresh_buffer_ = base;
  }
  if (free_buffers_.empty()) {
    if (fresh_buffers_ == 0) return nullptr;
    --fresh_buffers_;
    return std::exchange(next_fresh_buffer_, next_fresh_buffer_ + buffer_bytes_);
  }
  std::byte* buffer = free_buffers_.back();
  free_buffers_.pop_back();
  return buffer;
}

void Connections::give_back_buffer(std::byte* buffer) {
  if (spare_buffer_ == nullptr) {
    spare_buffer_ = buffer;
  } else {
    free_buffers_.push_back(buffer);
  }
}

bool Connections::send_buffered(Connection& connection, PacketHeader& header, const std::byte* data,
                                std::uint64_t bytes, ugni::Loan* loan) {
  const std::uint32_t cost = connection.remote_ring.cost(wire_header_bytes + bytes);
  if (connection.free_units < cost) return false;
  std::byte* buffer = take_buffer();
  if (buffer == nullptr) return false;
  header.sequence = connection.send_sequence;
  header.ring_credits = connection.units_to_return;
  port_.calls().complete(header, {data, bytes});
  corespec::charge(settings_.copy_time(bytes));
  const bool fma = bytes <= settings_.rdma_threshold;

  gni_post_descriptor_t put{};
  put.local_addr = reinterpret_cast<std::uint64_t>(buffer);
  put.local_mem_hndl = buffer_handle_;
  put.remote_addr = connection.remote_landing + connection.remote_ring.next_offset();
  put.remote_mem_hndl = connection.remote_landing_handle;
  put.length = wire_header_bytes + bytes;
  bool posted = false;
  if (fma) {
    // The FMA has read its source when the post returns: the modelled buffer is free again at
    // once, and takes no host memory.
    posted = port_.put_eager(connection.endpoint(), put, std::as_bytes(std::span(&header, 1)),
                             {data, bytes}, loan);
  } else {
    std::memcpy(buffer, &header, wire_header_bytes);
    std::memcpy(buffer + wire_header_bytes, data, bytes);
    posted = put_by_bte(connection.endpoint(), put, buffer);
  }
  if (fma || !posted) give_back_buffer(buffer);
  if (!posted) return false;
  if (!fma) ++puts_under_way_;
  connection.units_to_return = 0;
  connection.remote_ring.advance(wire_header_bytes + bytes);
  connection.free_units -= cost;
  ++connection.send_sequence;
  ++buffered_sent_;
  return true;
}

bool Connections::put_by_bte(gni_ep_handle_t endpoint, const gni_post_descriptor_t& put,
                             std::byte* buffer) {
  DataDescriptor& descriptor = *port_.take_descriptor();
  descriptor.purpose = DataDescriptor::Purpose::eager_put;
  descriptor.gni = put;
  descriptor.buffer = buffer;
  const bool posted = port_.put_eager_bte(endpoint, descriptor);
  if (!posted) port_.give_back(&descriptor);
  return posted;
}

void Connections::eager_put_done(DataDescriptor& descriptor) {
  give_back_buffer(descriptor.buffer);
  --puts_under_way_;
}

bool Connections::post_control(Connection& connection, ControlPacket& packet) {
  const corespec::EventDomain::Hold hold(process_.node().domain());  // packet and CQ write together
  packet.header.sequence = connection.send_sequence;
  packet.header.ring_credits = connection.units_to_return;
  if (!send_raw(connection.endpoint(), std::as_bytes(std::span(&packet, 1)), {}, nullptr)) {
    return false;
  }
  connection.units_to_return = 0;
  if (settings_.wakes_thread() && packet.header.kind != PacketKind::credits) {
    port_.wake_peer(connection.endpoint(), connection.extras->interrupt_handle);
  }
  return true;
}

void Connections::send_control(Connection& connection, ControlPacket& packet) {
  if (!connection.has_control_backlog() && post_control(connection, packet)) return;
  connection.need_extras().control_backlog.push_back(packet);
  wait(connection);
}

bool Connections::send_rts(Connection& connection, ControlPacket& packet) {
  if (!post_control(connection, packet)) return false;
  ++connection.send_sequence;
  ++statistics_.rts_sent;
  return true;
}

bool Connections::flush() {
  if (waiting_.empty()) return false;
  bool any = false;
  // A flush may make other connections wait: this walks those that wait now.
  std::vector<Connection*> waiting;
  waiting.swap(waiting_);
  for (Connection* connection : waiting) {
    connection->waiting = false;
    any |= flush(*connection);
  }
  return any;
}

bool Connections::flush(Connection& connection) {
  if (!connection.open()) {
    if (!connection.backlog.empty()) wait(connection);
    return false;
  }
  bool any = false;
  if (connection.has_control_backlog()) {
    std::vector<ControlPacket>& packets = connection.extras->control_backlog;
    std::size_t sent = 0;
    while (sent < packets.size() && post_control(connection, packets[sent])) ++sent;
    any = sent > 0;
    packets.erase(packets.begin(), packets.begin() + static_cast<std::ptrdiff_t>(sent));
  }
  while (!connection.has_control_backlog() && !connection.backlog.empty()) {
    RequestImpl& request = *connection.backlog.front();
    connection.backlog.remove(request);
    if (!client_.transmit(connection, request)) {
      connection.backlog.push_front(request);  // nothing behind it may overtake
      break;
    }
    any = true;
  }
  if (connection.has_control_backlog() || !connection.backlog.empty()) wait(connection);
  return any;
}

// ---- taking in

bool Connections::drain(Connection& connection) {
  bool any = false;
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i < connection.channel_count; ++i) {
      if (any && client_.satisfied()) {
        if (!holds_more(connection)) return true;
        if (!connection.undrained) undrained_.push_back(&connection);
        connection.undrained = true;
        return true;
      }
      if (!connection.may_hear_on(i)) {
        corespec::charge(settings_.parameters->cq_poll);  // the look at its empty mailbox
        continue;
      }
      bool came = take_message(connection, connection.channel(i));
      came |= take_landed(connection, connection.channel(i));
      if (came) connection.hear_on(i);
      again |= came;
      any |= again;
    }
  }
  return any;
}

/// True if anything lies in a mailbox or landing ring. What comes later announces itself.
bool Connections::holds_more(Connection& connection) const {
  if (connection.landed != 0) return true;
  for (std::size_t i = 0; i < connection.channel_count; ++i) {
    if (connection.may_hear_on(i) && doors::has_message(connection.channel(i).endpoint))
      return true;
  }
  return false;
}

bool Connections::drain_rest() {
  if (undrained_.empty()) return false;
  bool any = false;
  std::vector<Connection*> rest;
  rest.swap(undrained_);
  for (Connection* connection : rest) {
    connection->undrained = false;
    any |= drain(*connection);
  }
  return any;
}

void Connections::drain_all() {
  for (std::size_t i = 0; i < connection_count_; ++i) {
    // Events were lost: the ring may hold more than was counted. A count too high costs looks only.
    Connection& connection = connection_at(i);
    for (std::size_t at = 0; at < connection.channel_count; ++at) {
      connection.landed += connection.channel(at).ring.units();
    }
    drain(connection);
  }
}

bool Connections::take_message(Connection& connection, Channel& channel) {
  if (!port_.look(channel.endpoint)) return false;
  Mail mail;
  const gni_return_t code = port_.calls().next(channel.endpoint, mail);
  if (code == GNI_RC_NOT_DONE) return false;
  port_.check("GNI_SmsgGetNextWTag", code);
  ControlPacket packet;
  if (mail.there < sizeof packet.header) fail_packet(connection);
  std::memcpy(&packet.header, mail.bytes, sizeof packet.header);
  const PacketKind kind = packet.header.kind;
  const bool envelope = kind == PacketKind::eager || kind == PacketKind::rts;
  // Out of turn: an E1 message sent before it has not landed yet. It stays in the mailbox.
  if (envelope && packet.header.sequence != connection.receive_sequence) return false;
  // A recall waits for what was sent before it. (What was sent after it may have landed.)
  if (kind == PacketKind::recall &&
      static_cast<std::int32_t>(packet.header.sequence - connection.receive_sequence) > 0) {
    return false;
  }
  if (kind != PacketKind::eager) {
    if (mail.there != sizeof packet) fail_packet(connection);
    std::memcpy(&packet, mail.bytes, sizeof packet);
  } else if (packet.header.bytes != mail.all - wire_header_bytes) {
    fail_packet(connection);
  }
  connection.free_units += packet.header.ring_credits;
  if (envelope) {
    ++connection.receive_sequence;
    ugni::Payload taken = port_.calls().take(port_, channel.endpoint, mail);
    client_.envelope_arrived(connection, packet.header, packet.memory, taken.at(wire_header_bytes),
                             taken);
  }
  port_.check("GNI_SmsgRelease", GNI_SmsgRelease(channel.endpoint));
  if (!envelope && kind != PacketKind::credits) client_.control_arrived(connection, packet);
  return true;
}

bool Connections::take_landed(Connection& connection, Channel& channel) {
  bool any = false;
  while (connection.landed != 0 && channel.ring.units() != 0) {
    const std::uint64_t address =
        reinterpret_cast<std::uint64_t>(channel.landing) + channel.ring.next_offset();
    const std::span<const std::byte> packet = port_.calls().landed(port_, address);
    if (packet.empty()) break;
    PacketHeader header;
    if (packet.size() < sizeof header) fail_packet(connection);
    std::memcpy(&header, packet.data(), sizeof header);
    if (header.sequence != connection.receive_sequence) break;  // its turn comes
    ++connection.receive_sequence;
    --connection.landed;
    connection.free_units += header.ring_credits;
    ugni::Payload landed = port_.calls().take_landed(port_, address);
    const std::uint64_t bytes = landed.size();
    if (header.kind != PacketKind::eager || bytes > settings_.largest_eager ||
        header.bytes != bytes - wire_header_bytes) {
      fail_packet(connection);
    }
    client_.envelope_arrived(connection, header, MemoryReference(), landed.at(wire_header_bytes),
                             landed);
    const std::uint32_t freed = channel.ring.cost(bytes);
    channel.ring.advance(bytes);
    return_credits(connection, freed);
    any = true;
  }
  return any;
}

void Connections::fail_packet(const Connection& connection) const {
  port_.fail_peer(connection.peer, "a packet whose size is not what it says");
}

void Connections::return_credits(Connection& connection, std::uint32_t freed) {
  connection.units_to_return = static_cast<std::uint16_t>(connection.units_to_return + freed);
  // Credits that do not soon travel with another packet go alone: at half, and soon enough that the
  // largest message and the units that it may skip always find room.
  const std::uint32_t units = settings_.landing_bytes / LandingRing::unit_bytes;
  const std::uint32_t worst = 2 * (settings_.largest_eager / LandingRing::unit_bytes) - 1;
  if (connection.units_to_return < std::min(units / 2, units - worst)) return;
  ControlPacket packet;
  packet.header.kind = PacketKind::credits;
  send_control(connection, packet);
}

}  // namespace netmod
