// Memory that ARMCI gives out, and what a rank knows of the others'.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "corespec/threads/process.h"
#include "ugni_emu/rma/block_heap.h"
#include "ugni_emu/rma/rma_port.h"

namespace armci {

/// A chunk of a rank's memory: plain data that ranks exchange. It lies in node memory, where the
/// node's helper thread and other ranks find it under its number.
struct Chunk {
  std::uint64_t address = 0;  ///< in its owner
  std::uint64_t bytes = 0;
  gni_mem_handle_t handle{};
  std::int32_t number = 0;  ///< of its owner's
  std::int32_t owner = 0;   ///< rank
};

/// A block that was allocated: what others may transfer to and from.
struct Slot {
  std::uint64_t address = 0;  ///< in its owner; 0: none
  std::uint64_t bytes = 0;
  Chunk chunk;
};

/// Where a chunk of a rank of this node is in this process.
std::byte* view_of(corespec::Process& process, const Chunk& chunk);
std::byte* view_of(corespec::Process& process, int owner, int number, std::uint64_t bytes);
/// Null if there is no such chunk.
std::byte* find_view(corespec::Process& process, int owner, int number, std::uint64_t bytes);

/// A rank's own memory: chunks out of node memory, registered, blocks out of chunks.
class Arena {
 public:
  explicit Arena(rma::RmaPort& port) : port_(port) {}
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// A block of `bytes` (not 0), zeroed at its first use only; none (address 0) if there is not
  /// that much memory.
  Slot allocate(std::uint64_t bytes);
  /// False if it is no block.
  bool release(const void* block);

 private:
  struct Part {
    Chunk chunk;
    std::unique_ptr<rma::BlockHeap> heap;
  };
  Part* open(std::uint64_t bytes);
  static Slot slot_in(const Part& part, void* block, std::uint64_t bytes);

  rma::RmaPort& port_;
  std::vector<Part> parts_;
};

/// The blocks of all ranks that this one may reach.
class RemoteMemory {
 public:
  void add(const Slot& slot);
  /// The block of `rank` that holds [address, address + bytes); null if none does.
  const Slot* find(int rank, std::uint64_t address, std::uint64_t bytes) const;
  void remove(int rank, std::uint64_t address);

 private:
  std::map<int, std::map<std::uint64_t, Slot>> slots_;  ///< by rank and address
};

}  // namespace armci
