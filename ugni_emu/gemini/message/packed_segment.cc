// Segments as bytes, on their way from one part of a machine to another.
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "ugni_emu/gemini/message/message_network.h"

namespace gemini {

/// A segment on its way; its payload follows, if there is one.
struct MessageNetwork::PackedSegment {
  RouterId router;  ///< where it arrives
  RouteWord route;
  Passage passage;
  std::uint32_t phits;
  std::uint32_t packets;
  std::uint32_t nic_bytes;
  std::uint8_t tries;
  std::uint8_t channel;
  std::uint8_t port;
  std::uint8_t source_port;
  std::uint8_t last;
  std::uint8_t marked;
  ugni::ResponseStatus status;
  std::uint32_t offset;
  std::uint32_t length;
  ugni::Transaction transaction;
};

std::size_t MessageNetwork::packed_bytes(const corespec::Event& event) const {
  return sizeof(PackedSegment) + static_cast<const Segment&>(event).payload.size();
}

void MessageNetwork::pack(corespec::Event& event, std::span<std::byte> into) {
  static_assert(std::is_trivially_copyable_v<PackedSegment>);
  auto& segment = static_cast<Segment&>(event);
  const PackedSegment packed{segment.router->number(),
                             segment.route,
                             segment.passage,
                             segment.phits,
                             segment.packets,
                             segment.nic_bytes,
                             segment.tries,
                             segment.channel,
                             segment.port,
                             segment.source_port,
                             segment.last,
                             segment.marked,
                             segment.status,
                             segment.offset,
                             segment.length,
                             segment.transaction};
  std::memcpy(into.data(), &packed, sizeof packed);
  if (!segment.payload.empty()) segment.payload.copy_to(0, into.subspan(sizeof packed));
  share_.segments.put(segment);
}

/// All that is used as a place in an array. Where its way leads is believed.
bool MessageNetwork::can_be_here(const PackedSegment& packed, std::size_t payload) const {
  const ugni::Transaction& transaction = packed.transaction;
  const unsigned nics = topology_->nics_per_router();
  return packed.router < topology_->routers() && packed.channel <= kResponses &&
         packed.port < nics && packed.source_port < nics &&
         packed.route.fits(topology_->links_per_router()) &&
         packed.status <= ugni::last_response_status &&
         transaction.kind <= ugni::TransactionKind::collective &&
         topology_->contains(transaction.source) && topology_->contains(transaction.target) &&
         std::uint64_t{packed.offset} + packed.length <= transaction.length &&
         (payload == 0 || payload == packed.length);
}

corespec::Event& MessageNetwork::unpack(std::span<const std::byte> bytes) {
  PackedSegment packed;
  if (bytes.size() < sizeof packed) throw std::runtime_error("a segment has been cut");
  std::memcpy(&packed, bytes.data(), sizeof packed);
  const std::span<const std::byte> payload = bytes.subspan(sizeof packed);
  if (!can_be_here(packed, payload.size())) throw std::runtime_error("a segment is damaged");
  Segment& segment = share_.segments.take();
  segment.router = &routers_.at(packed.router);
  segment.route = packed.route;
  segment.passage = packed.passage;
  segment.phits = packed.phits;
  segment.packets = packed.packets;
  segment.nic_bytes = packed.nic_bytes;
  segment.tries = packed.tries;
  segment.channel = packed.channel & 1;
  segment.port = packed.port;
  segment.source_port = packed.source_port;
  segment.last = packed.last != 0;
  segment.marked = packed.marked != 0;
  segment.status = packed.status;
  segment.offset = packed.offset;
  segment.length = packed.length;
  segment.transaction = packed.transaction;
  if (!payload.empty()) segment.payload = ugni::Payload(payloads(), payload);
  return segment;
}

}  // namespace gemini
