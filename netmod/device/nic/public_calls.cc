// The calls that the doors stand for.
#include "netmod/device/nic/public_calls.h"

#include <cstring>

#include "netmod/device/nic/rank_port.h"

namespace netmod {
namespace {

void* pointer(std::span<const std::byte> bytes) { return const_cast<std::byte*>(bytes.data()); }
auto length(std::span<const std::byte> bytes) { return static_cast<std::uint32_t>(bytes.size()); }

/// FNV-1a of a header without its checksum, and of the data behind it.
std::uint64_t checksum(PacketHeader header, const std::byte* data, std::uint64_t bytes) {
  std::uint64_t sum = 0xcbf29ce484222325;
  const auto add = [&sum](const std::byte* from, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      sum = (sum ^ std::to_integer<std::uint64_t>(from[i])) * 0x100000001b3;
    }
  };
  header.receive_request = 0;
  add(reinterpret_cast<const std::byte*>(&header), sizeof header);
  add(data, bytes);
  return sum;
}

}  // namespace

gni_return_t PublicCalls::send(gni_ep_handle_t endpoint, std::span<const std::byte> header,
                               std::span<const std::byte> data, std::uint32_t msg_id,
                               ugni::Loan*) const {
  return GNI_SmsgSendWTag(endpoint, pointer(header), length(header), pointer(data), length(data),
                          msg_id, 0);
}

gni_return_t PublicCalls::next(gni_ep_handle_t endpoint, Mail& mail) const {
  void* message = nullptr;
  std::uint8_t tag = GNI_SMSG_ANY_TAG;
  const gni_return_t code = GNI_SmsgGetNextWTag(endpoint, &message, &tag);
  if (code != GNI_RC_SUCCESS) return code;
  PacketHeader header;
  std::memcpy(&header, message, sizeof header);
  const std::uint64_t size =
      header.kind == PacketKind::eager ? wire_header_bytes + header.bytes : sizeof(ControlPacket);
  mail = {static_cast<const std::byte*>(message), size, size};
  return code;
}

ugni::Payload PublicCalls::take(RankPort& port, gni_ep_handle_t, const Mail& mail) const {
  return {doors::payload_pool(port.nic()), std::span(mail.bytes, mail.there)};
}

void PublicCalls::prepare_landing(RankPort&, const gni_mem_handle_t&) const {}

void PublicCalls::complete(PacketHeader& header, std::span<const std::byte> data) const {
  header.receive_request = checksum(header, data.data(), data.size());
}

gni_return_t PublicCalls::put(RankPort& port, gni_ep_handle_t endpoint, gni_post_descriptor_t& put,
                              std::span<const std::byte> header, std::span<const std::byte> data,
                              ugni::Loan*) const {
  auto* const buffer = reinterpret_cast<std::byte*>(put.local_addr);
  std::memcpy(buffer, header.data(), header.size());
  std::memcpy(buffer + header.size(), data.data(), data.size());
  DataDescriptor& descriptor = *port.take_descriptor();  // comes back with the event
  descriptor.purpose = DataDescriptor::Purpose::eager_put;
  descriptor.gni = put;
  const gni_return_t code = GNI_PostFma(endpoint, &descriptor.gni);
  if (code != GNI_RC_SUCCESS) port.give_back(&descriptor);
  return code;
}

std::span<const std::byte> PublicCalls::landed(RankPort& port, std::uint64_t address) const {
  const auto* const at = reinterpret_cast<const std::byte*>(address);
  PacketHeader header;
  std::memcpy(&header, at, sizeof header);
  if (header.kind != PacketKind::eager || header.bytes > port.settings().largest_eager ||
      header.receive_request != checksum(header, at + wire_header_bytes, header.bytes)) {
    return {};
  }
  return {at, wire_header_bytes + header.bytes};
}

ugni::Payload PublicCalls::take_landed(RankPort& port, std::uint64_t address) const {
  return {doors::payload_pool(port.nic()), landed(port, address)};
}

}  // namespace netmod
