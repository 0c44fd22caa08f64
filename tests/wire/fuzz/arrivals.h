// One process's whole receiving side (validator, streams, responses, routes, NIC) for fuzzing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace wire_test {

/// What arrives at rank 0 from rank 1, which never looks at what it gets back. Rank 0 has a NIC
/// with a registered region, a mailbox of rank 1's, and transactions of each kind under way.
/// Memory, numbers and times are the same in every process, so that inputs mean the same: what a
/// NIC does later it does in wait(), and what it has not done at the end it never does.
class Arrivals {
 public:
  Arrivals();
  ~Arrivals();
  Arrivals(const Arrivals&) = delete;
  Arrivals& operator=(const Arrivals&) = delete;

  /// One arrival, a message or a parcel. False if it has ended the job, with a line.
  bool take(std::span<const std::byte> arrived, bool sender_known);
  /// What was put off until now comes due. False if that has ended the job, with a line.
  bool wait();
  /// Several of them: a byte whose lowest bit says whether the sender is known and the next one
  /// whether it comes after a wait(), two with the size, and so many bytes. What ends the job ends
  /// it.
  void take_all(std::span<const std::uint8_t> input);

  /// Arrivals of every kind that are in order, in an order in which they may come.
  std::vector<std::vector<std::byte>> examples() const;
  /// Of the region: false if what lies behind or before it has been written.
  bool is_whole() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace wire_test
