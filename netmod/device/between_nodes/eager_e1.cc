// E1: messages through a DMA buffer into the landing ring of the receiver, and the ring's credits.
#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "corespec/threads/thread.h"
#include "netmod/device/between_nodes/connection.h"

namespace netmod {

// ---- sending

std::byte* Connections::take_buffer() {
  if (spare_buffer_ != nullptr) return std::exchange(spare_buffer_, nullptr);
  if (!buffers_made_) {
    buffers_made_ = true;
    const std::size_t each =
        (settings_.largest_eager + dma_buffer_bytes - 1) / dma_buffer_bytes * dma_buffer_bytes;
    const std::size_t count = std::max<std::size_t>(
        1, static_cast<std::size_t>(settings_.parameters->num_bufs) * dma_buffer_bytes / 2 / each);
    std::byte* base = memory_.take(count * each);
    buffer_handle_ = port_.register_memory(base, count * each, nullptr);
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
    posted = port_.put_eager(connection.receiver(), put, std::as_bytes(std::span(&header, 1)),
                             {data, bytes}, loan);
  } else {
    std::memcpy(buffer, &header, wire_header_bytes);
    std::memcpy(buffer + wire_header_bytes, data, bytes);
    posted = put_by_bte(connection, put, buffer, cost);
  }
  if (fma || !posted) give_back_buffer(buffer);
  if (!posted) return false;
  if (!fma) ++puts_under_way_;
  if (port_.keeps()) connection.need_extras().units_used += cost;
  connection.units_to_return = 0;
  connection.remote_ring.advance(wire_header_bytes + bytes);
  connection.free_units -= cost;
  ++connection.send_sequence;
  ++buffered_sent_;
  return true;
}

bool Connections::put_by_bte(Connection& connection, const gni_post_descriptor_t& put,
                             std::byte* buffer, std::uint32_t cost) {
  const std::span<const std::byte> packet(buffer, put.length);
  DataDescriptor& descriptor = port_.keeps() ? port_.keep(DataDescriptor::Purpose::eager_put,
                                                          connection.receiver(), packet, {})
                                             : *port_.take_descriptor();
  descriptor.purpose = DataDescriptor::Purpose::eager_put;
  descriptor.gni = put;
  descriptor.buffer = buffer;
  if (!port_.put_eager_bte(connection.endpoint(), descriptor)) {
    port_.give_back(&descriptor);
    return false;
  }
  if (port_.keeps()) {
    forget_landed(connection);
    ConnectionExtras& extras = connection.need_extras();
    extras.left.push_back({extras.units_used + cost, &descriptor});
  }
  return true;
}

/// Of those that left by the BTE, the ones whose places have come back.
void Connections::forget_landed(Connection& connection) {
  ConnectionExtras& extras = connection.need_extras();
  const std::uint32_t in_use = connection.remote_ring.units() - connection.free_units;
  const std::uint64_t come_back = extras.units_used - in_use;
  while (!extras.left.empty() && extras.left.front().end <= come_back &&
         extras.left.front().descriptor->has_left) {
    port_.give_back(extras.left.front().descriptor);
    extras.left.pop_front();
  }
}

void Connections::eager_put_event(gni_cq_entry_t entry, DataDescriptor& descriptor, bool failed) {
  const bool again = descriptor.has_left;
  if (!again) {
    port_.took_data_event();
    give_back_buffer(descriptor.buffer);
    --puts_under_way_;
    descriptor.has_left = true;
  }
  if (failed) {
    if (descriptor.kept == nullptr) port_.check_failure(entry, descriptor);  // ends the job
    port_.failed_late(entry, descriptor);
  } else if (!port_.keeps()) {
    port_.give_back(&descriptor);
  }
}

// ---- taking in

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
