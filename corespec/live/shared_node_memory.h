// Node memory of processes: what the ranks of a node share, by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "corespec/threads/node.h"

namespace corespec {

/// Memory by name in one file that exists in memory only, and each other's process ids. Nothing of
/// it has a name in a file system that could stay behind: it goes with the last process.
class SharedNodeMemory final : public NodeMemory {
 public:
  static constexpr std::size_t longest_name = 79;
  static constexpr std::size_t most_names = 65536;

  /// Makes the file, empty; the caller closes the descriptor when all of the node's processes have
  /// theirs. Throws std::runtime_error with one line.
  static int make_file();

  /// Collective over the node's processes, one per local rank: `leader_fd` is the descriptor that
  /// the first one's make_file() gave, `leader_pid` its process. `ranks` (of the job) and `pids` by
  /// local rank. Throws std::runtime_error with one line.
  SharedNodeMemory(int leader_pid, int leader_fd, std::vector<int> ranks, std::vector<int> pids);
  ~SharedNodeMemory() override;
  SharedNodeMemory(const SharedNodeMemory&) = delete;
  SharedNodeMemory& operator=(const SharedNodeMemory&) = delete;

  // NodeMemory. Memory that one process has removed while others use it stays theirs, with nothing
  // in it. copy_from_rank() throws std::runtime_error with one line if the system refuses.
  std::byte* segment(const std::string& name, std::size_t bytes) override;
  std::byte* find(const std::string& name, std::size_t bytes) override;
  bool holds(const void* at) const override;
  Signal& signal(const std::string& name) override;
  void copy_from_rank(int rank, std::byte* to, const std::byte* from, std::size_t bytes) override;
  void remove(const std::string& name) override;

 private:
  struct Entry;
  struct Directory;
  class Lock;
  /// Where a segment is in this process.
  struct Mapping {
    Entry* entry;
    std::uint32_t generation;  ///< of the entry, when it was mapped
    std::byte* base;
    std::size_t bytes;
  };

  std::byte* map(std::uint64_t offset, std::size_t bytes) const;
  std::byte* map(const std::string& name, Entry& entry);
  const Mapping* find_mapped(const std::string& name);
  Entry* find_entry(const std::string& name, std::uint32_t kind) const;
  Entry& add(const std::string& name, std::uint32_t kind);
  Entry& obtain_segment(const std::string& name, std::size_t bytes);

  int fd_ = -1;
  std::vector<int> ranks_;
  std::vector<int> pids_;
  Directory* directory_ = nullptr;
  mutable std::mutex mutex_;  ///< of this process's threads
  std::map<std::string, Mapping> mapped_;
  std::vector<Mapping> outdated_;  ///< removed by others, and perhaps in use here
  std::map<std::string, Signal*> signals_;
};

}  // namespace corespec
