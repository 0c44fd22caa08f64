// Segments as bytes, on their way from one part of a machine to another.
#include <cstring>
#include <type_traits>

#include "corespec/host/check.h"
#include "ugni_emu/gemini/message/message_network.h"

namespace gemini {
namespace {

/// A segment on its way; its payload follows, if there is one.
struct PackedSegment {
  RouterId router;  ///< where it arrives
  RouteWord route;
  Passage passage;
  std::uint32_t phits;
  std::uint32_t packets;
  std::uint32_t nic_bytes;
  std::uint8_t channel;
  std::uint8_t port;
  std::uint8_t source_port;
  bool last;
  bool marked;
  ugni::ResponseStatus status;
  std::uint32_t offset;
  std::uint32_t length;
  ugni::Transaction transaction;
};
static_assert(std::is_trivially_copyable_v<PackedSegment>);

}  // namespace

std::size_t MessageNetwork::packed_bytes(const corespec::Event& event) const {
  return sizeof(PackedSegment) + static_cast<const Segment&>(event).payload.size();
}

void MessageNetwork::pack(corespec::Event& event, std::span<std::byte> into) {
  auto& segment = static_cast<Segment&>(event);
  const PackedSegment packed{
      segment.router->number(), segment.route,     segment.passage,    segment.phits,
      segment.packets,          segment.nic_bytes, segment.channel,    segment.port,
      segment.source_port,      segment.last,      segment.marked,     segment.status,
      segment.offset,           segment.length,    segment.transaction};
  std::memcpy(into.data(), &packed, sizeof packed);
  if (!segment.payload.empty()) segment.payload.copy_to(0, into.subspan(sizeof packed));
  share_.segments.put(segment);
}

corespec::Event& MessageNetwork::unpack(std::span<const std::byte> bytes) {
  PackedSegment packed;
  CASTOR_CHECK(bytes.size() >= sizeof packed, "a segment has been cut");
  std::memcpy(&packed, bytes.data(), sizeof packed);
  const std::span<const std::byte> payload = bytes.subspan(sizeof packed);
  Segment& segment = share_.segments.take();
  segment.router = &routers_.at(packed.router);
  segment.route = packed.route;
  segment.passage = packed.passage;
  segment.phits = packed.phits;
  segment.packets = packed.packets;
  segment.nic_bytes = packed.nic_bytes;
  segment.channel = packed.channel;
  segment.port = packed.port;
  segment.source_port = packed.source_port;
  segment.last = packed.last;
  segment.marked = packed.marked;
  segment.status = packed.status;
  segment.offset = packed.offset;
  segment.length = packed.length;
  segment.transaction = packed.transaction;
  if (!payload.empty()) segment.payload = ugni::Payload(payloads(), payload);
  return segment;
}

}  // namespace gemini
