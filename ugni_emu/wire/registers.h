// Registers of a node's Gemini, and a read of them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

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

/// A counter of a tile of the router that a node's NIC is joined to.
struct TileRegister {
  std::uint8_t tile = 0;  ///< row after row, from 0
  TileCounter counter = TileCounter::request_phits;
};

/// A read of registers. The reader's, and there until it was answered.
class RegisterRead {
 public:
  explicit RegisterRead(std::vector<TileRegister> which)
      : registers(std::move(which)), values(registers.size()) {}

  const std::vector<TileRegister> registers;
  std::vector<std::uint64_t> values;  ///< once it was answered: all of one moment

  /// In the NIC's domain, when the values are there.
  virtual void answered() = 0;

 protected:
  ~RegisterRead() = default;
};

}  // namespace ugni
