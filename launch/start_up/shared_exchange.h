// Exchange of data among ranks that share memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace launch {

/// Every rank gives something and gets what all gave. What PMIx carries stays with it: it keeps all
/// that it was ever given, and every later exchange takes longer.
class SharedExchange {
 public:
  /// Of the memory: as large for all ranks.
  static std::size_t bytes_for(int ranks);

  SharedExchange(std::byte* memory, int rank, int ranks);

  /// `meet` returns when all ranks have called it; all do so equally often. Each may give another
  /// number of bytes; the result is by rank.
  std::vector<std::vector<std::byte>> exchange(std::span<const std::byte> in,
                                               const std::function<void()>& meet);

  /// The rank will meet no more.
  void leave();
  /// Within `meet`: a rank that will not come, or -1.
  int missing() const;

 private:
  struct Slot;

  Slot* slots_;
  std::uint64_t* left_;  ///< by rank: 0, or from which meeting on it is missing
  int rank_;
  int ranks_;
  std::uint64_t meetings_ = 0;
};

}  // namespace launch
