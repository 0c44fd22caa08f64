// What --faults has made go wrong in a run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ugni_emu/faults/occasions.h"

namespace launch {

/// Of all parts of a run, by time and NIC.
class FaultList {
 public:
  FaultList() = default;
  /// What this process has: the first of `count`.
  FaultList(std::vector<faults::Fault> faults, std::uint64_t count)
      : faults_(std::move(faults)), count_(count) {}

  /// Of another process: each by itself.
  void add(const faults::Fault& fault);

  /// This part's share, and another part's to this one's.
  std::string pack() const;
  void add(std::string_view packed);

  /// By time and NIC.
  void sort();

  /// Lines with the columns fault, kind, time_us, node, peer.
  std::string csv() const;
  /// "12: post-fails 5, cq-overrun 7", or "none".
  std::string summary() const;

 private:
  std::vector<faults::Fault> faults_;
  std::uint64_t count_ = 0;
};

}  // namespace launch
