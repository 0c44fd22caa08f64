// Packets and phits of a segment: what a request and its response weigh on the wire.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "corespec/config/parameters.h"
#include "ugni_emu/gemini/format/channels.h"
#include "ugni_emu/gemini/format/compression.h"
#include "ugni_emu/wire/wire.h"

namespace gemini {

/// Weight of one segment in one direction.
struct Weight {
  std::uint32_t packets = 0;
  std::uint32_t phits = 0;
  std::uint32_t payload = 0;  ///< bytes that the NIC moves
  bool operator==(const Weight&) const = default;
};

/// The kinds whose `length` bytes travel with the request.
constexpr bool carries_data(ugni::TransactionKind kind) {
  return kind == ugni::TransactionKind::put || kind == ugni::TransactionKind::message ||
         kind == ugni::TransactionKind::datagram;
}

/// The kinds that may be cut into segments; the others are one packet each.
constexpr bool divisible(ugni::TransactionKind kind) {
  return carries_data(kind) || kind == ugni::TransactionKind::get;
}

/// The packet format. Every request packet is answered by one response packet.
///
/// | kind                   | request (VC0), phits per packet | response (VC1)                |
/// |------------------------|---------------------------------|-------------------------------|
/// | put, message, datagram | 10 + payload                    | 3                             |
/// | get                    | 8                               | 5 + payload                   |
/// | cq_write, credit       | 10 + 8 bytes, one packet        | 3                             |
/// | atomic                 | 10 + 16 bytes, one packet       | 5 + 8 bytes                   |
/// | collective             | 10 + 24 bytes, one packet       | 3                             |
///
/// Payload phits are the bytes of each 64-byte packet over 3, rounded up (64: 22; S0). Without
/// data (length 0) a put, message, datagram or get is one packet without payload. A request that
/// failed is answered by headers only. With CASTOR_COMPRESSION packets whose bytes are known have
/// compressed_phits() of payload. Put and get are S0's figures; the 8 bytes of a CQ write and
/// of a credit (a word written), the operands of an AMO, and those of a collective engine with a
/// word that says of what are estimates.
class PacketFormat {
 public:
  explicit PacketFormat(const corespec::Parameters& parameters)
      : phit_bytes_(static_cast<std::uint32_t>(parameters.phit_bytes)),
        packet_payload_(static_cast<std::uint32_t>(parameters.packet_payload)),
        put_header_(static_cast<std::uint32_t>(parameters.put_header_phits)),
        put_ack_(static_cast<std::uint32_t>(parameters.put_ack_phits)),
        get_request_(static_cast<std::uint32_t>(parameters.get_request_phits)),
        get_header_(static_cast<std::uint32_t>(parameters.get_header_phits)),
        full_packet_(payload_phits(packet_payload_)),
        compresses_(parameters.compression == "runs") {}

  std::uint32_t packet_payload() const { return packet_payload_; }

  bool compresses() const { return compresses_; }
  /// A weight's, less what compression saves of its payload, `bytes`.
  Weight compressed(Weight weight, std::span<const std::byte> bytes) const {
    weight.phits -= saved_phits(bytes, packet_payload_, phit_bytes_);
    return weight;
  }

  /// Phits of a full packet of a request (VC0) or response (VC1).
  std::uint32_t full_packet(ugni::TransactionKind kind, unsigned channel) const {
    const Weight weight = channel == kRequests ? request(kind, packet_payload_)
                                               : response(kind, packet_payload_, true);
    return weight.phits;
  }

  /// The request of a segment of `length` bytes (at most 1 MiB, segment_bytes' upper limit).
  Weight request(ugni::TransactionKind kind, std::uint32_t length) const {
    switch (kind) {
      case ugni::TransactionKind::get: {
        const std::uint32_t packets = packets_of(length);
        return {packets, packets * get_request_, 0};
      }
      case ugni::TransactionKind::cq_write:
      case ugni::TransactionKind::credit:
        return {1, put_header_ + payload_phits(kWord), kWord};
      case ugni::TransactionKind::atomic:
        return {1, put_header_ + payload_phits(2 * kWord), 2 * kWord};
      case ugni::TransactionKind::collective:
        return {1, put_header_ + payload_phits(3 * kWord), 3 * kWord};
      case ugni::TransactionKind::put:
      case ugni::TransactionKind::message:
      case ugni::TransactionKind::datagram:
        break;
    }
    return with_payload(put_header_, length);
  }

  /// The response to it; one that failed carries no data.
  Weight response(ugni::TransactionKind kind, std::uint32_t length, bool ok) const {
    if (kind == ugni::TransactionKind::get) {
      if (ok) return with_payload(get_header_, length);
      const std::uint32_t packets = packets_of(length);
      return {packets, packets * get_header_, 0};
    }
    if (kind == ugni::TransactionKind::atomic) {
      if (ok) return {1, get_header_ + payload_phits(kWord), kWord};
      return {1, get_header_, 0};
    }
    const std::uint32_t packets = carries_data(kind) ? packets_of(length) : 1;
    return {packets, packets * put_ack_, 0};
  }

 private:
  static constexpr std::uint32_t kWord = 8;

  std::uint32_t payload_phits(std::uint32_t bytes) const {
    return (bytes + phit_bytes_ - 1) / phit_bytes_;
  }
  std::uint32_t packets_of(std::uint32_t length) const {
    return length == 0 ? 1 : (length + packet_payload_ - 1) / packet_payload_;
  }
  /// Full packets and a last one by its real payload.
  Weight with_payload(std::uint32_t header, std::uint32_t length) const {
    const std::uint32_t packets = packets_of(length);
    const std::uint32_t tail = length - (packets - 1) * packet_payload_;
    return {packets, packets * header + (packets - 1) * full_packet_ + payload_phits(tail), length};
  }

  std::uint32_t phit_bytes_, packet_payload_;
  std::uint32_t put_header_, put_ack_, get_request_, get_header_;
  std::uint32_t full_packet_;  ///< payload phits of a full packet
  bool compresses_;
};

}  // namespace gemini
