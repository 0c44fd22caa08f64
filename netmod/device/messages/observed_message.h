// What an observer is told of MPI's messages.
#pragma once

#include <cstdint>

#include "corespec/threads/observed_thread.h"
#include "netmod/device/messages/request_impl.h"

namespace netmod {

/// How a message goes. A sender does not know yet which rendezvous it will be.
namespace protocol {
constexpr const char* e0 = "E0";
constexpr const char* e1 = "E1";
constexpr const char* r0 = "R0";
constexpr const char* r1 = "R1";
constexpr const char* rendezvous = "R";
constexpr const char* within_node = "node";
}  // namespace protocol

/// Eager messages and rendezvous are numbered apart.
constexpr std::uint64_t message_key(PacketKind kind, std::uint64_t number) {
  return kind == PacketKind::eager ? number : number | std::uint64_t{1} << 63;
}

/// `send` is on its way: a message that begins with a packet of kind `kind` (eager, RTS).
inline void observe_sent(const corespec::EventDomain& domain, const RequestImpl& send,
                         PacketKind kind, std::uint64_t number, const char* protocol) {
  corespec::observe_message(
      domain, corespec::Occurrence::Kind::message_sent,
      {send.peer, message_key(kind, number), send.bytes, protocol, of_collective(send.envelope)});
}

/// All of the message that `peer` has sent as number `number` is in the receiver's buffer.
inline void observe_received(const corespec::EventDomain& domain, int peer, PacketKind kind,
                             std::uint64_t number, std::uint64_t bytes, const char* protocol) {
  corespec::observe_message(domain, corespec::Occurrence::Kind::message_received,
                            {peer, message_key(kind, number), bytes, protocol});
}

}  // namespace netmod
