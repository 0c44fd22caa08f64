// Segments by offset.
#include "ugni_emu/nic/memory_segments.h"

#include <algorithm>
#include <cstring>

#include "ugni_emu/wire/memory_handle.h"

namespace nic {
namespace {

constexpr std::uint64_t page = std::uint64_t{1} << ugni::memory_handle::page_shift;

}  // namespace

MemorySegments::MemorySegments(std::span<const gni_mem_segment_t> segments) {
  std::uint64_t offset = 0;
  for (const gni_mem_segment_t& segment : segments) {
    pieces_.push_back({offset, segment.address, segment.length});
    offset += (segment.length + page - 1) / page * page;
  }
}

std::uint64_t MemorySegments::extent() const {
  return pieces_.back().offset + pieces_.back().length;
}

const MemorySegments::Piece& MemorySegments::piece_at(std::uint64_t offset) const {
  const auto behind =
      std::upper_bound(pieces_.begin(), pieces_.end(), offset,
                       [](std::uint64_t at, const Piece& piece) { return at < piece.offset; });
  return *(behind - 1);
}

bool MemorySegments::holds(std::uint64_t offset, std::uint64_t length) const {
  for (;;) {
    const Piece& piece = piece_at(offset);
    const std::uint64_t within = offset - piece.offset;
    if (within > piece.length) return false;
    const std::uint64_t here = std::min(length, piece.length - within);
    length -= here;
    if (length == 0) return true;
    if (&piece == &pieces_.back() || piece.length % page != 0) return false;
    offset += here;
  }
}

bool MemorySegments::has(std::uint64_t address) const {
  return std::any_of(pieces_.begin(), pieces_.end(),
                     [&](const Piece& piece) { return address - piece.address < piece.length; });
}

template <typename Bytes, typename Move>
void MemorySegments::move(std::uint64_t offset, Bytes bytes, Move move) const {
  while (!bytes.empty()) {
    const Piece& piece = piece_at(offset);
    const std::uint64_t within = offset - piece.offset;
    const std::size_t here = std::min<std::uint64_t>(bytes.size(), piece.length - within);
    move(reinterpret_cast<std::byte*>(piece.address + within), bytes.first(here));
    bytes = bytes.subspan(here);
    offset += here;
  }
}

void MemorySegments::read(std::uint64_t offset, std::span<std::byte> into) const {
  move(offset, into, [](const std::byte* from, std::span<std::byte> to) {
    std::memcpy(to.data(), from, to.size());
  });
}

void MemorySegments::write(std::uint64_t offset, std::span<const std::byte> from) const {
  move(offset, from, [](std::byte* to, std::span<const std::byte> bytes) {
    std::memcpy(to, bytes.data(), bytes.size());
  });
}

std::byte* MemorySegments::at(std::uint64_t offset) const {
  const Piece& piece = piece_at(offset);
  return reinterpret_cast<std::byte*>(piece.address + (offset - piece.offset));
}

}  // namespace nic
