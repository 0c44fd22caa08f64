// Registers of a node's Gemini, and a read of them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "ugni_emu/wire/wire.h"

namespace ugni {

/// A fixed counter of a tile: Cray's numbers (S0, table I).
enum class TileCounter : std::uint8_t {
  request_phits,
  response_phits,
  request_packets,
  response_packets,
  input_stalls,   ///< cycles of 800 MHz
  output_stalls,  ///< the same
};
inline constexpr unsigned tile_counter_count = 6;

/// What passes a NIC, in packets and flits. A flit is 16 bytes; a packet's first one is its header.
enum class NicFlow : std::uint8_t {
  fma,                 ///< requests of the FMA that leave the NIC
  bte,                 ///< those of the BTE
  loopback,            ///< requests of the NIC to itself
  responses_received,  ///< answers to the requests that have left
  requests_received,
  atomics_received,  ///< those of them that are for the AMO unit
  gets_answered,     ///< responses sent
  atomics_answered,
  others_answered,
};
inline constexpr unsigned nic_flow_count = 9;

/// A register: of a tile of the router, or of one of its NICs.
struct Register {
  enum class Kind : std::uint8_t {
    tile,
    nic_packets,  ///< of all `flows`
    nic_flits,    ///< headers and data
    nic_header_flits,
    nic_data_flits,
    nothing,  ///< what this machine does not have, such as stalls of a NIC: always 0
  };
  Kind kind = Kind::nothing;
  std::uint8_t tile = 0;  ///< row after row, from 0
  TileCounter counter = TileCounter::request_phits;
  std::uint16_t flows = 0;  ///< bits (1 << NicFlow)
};

constexpr std::uint16_t flow_bit(NicFlow flow) {
  return static_cast<std::uint16_t>(1U << static_cast<unsigned>(flow));
}

constexpr Register tile_register(std::uint8_t tile, TileCounter counter) {
  return {Register::Kind::tile, tile, counter, 0};
}

/// A read of registers. The reader's, and there until it was answered.
class RegisterRead {
 public:
  /// Registers of NICs are those of `nic_address`.
  RegisterRead(NicAddress nic_address, std::vector<Register> which)
      : nic(nic_address), registers(std::move(which)), values(registers.size()) {}

  const NicAddress nic;
  const std::vector<Register> registers;
  /// Once it was answered. Those of tiles are of one moment at the router, those of NICs of the
  /// moment of the answer.
  std::vector<std::uint64_t> values;

  /// In the NIC's domain, when the values are there.
  virtual void answered() = 0;

 protected:
  ~RegisterRead() = default;
};

}  // namespace ugni
