// The calls by which eager messages go to the NIC and come from it: the doors.
#include "netmod/device/nic/eager_calls.h"

#include "netmod/device/nic/public_calls.h"
#include "netmod/device/nic/rank_port.h"

namespace netmod {
namespace {

class DoorCalls final : public EagerCalls {
 public:
  gni_return_t send(gni_ep_handle_t endpoint, std::span<const std::byte> header,
                    std::span<const std::byte> data, std::uint32_t msg_id,
                    ugni::Loan* loan) const override {
    return doors::send_message(endpoint, header, data, msg_id, loan);
  }

  gni_return_t next(gni_ep_handle_t endpoint, Mail& mail) const override {
    const ugni::PayloadBlock* message = nullptr;
    const gni_return_t code = doors::next_message(endpoint, message);
    if (code == GNI_RC_SUCCESS) {
      mail = {message->bytes().data(), message->size, message->all_bytes()};
    }
    return code;
  }

  ugni::Payload take(RankPort&, gni_ep_handle_t endpoint, const Mail&) const override {
    return doors::take_message(endpoint);
  }

  void prepare_landing(RankPort& port, const gni_mem_handle_t& memory) const override {
    doors::keep_payloads(port.nic(), memory);
  }

  void complete(PacketHeader&, std::span<const std::byte>) const override {}

  gni_return_t put(RankPort&, gni_ep_handle_t endpoint, gni_post_descriptor_t& put,
                   std::span<const std::byte> header, std::span<const std::byte> data,
                   ugni::Loan* loan) const override {
    return doors::post_fma(endpoint, &put, header, data, loan);
  }

  std::span<const std::byte> landed(RankPort& port, std::uint64_t address) const override {
    return doors::landed(port.nic(), address);
  }

  ugni::Payload take_landed(RankPort& port, std::uint64_t address) const override {
    return doors::take_landed(port.nic(), address);
  }
};

}  // namespace

const EagerCalls& eager_calls(GniCalls which) {
  static constexpr DoorCalls by_doors;
  static constexpr PublicCalls by_public_calls;
  if (which == GniCalls::doors) return by_doors;
  return by_public_calls;
}

}  // namespace netmod
