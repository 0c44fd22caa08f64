// Connections: what is sent in which order, and what waits; the peers that packets are taken from.
#include "netmod/device/between_nodes/connection.h"

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

bool Connections::send_raw(const Connection& connection, std::span<const std::byte> header,
                           std::span<const std::byte> data, ugni::Loan* loan) {
  const gni_return_t code = port_.send(connection.receiver(), header, data, loan);
  if (code == GNI_RC_NOT_DONE) return false;
  port_.check("GNI_SmsgSendWTag", code);
  return true;
}

bool Connections::post_control(Connection& connection, ControlPacket& packet) {
  const corespec::EventDomain::Hold hold(process_.node().domain());  // packet and CQ write together
  packet.header.sequence = connection.send_sequence;
  packet.header.ring_credits = connection.units_to_return;
  if (!send_raw(connection, std::as_bytes(std::span(&packet, 1)), {}, nullptr)) {
    return false;
  }
  connection.units_to_return = 0;
  if (settings_.wakes_thread() && packet.header.kind != PacketKind::credits) {
    port_.wake_peer(connection.receiver());
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
  has_missed_events_ = true;
  for (std::size_t i = 0; i < connection_count_; ++i) {
    // Events were lost: the ring may hold more than was counted. A count too high costs looks only.
    Connection& connection = connection_at(i);
    for (std::size_t at = 0; at < connection.channel_count; ++at) {
      connection.landed += connection.channel(at).ring.units();
    }
    drain(connection);
  }
}

void Connections::fail_packet(const Connection& connection) const {
  port_.fail_peer(connection.peer, "a packet whose size is not what it says");
}

}  // namespace netmod
