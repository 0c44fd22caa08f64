// The calls by which eager messages go to the NIC and come from it: the doors, or public ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "netmod/device/interface/device.h"
#include "netmod/device/messages/packet.h"
#include "ugni_emu/doors/doors.h"

namespace netmod {

class RankPort;

/// A message that a mailbox has handed out: `there` bytes lie at `bytes`, of `all`.
struct Mail {
  const std::byte* bytes = nullptr;
  std::size_t there = 0;
  std::uint64_t all = 0;
};

/// The device sends and takes in by the doors (ugni_emu/doors/doors.h). A test can have it use the
/// public calls that they stand for, and compares: neither times nor events may differ.
class EagerCalls {
 public:
  // E0 and control packets. With a `loan` (not open) the data may stay where they are.

  virtual gni_return_t send(gni_ep_handle_t endpoint, std::span<const std::byte> header,
                            std::span<const std::byte> data, std::uint32_t msg_id,
                            ugni::Loan* loan) const = 0;
  /// The first message of the mailbox, which is not empty.
  virtual gni_return_t next(gni_ep_handle_t endpoint, Mail& mail) const = 0;
  /// The bytes of what next() has handed out; GNI_SmsgRelease() is to follow.
  virtual ugni::Payload take(RankPort& port, gni_ep_handle_t endpoint, const Mail& mail) const = 0;

  // E1.

  /// Memory that peers' E1 messages land in, once it is registered.
  virtual void prepare_landing(RankPort& port, const gni_mem_handle_t& memory) const = 0;
  /// Completes a header, whose own fields are set.
  virtual void complete(PacketHeader& header, std::span<const std::byte> data) const = 0;
  /// Posts a PUT of `header` and `data` by FMA from the buffer at put.local_addr, which is free
  /// again when the call returns.
  virtual gni_return_t put(RankPort& port, gni_ep_handle_t endpoint, gni_post_descriptor_t& put,
                           std::span<const std::byte> header, std::span<const std::byte> data,
                           ugni::Loan* loan) const = 0;
  /// What landed at `address` as a whole, or its header and more; empty if nothing did yet.
  virtual std::span<const std::byte> landed(RankPort& port, std::uint64_t address) const = 0;
  virtual ugni::Payload take_landed(RankPort& port, std::uint64_t address) const = 0;

 protected:
  ~EagerCalls() = default;
};

const EagerCalls& eager_calls(GniCalls which);

}  // namespace netmod
