// What travels: the packets of Cray's protocols E0, E1, R0 and R1.
#pragma once

#include <cstdint>

#include "netmod/device/interface/device.h"
#include "ugni_emu/include/gni_pub.h"

namespace netmod {

/// Nemesis' packet types, as far as the protocols need them. E0 and E1 carry their data; R0 and
/// R1 begin with an RTS; what the receiver answers decides which it is: a GET of its own (R0,
/// ended by receive done) or CTS, RDMA write and send done for every chunk (R1).
enum class PacketKind : std::uint8_t {
  none = 0,
  eager,         ///< E0 in the mailbox, E1 in the landing ring: data follows the header
  rts,           ///< ready to send: where the data is
  cts,           ///< clear to send: where a chunk may be written
  send_done,     ///< a chunk has been written
  receive_done,  ///< all of the message has been read
  cancel,        ///< the sender wants its RTS back; answered only if no receive has met it
  recall,        ///< the same of an eager message, which is over for its sender; always answered
  cancelled,     ///< it was thrown away
  kept,          ///< answer to a recall: a receive has met the message
  credits        ///< room in the landing ring is free again
};

/// Envelope and bookkeeping of an eager message: with up to 16 bytes of data it fills one 64-byte
/// network transaction, which is where S0 saw messages begin to take several.
constexpr std::uint32_t wire_header_bytes = 48;

/// The header of every packet. `sequence` orders the packets of one connection that carry an
/// envelope (eager and RTS), since mailbox and landing ring may overtake each other; in others it
/// is how many of these went before.
struct PacketHeader {
  PacketKind kind = PacketKind::none;
  std::uint8_t tail_bytes : 7 = 0;  ///< RTS: bytes of `tail` (a GET moves whole words)
  bool without_data : 1 = false;    ///< with an envelope: the message is addresses only
  std::uint16_t ring_credits = 0;   ///< units of the landing ring freed since the last packet
  std::uint32_t sequence = 0;
  Envelope envelope;
  std::uint8_t tail[4] = {};
  std::uint64_t bytes = 0;            ///< of the message; of the chunk in CTS and send done
  std::uint64_t send_request = 0;     ///< the sender's name for its request; eager: its number
  std::uint64_t receive_request = 0;  ///< the receiver's; recall: the message's number
};
static_assert(sizeof(PacketHeader) == wire_header_bytes);

/// Where data is: the second part of RTS and CTS.
struct MemoryReference {
  std::uint64_t address = 0;
  gni_mem_handle_t handle{};
  std::uint64_t offset = 0;  ///< CTS: of the chunk within the message
};

struct ControlPacket {
  PacketHeader header;
  MemoryReference memory;
};

}  // namespace netmod
