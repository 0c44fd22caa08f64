// Connections: sending and taking in packets.
#include "netmod/device/connection.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "corespec/threads/thread.h"
#include "netmod/device/connection_parts.h"
#include "ugni_emu/nic/landing.h"

namespace netmod {

// ---- sending

void Connections::send(Connection& connection, RequestImpl& request) {
  if (connection.open() && connection.backlog.empty() && connection.control_backlog.empty() &&
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

bool Connections::send_raw(gni_ep_handle_t endpoint, void* header, std::uint32_t header_bytes,
                           const std::byte* data, std::uint64_t bytes, const char* call) {
  const gni_return_t code =
      GNI_SmsgSendWTag(endpoint, header, header_bytes, const_cast<std::byte*>(data),
                       static_cast<std::uint32_t>(bytes), 0, 0);
  if (code == GNI_RC_NOT_DONE) return false;
  port_.check(call, code);
  return true;
}

bool Connections::send_message(Connection& connection, PacketHeader header, const std::byte* data,
                               std::uint64_t bytes) {
  header.sequence = connection.send_sequence;
  header.slot_credits = connection.slots_to_return;
  std::array<std::byte, wire_header_bytes> wire{};
  std::memcpy(wire.data(), &header, sizeof header);
  if (!send_raw(connection.endpoint(), wire.data(), wire_header_bytes, data, bytes,
                "GNI_SmsgSendWTag")) {
    return false;
  }
  connection.slots_to_return = 0;
  ++connection.send_sequence;
  ++statistics_.eager_mailbox;
  return true;
}

std::byte* Connections::take_buffer() {
  if (!buffers_made_) {
    buffers_made_ = true;
    const std::size_t each =
        (settings_.slot_bytes + dma_buffer_bytes - 1) / dma_buffer_bytes * dma_buffer_bytes;
    const std::size_t count = std::max<std::size_t>(
        1, static_cast<std::size_t>(settings_.parameters->num_bufs) * dma_buffer_bytes / 2 / each);
    std::byte* base = memory_.take(count * each);
    port_.check(
        "GNI_MemRegister",
        GNI_MemRegister(port_.nic(), reinterpret_cast<std::uint64_t>(base), count * each, nullptr,
                        GNI_MEM_READWRITE, static_cast<std::uint32_t>(-1), &buffer_handle_));
    registered_.push_back(buffer_handle_);
    for (std::size_t i = count; i-- > 0;) free_buffers_.push_back(base + i * each);
  }
  if (free_buffers_.empty()) return nullptr;
  std::byte* buffer = free_buffers_.back();
  free_buffers_.pop_back();
  return buffer;
}

bool Connections::send_buffered(Connection& connection, PacketHeader header, const std::byte* data,
                                std::uint64_t bytes) {
  if (connection.free_slots == 0) return false;
  std::byte* buffer = take_buffer();
  if (buffer == nullptr) return false;
  header.sequence = connection.send_sequence;
  header.slot_credits = connection.slots_to_return;
  corespec::charge(settings_.copy_time(bytes));
  std::memset(buffer, 0, wire_header_bytes);
  std::memcpy(buffer, &header, sizeof header);
  std::memcpy(buffer + wire_header_bytes, data, bytes);

  DataDescriptor& descriptor = *port_.take_descriptor();
  descriptor.purpose = DataDescriptor::Purpose::eager_put;
  descriptor.connection = &connection;
  descriptor.buffer = buffer;
  descriptor.gni.local_addr = reinterpret_cast<std::uint64_t>(buffer);
  descriptor.gni.local_mem_hndl = buffer_handle_;
  descriptor.gni.remote_addr =
      connection.remote_landing + std::uint64_t{connection.next_slot} * settings_.slot_bytes;
  descriptor.gni.remote_mem_hndl = connection.remote_landing_handle;
  descriptor.gni.length = wire_header_bytes + bytes;
  const bool fma = bytes <= settings_.rdma_threshold;
  if (!port_.post_eager(connection.endpoint(), descriptor, fma)) {
    free_buffers_.push_back(buffer);
    port_.give_back(&descriptor);
    return false;
  }
  if (fma) {  // an FMA PUT has read its source when the post returns
    free_buffers_.push_back(buffer);
    descriptor.buffer = nullptr;
  }
  connection.slots_to_return = 0;
  connection.next_slot = (connection.next_slot + 1) % connection.remote_slots;
  --connection.free_slots;
  ++connection.send_sequence;
  ++puts_under_way_;
  ++statistics_.eager_buffered;
  return true;
}

void Connections::eager_put_done(DataDescriptor& descriptor) {
  if (descriptor.buffer != nullptr) free_buffers_.push_back(descriptor.buffer);
  --puts_under_way_;
}

bool Connections::post_control(Connection& connection, ControlPacket packet) {
  packet.header.slot_credits = connection.slots_to_return;
  if (!send_raw(connection.endpoint(), &packet, sizeof packet, nullptr, 0, "GNI_SmsgSendWTag")) {
    return false;
  }
  connection.slots_to_return = 0;
  if (settings_.wakes_thread() && packet.header.kind != PacketKind::credits) {
    port_.wake_peer(connection.endpoint(), connection.interrupt_handle);
  }
  return true;
}

void Connections::send_control(Connection& connection, const ControlPacket& packet) {
  if (connection.control_backlog.empty() && post_control(connection, packet)) return;
  connection.control_backlog.push_back(packet);
  wait(connection);
}

bool Connections::send_rts(Connection& connection, ControlPacket packet) {
  packet.header.sequence = connection.send_sequence;
  if (!post_control(connection, packet)) return false;
  ++connection.send_sequence;
  ++statistics_.rts_sent;
  return true;
}

bool Connections::flush() {
  if (waiting_.empty()) return false;
  bool any = false;
  // A flush may make others wait: walk what is there now.
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
  std::size_t sent = 0;
  while (sent < connection.control_backlog.size() &&
         post_control(connection, connection.control_backlog[sent])) {
    ++sent;
  }
  if (sent > 0) {
    any = true;
    connection.control_backlog.erase(
        connection.control_backlog.begin(),
        connection.control_backlog.begin() + static_cast<std::ptrdiff_t>(sent));
  }
  while (connection.control_backlog.empty() && !connection.backlog.empty()) {
    RequestImpl& request = *connection.backlog.front();
    connection.backlog.remove(request);
    if (!client_.transmit(connection, request)) {
      connection.backlog.push_front(request);  // nothing behind it may overtake
      break;
    }
    any = true;
  }
  if (!connection.control_backlog.empty() || !connection.backlog.empty()) wait(connection);
  return any;
}

// ---- taking in

bool Connections::drain(Connection& connection) {
  bool any = false;
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i < connection.channels.size(); ++i) {
      if (any && client_.satisfied()) {
        if (!connection.undrained) undrained_.push_back(&connection);
        connection.undrained = true;
        return true;
      }
      again |= take_message(connection, connection.channels[i]);
      again |= take_landed(connection, connection.channels[i]);
      any |= again;
    }
  }
  return any;
}

bool Connections::drain_rest() {
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
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    // Events were lost: any slot may hold something, and some may not be next in turn yet.
    Connection& connection = *connections_[i];
    connection.landed = std::max(connection.landed, settings_.landing_slots);
    drain(connection);
    connection.landed = 0;
    for (const Channel& channel : connection.channels) connection.landed += landed_in(channel);
  }
}

