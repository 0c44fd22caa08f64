// What a component writes of a marked packet: 32 bytes, and what they name.
#pragma once

#include <compare>
#include <cstdint>

#include "corespec/time/time.h"

namespace telemetry {

/// A component of the network that marked packets pass: a NIC or a router.
class Component {
 public:
  static constexpr Component nic(std::uint32_t nid) { return Component(nid); }
  static constexpr Component router(std::uint32_t number) { return Component(number | router_bit); }
  static constexpr Component none() { return Component(~0U); }
  static constexpr Component of_bits(std::uint32_t bits) { return Component(bits); }

  constexpr bool is_router() const { return (bits_ & router_bit) != 0; }
  /// The NIC's nid, or the router's number.
  constexpr std::uint32_t number() const { return bits_ & ~router_bit; }
  constexpr std::uint32_t bits() const { return bits_; }
  constexpr auto operator<=>(const Component&) const = default;

 private:
  static constexpr std::uint32_t router_bit = 1U << 31;
  explicit constexpr Component(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_;
};

/// A marked packet has passed a component. In fidelity `message` a segment stands for the packet.
/// Mark and source (the nid of its transaction's initiator) say which packet it is. Times are the
/// component's own clock's.
///
/// 32 bytes, so that 64 of them fit into the 2 KB of S3's components. Its layout is ours.
struct Record {
  enum Flag : std::uint8_t {
    response = 1,   ///< the packet is on its way back
    command = 2,    ///< no packet: the NIC has sent the last packet of a marked command
    delivered = 4,  ///< at the NIC that it is for
    set_here = 8,   ///< the mark is this component's own
  };

  std::uint32_t mark = 0;
  std::uint32_t source = 0;
  std::int64_t arrived_ps = 0;
  std::uint64_t waited_ps : 48 =
      0;                       ///< until service began; for command: until the last packet left
  std::uint64_t port : 8 = 0;  ///< by which it leaves a router
  std::uint64_t flags : 8 = 0;
  std::uint32_t next = 0;    ///< Component::bits() of where it goes
  std::uint32_t behind = 0;  ///< what was served before it while it waited: Flow number; 0: nothing

  bool is(Flag flag) const { return (flags & flag) != 0; }
  corespec::Time arrived() const { return corespec::Time::picoseconds(arrived_ps); }
  corespec::Time waited() const {
    return corespec::Time::picoseconds(static_cast<std::int64_t>(waited_ps));
  }
  Component next_hop() const { return Component::of_bits(next); }
  void set_waited(corespec::Time waited) {
    constexpr std::int64_t most = (std::int64_t{1} << 48) - 1;
    waited_ps = static_cast<std::uint64_t>(waited.ps() > most ? most : waited.ps());
  }
};
static_assert(sizeof(Record) == 32);

/// One end of a transaction: the communication domain with this number on the node.
struct FlowEnd {
  std::uint32_t nid = 0;
  std::uint32_t instance = 0;
  auto operator<=>(const FlowEnd&) const = default;
};

/// The transactions from one endpoint to another.
struct Flow {
  FlowEnd source, target;
  std::uint32_t mark = 0;  ///< of the one that is meant; 0: it has none
  auto operator<=>(const Flow&) const = default;
};

}  // namespace telemetry
