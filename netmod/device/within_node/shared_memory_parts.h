// What lies in the memory that a node's ranks share, for the files that messages within it have.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "corespec/events/prefetch_lines.h"
#include "netmod/device/messages/packet.h"
#include "netmod/device/within_node/shared_memory.h"
#include "ugni_emu/doors/doors.h"

namespace netmod {

/// Lies in node memory: no pointers, only numbers. Zero bytes are an empty cell. An eager message's
/// data lies in the cell if it fits; else in its room, or in a payload, which may have it lent.
/// With a payload only the first line of the cell is touched.
struct alignas(corespec::line_bytes) SharedMemory::Cell {
  std::atomic<std::uint32_t> next;  ///< in the receiver's queue, or in a list of free cells
  std::uint32_t number;             ///< from 1
  std::int32_t sender;              ///< rank of the job
  std::uint16_t sender_local;       ///< its local rank
  bool lent;                        ///< by the sender: the payload's bytes
  PacketHeader header;              ///< eager: with the payload in place of the receiver's request
  MemoryReference memory;
  std::byte few[32];

  void set_payload(ugni::PayloadBlock* block) {
    header.receive_request = reinterpret_cast<std::uint64_t>(block);
  }
  /// Null if there is none.
  ugni::PayloadBlock* payload() const {
    return header.kind == PacketKind::eager && header.bytes > sizeof few
               ? reinterpret_cast<ugni::PayloadBlock*>(header.receive_request)
               : nullptr;
  }
};

/// A multiple-producer single-consumer list, by cell numbers, and what has come back to its owner;
/// zero bytes are an empty one. A line of memory.
struct alignas(corespec::line_bytes) SharedMemory::Queue {
  std::atomic<std::uint32_t> tail;         ///< last cell enqueued
  std::atomic<std::uint32_t> first;        ///< first of an empty queue's new cells
  std::atomic<std::uint32_t> returned[2];  ///< cells that the owner may take again
  std::atomic<std::uint32_t> starving;     ///< the owner waits for one of them
  std::atomic<std::uint64_t> signal;       ///< address of the owner's, if the memory is one address
                                           ///< space and another rank has found it
};

/// The node's cells; zero bytes are all of them, unused.
struct alignas(corespec::line_bytes) SharedMemory::Pool {
  std::atomic<std::uint64_t> free[2];   ///< last used first: number, and in the upper half a count
                                        ///< of changes, by which a stale look at it shows
  std::atomic<std::uint32_t> fresh[2];  ///< so many have been used at all
};

inline SharedMemory::Pool& SharedMemory::pool() const { return *reinterpret_cast<Pool*>(base_); }

inline SharedMemory::Queue& SharedMemory::queue_of(int local) const {
  return reinterpret_cast<Queue*>(base_ + sizeof(Pool))[local];
}

inline SharedMemory::Cell& SharedMemory::cell(std::uint32_t number) const {
  const std::size_t index = number - 1;
  if (index >= std::size_t{all_cells} * ranks_) fail_memory();
  const std::size_t near = std::size_t{near_cells} * ranks_;
  std::byte* const first =
      index < near ? base_ + sizeof(Pool) + ranks_ * sizeof(Queue) : rest_ - near * sizeof(Cell);
  return reinterpret_cast<Cell*>(first)[index];
}

}  // namespace netmod
