// Loads for tests of fidelity `packet`: what is sent, and that all of it comes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/gemini/test_machine.h"
#include "ugni_emu/gemini/packet/packet_network.h"

namespace gemini_test {

inline corespec::Parameters in_packets() {
  corespec::Parameters parameters;
  parameters.fidelity = "packet";
  return parameters;
}

/// Buffers as small as may be, so that everything fills.
inline corespec::Parameters tight() {
  corespec::Parameters parameters = in_packets();
  parameters.tile_input_phits = 32;
  parameters.tile_output_phits = 32;
  parameters.nic_input_phits = 32;
  return parameters;
}

inline gemini::PacketNetwork& packets_of(Machine& machine) {
  return dynamic_cast<gemini::PacketNetwork&>(machine.network());
}

/// A fixed generator (64-bit LCG, Knuth's constants), high bits only.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t bound) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ >> 33) % bound;
  }

 private:
  std::uint64_t state_;
};

/// A put or a get of `bytes` between two nodes.
struct Transfer {
  Nid from = 0;
  Nid to = 0;
  std::uint64_t bytes = 0;
  bool is_get = false;
  std::uint16_t mode = 0;  ///< delivery mode
};

/// Starts all of them now. Puts read their bytes when they are injected.
inline void start(Machine& machine, const std::vector<Transfer>& transfers) {
  std::uint64_t place = 0;
  for (const Transfer& each : transfers) {
    machine.nic(each.to);
    const auto kind = each.is_get ? ugni::TransactionKind::get : ugni::TransactionKind::put;
    ugni::Transaction transaction = machine.make(kind, each.from, each.to, each.bytes);
    transaction.injector = 1;
    transaction.delivery_mode = each.mode;
    if (each.is_get) {
      Bytes& memory = machine.nic(each.to).memory;
      if (memory.size() < each.bytes) memory.resize(each.bytes);
    } else {
      transaction.remote_address = place;
      machine.nic(each.from).buffers[transaction.initiator_key] =
          random_bytes(each.bytes, transaction.initiator_key);
      place += each.bytes;
    }
    machine.network().submit(transaction, {});
  }
}

/// All have been done, each byte once, and no packet is left.
inline void expect_done(Machine& machine, const std::vector<Transfer>& transfers) {
  std::map<Nid, std::uint64_t> sent, answered;
  for (const Transfer& each : transfers) sent[each.from] += each.bytes;
  for (const auto& [nid, bytes] : sent) {
    EXPECT_EQ(machine.nic(nid).bytes_answered(), bytes) << "nid " << nid;
  }
  EXPECT_EQ(packets_of(machine).packets_in_tiles(), 0U);
  EXPECT_EQ(machine.network().standstill(), std::vector<std::string>());
}

}  // namespace gemini_test