std::uint32_t Connections::landed_in(const Channel& channel) const {
  std::uint32_t count = 0;
  for (std::uint32_t slot = 0; slot < channel.landing_slots; ++slot) {
    const std::byte* at = channel.landing + std::size_t{slot} * settings_.slot_bytes;
    if (!nic::landed(port_.nic(), reinterpret_cast<std::uint64_t>(at)).empty()) ++count;
  }
  return count;
}

bool Connections::take_message(Connection& connection, Channel& channel) {
  void* message = nullptr;
  std::uint8_t tag = GNI_SMSG_ANY_TAG;
  const gni_return_t code = GNI_SmsgGetNextWTag(channel.endpoint, &message, &tag);
  if (code == GNI_RC_NOT_DONE) return false;
  port_.check("GNI_SmsgGetNextWTag", code);
  ControlPacket packet;
  std::memcpy(&packet.header, message, sizeof packet.header);
  const PacketKind kind = packet.header.kind;
  const bool envelope = kind == PacketKind::eager || kind == PacketKind::rts;
  // Out of turn: an E1 message sent before it has not landed yet. It stays in the mailbox.
  if (envelope && packet.header.sequence != connection.receive_sequence) return false;
  if (kind != PacketKind::eager) std::memcpy(&packet, message, sizeof packet);
  connection.free_slots += packet.header.slot_credits;
  if (envelope) {
    ++connection.receive_sequence;
    client_.envelope_arrived(connection, packet.header, packet.memory,
                             static_cast<const std::byte*>(message) + wire_header_bytes);
  }
  port_.check("GNI_SmsgRelease", GNI_SmsgRelease(channel.endpoint));
  if (!envelope && kind != PacketKind::credits) client_.control_arrived(connection, packet);
  return true;
}

bool Connections::take_landed(Connection& connection, Channel& channel) {
  bool any = false;
  for (std::uint32_t slot = 0; connection.landed != 0 && slot < channel.landing_slots; ++slot) {
    const auto address = reinterpret_cast<std::uint64_t>(channel.landing) +
                         std::uint64_t{slot} * settings_.slot_bytes;
    const std::span<const std::byte> packet = nic::landed(port_.nic(), address);
    if (packet.empty()) continue;
    PacketHeader header;
    std::memcpy(&header, packet.data(), sizeof header);
    if (header.sequence != connection.receive_sequence) continue;
    ++connection.receive_sequence;
    --connection.landed;
    connection.free_slots += header.slot_credits;
    client_.envelope_arrived(connection, header, MemoryReference(),
                             packet.data() + wire_header_bytes);
    nic::release_landed(port_.nic(), address);
    return_credits(connection, 1);
    any = true;
    slot = static_cast<std::uint32_t>(-1);  // the next in turn may be in any slot
  }
  return any;
}

void Connections::return_credits(Connection& connection, std::uint16_t freed) {
  connection.slots_to_return = static_cast<std::uint16_t>(connection.slots_to_return + freed);
  // What does not soon travel with another packet goes alone.
  if (2u * connection.slots_to_return < settings_.landing_slots) return;
  ControlPacket packet;
  packet.header.kind = PacketKind::credits;
  send_control(connection, packet);
}

}  // namespace netmod
