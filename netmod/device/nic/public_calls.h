// The calls that the doors stand for, all of them public: for the test that compares the two.
#pragma once

#include "netmod/device/nic/eager_calls.h"

namespace netmod {

/// Bytes are copied as on the real machine: into DMA buffers, to where they land, and out of
/// mailboxes and landing rings. A PUT's pieces come in any order with other PUTs' events between
/// them, so that an E1 header has a checksum of the message, in a field that eager messages leave
/// free: a message has landed when that is right.
class PublicCalls final : public EagerCalls {
 public:
  gni_return_t send(gni_ep_handle_t endpoint, std::span<const std::byte> header,
                    std::span<const std::byte> data, std::uint32_t msg_id,
                    ugni::Loan* loan) const override;
  gni_return_t next(gni_ep_handle_t endpoint, Mail& mail) const override;
  ugni::Payload take(RankPort& port, gni_ep_handle_t endpoint, const Mail& mail) const override;
  void prepare_landing(RankPort& port, const gni_mem_handle_t& memory) const override;
  void complete(PacketHeader& header, std::span<const std::byte> data) const override;
  gni_return_t put(RankPort& port, gni_ep_handle_t endpoint, gni_post_descriptor_t& put,
                   std::span<const std::byte> header, std::span<const std::byte> data,
                   ugni::Loan* loan) const override;
  std::span<const std::byte> landed(RankPort& port, std::uint64_t address) const override;
  ugni::Payload take_landed(RankPort& port, std::uint64_t address) const override;
};

}  // namespace netmod
