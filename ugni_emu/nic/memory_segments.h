// Memory in several pieces that is registered as one region.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ugni_emu/include/gni_pub.h"

namespace nic {

/// Addressed by offset, from 0: the segments follow each other, each in whole pages. What lies
/// between a segment's end and the end of its last page belongs to no segment.
class MemorySegments {
 public:
  explicit MemorySegments(std::span<const gni_mem_segment_t> segments);

  /// Bytes of all segments, in whole pages but for the last one.
  std::uint64_t extent() const;
  /// True if all of [offset, offset + length) lies in segments.
  bool holds(std::uint64_t offset, std::uint64_t length) const;
  /// True if a segment has the address.
  bool has(std::uint64_t address) const;

  // What is at an offset that holds() has said yes to.
  void read(std::uint64_t offset, std::span<std::byte> into) const;
  void write(std::uint64_t offset, std::span<const std::byte> from) const;
  std::byte* at(std::uint64_t offset) const;

 private:
  struct Piece {
    std::uint64_t offset;
    std::uint64_t address;
    std::uint64_t length;
  };
  const Piece& piece_at(std::uint64_t offset) const;
  template <typename Bytes, typename Move>
  void move(std::uint64_t offset, Bytes bytes, Move move) const;

  std::vector<Piece> pieces_;
};

}  // namespace nic
