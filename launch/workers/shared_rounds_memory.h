// The memory through which the workers of a host meet.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "corespec/host/futex.h"
#include "corespec/time/time.h"
#include "corespec/virtual/rounds.h"
#include "launch/workers/mail.h"

namespace launch {

/// Made before the workers are: it has the same address in each of them. It has room for all parts
/// of the job; what those of other hosts say is brought here (pack(), unpack()).
class SharedRoundsMemory {
 public:
  /// Of addresses, for all letters of two rounds; memory is used where it is touched.
  static constexpr std::size_t usual_room = std::size_t{1} << 40;
  /// Throws std::runtime_error with one line.
  explicit SharedRoundsMemory(std::size_t parts, std::size_t room = usual_room);
  ~SharedRoundsMemory();
  SharedRoundsMemory(const SharedRoundsMemory&) = delete;
  SharedRoundsMemory& operator=(const SharedRoundsMemory&) = delete;

  std::size_t parts() const { return parts_; }
  std::size_t box_bytes() const { return box_bytes_; }

  /// Where a part says how far it is; of its fronts that of the last round and that of the one
  /// before, which others may still be reading.
  struct alignas(64) Place {
    corespec::futex::Word arrived = 0;        ///< the round
    std::atomic<std::uint32_t> sleepers = 0;  ///< that wait for this part
    std::atomic<bool> has_left = false;       ///< it has met for the last time
    alignas(64) std::array<corespec::Rounds::Front, 2> fronts;
    /// In this round, which fronts say already.
    void arrive(std::uint32_t round);
  };
  Place& place(std::size_t part) const;

  /// What a part writes to another one in every other round: letters, one behind the other.
  struct alignas(64) Box {
    std::size_t used = 0;
    std::uint32_t round = 0;  ///< in which it was written, if its writer has begun that
    corespec::Time at_routers = corespec::Time::max();
    corespec::Time at_nodes = corespec::Time::max();
    std::byte* letters() { return reinterpret_cast<std::byte*>(this + 1); }
    const std::byte* letters() const { return reinterpret_cast<const std::byte*>(this + 1); }
  };
  Box& box(std::uint32_t round, std::size_t from, std::size_t to) const;

  struct LetterHead {
    std::uint64_t bytes;
    Subject subject;
  };
  /// Of a letter with its head.
  static constexpr std::size_t letter_bytes(std::size_t content) {
    return sizeof(LetterHead) + (content + 7) / 8 * 8;
  }
  static_assert(sizeof(LetterHead) == 16);

  /// Neighbouring parts.
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t size() const { return end - begin; }
    bool holds(std::size_t part) const { return begin <= part && part < end; }
  };
  /// What the parts of one host have said in a round, when all of them have arrived, as far as it
  /// concerns `to`, those of another host.
  std::size_t packed_bytes(std::uint32_t round, Range from, Range to) const;
  void pack(std::uint32_t round, Range from, Range to, std::span<std::byte> into) const;
  /// On the other host: as if the parts had said it here. False if it is not what pack() makes; no
  /// part has arrived then.
  bool unpack(std::uint32_t round, Range from, Range to, std::span<const std::byte> packed);

  /// The letters to the first part of one that is in this round still.
  std::span<const std::byte> letters_so_far(std::uint32_t round, std::size_t from) const;
  bool set_letters_so_far(std::uint32_t round, std::size_t from,
                          std::span<const std::byte> letters);

 private:
  bool are_letters(std::span<const std::byte> bytes) const;

  std::size_t parts_;
  std::size_t box_bytes_;
  std::size_t bytes_;
  std::byte* memory_;
};

}  // namespace launch
