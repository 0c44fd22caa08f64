// E0: messages in the mailbox, header and data; control packets come the same way.
#include <cstring>
#include <span>

#include "netmod/device/between_nodes/connection.h"

namespace netmod {

bool Connections::send_message(Connection& connection, PacketHeader& header, const std::byte* data,
                               std::uint64_t bytes, ugni::Loan* loan) {
  header.sequence = connection.send_sequence;
  header.ring_credits = connection.units_to_return;
  const auto packet = std::as_bytes(std::span(&header, 1));
  if (!send_raw(connection, packet, {data, bytes}, loan)) return false;
  connection.units_to_return = 0;
  ++connection.send_sequence;
  ++statistics_.eager_mailbox;
  return true;
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

}  // namespace netmod
