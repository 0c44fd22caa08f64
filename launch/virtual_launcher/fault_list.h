// What --faults has made go wrong in a run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ugni_emu/faults/faulty_wire.h"

namespace launch {

/// Of all parts of a run, by time and NIC.
class FaultList {
 public:
  /// `wire`: this process's; null: nothing is to go wrong.
  explicit FaultList(const faults::FaultyWire* wire);

  /// This part's share, and another part's to this one's.
  std::string pack() const;
  void add(std::string_view packed);

  /// Lines with the columns fault, kind, time_us, node, peer.
  std::string csv() const;
  /// "12: post-fails 5, cq-overrun 7", or "none".
  std::string summary() const;

 private:
  void sort();

  std::vector<faults::Fault> faults_;
  std::uint64_t count_ = 0;
};

}  // namespace launch
