// A file in memory with a directory of named segments and signals, shared by processes.
#include "corespec/live/shared_node_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>

namespace corespec {
namespace {

constexpr std::size_t memory_page = 4096;
constexpr std::uint64_t format_mark = 0x31304d4d52545343;  // "CSTRMM01"

enum Kind : std::uint32_t { unused, segment_kind, signal_kind };

std::size_t whole_pages(std::size_t bytes) {
  return std::max<std::size_t>(1, (bytes + memory_page - 1) / memory_page) * memory_page;
}

[[noreturn]] void fail(std::string_view what, int error) {
  throw std::runtime_error(fmt::format("node memory: {}: {}", what, std::strerror(error)));
}

/// Copies as many of the bytes as it can, out of another process's memory; 0: none, for a reason.
std::size_t read_memory(int pid, std::byte* to, const std::byte* from, std::size_t bytes,
                        int& error) {
  const iovec local{to, bytes};
  const iovec remote{const_cast<std::byte*>(from), bytes};
  ssize_t copied = 0;
  do {
    copied = process_vm_readv(pid, &local, 1, &remote, 1, 0);
  } while (copied < 0 && errno == EINTR);
  error = copied > 0 ? 0 : copied == 0 ? EFAULT : errno;
  return copied > 0 ? static_cast<std::size_t>(copied) : 0;
}

[[noreturn]] void fail_to_read(int rank, int pid, const std::byte* from, std::size_t bytes,
                               int error) {
  if (error == EFAULT) {
    throw std::runtime_error(
        fmt::format("rank {} has no memory at {}, from where {} bytes are to be copied", rank,
                    static_cast<const void*>(from), bytes));
  }
  const char* const advice =
      error == EPERM ? " (kernel.yama.ptrace_scope above 1, or a container without SYS_PTRACE, "
                       "forbids it)"
                     : "";
  throw std::runtime_error(
      fmt::format("cannot read {} bytes of rank {}'s memory (process {}): {}{}", bytes, rank, pid,
                  std::strerror(error), advice));
}

}  // namespace

/// A name. Zero bytes are an unused entry; a signal lies in its own, alone in its line of memory.
struct alignas(64) SharedNodeMemory::Entry {
  std::atomic<std::uint32_t> kind;  ///< stored last: a process that dies meanwhile leaves no half
  std::atomic<std::uint32_t> generation;  ///< moves on whenever the entry gets or loses its name
  std::uint64_t offset;
  std::uint64_t bytes;
  char name[longest_name + 1];
  alignas(64) Signal signal;
};

struct SharedNodeMemory::Directory {
  std::uint64_t mark;
  pthread_mutex_t lock;  ///< of processes: one that finds it with a dead one's name goes on
  std::uint64_t end;     ///< of the file's last segment
  std::uint32_t used;    ///< entries up to here have been used
  Entry entries[most_names];
};

/// Holds the directory.
class SharedNodeMemory::Lock {
 public:
  explicit Lock(Directory& directory) : directory_(directory) {
    const int result = pthread_mutex_lock(&directory_.lock);
    // Its owner died. Every change becomes visible by one store, so nothing is half done.
    if (result == EOWNERDEAD) {
      pthread_mutex_consistent(&directory_.lock);
    } else if (result != 0) {
      fail("the directory's lock", result);
    }
  }
  ~Lock() { pthread_mutex_unlock(&directory_.lock); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  Directory& directory_;
};

int SharedNodeMemory::make_file() {
  const int fd = memfd_create("castor-node", MFD_CLOEXEC);
  if (fd < 0) fail("cannot make a file in memory", errno);
  const std::size_t bytes = whole_pages(sizeof(Directory));
  void* base = MAP_FAILED;
  if (ftruncate(fd, static_cast<off_t>(bytes)) == 0) {
    base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  if (base == MAP_FAILED) {
    const int error = errno;
    close(fd);
    fail("cannot make a directory of names", error);
  }
  auto& directory = *static_cast<Directory*>(base);
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&directory.lock, &attributes);
  pthread_mutexattr_destroy(&attributes);
  directory.end = bytes;
  directory.mark = format_mark;
  munmap(base, bytes);
  return fd;
}

SharedNodeMemory::SharedNodeMemory(int leader_pid, int leader_fd, std::vector<int> ranks,
                                   std::vector<int> pids)
    : ranks_(std::move(ranks)), pids_(std::move(pids)) {
  const std::string path = fmt::format("/proc/{}/fd/{}", leader_pid, leader_fd);
  fd_ = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd_ < 0) fail(fmt::format("cannot open the first rank's memory ({})", path), errno);
  try {
    directory_ = reinterpret_cast<Directory*>(map(0, sizeof(Directory)));
  } catch (...) {
    close(fd_);
    throw;
  }
  if (directory_->mark != format_mark) {
    munmap(directory_, whole_pages(sizeof(Directory)));
    close(fd_);
    throw std::runtime_error(fmt::format("node memory: {} is not a node's memory", path));
  }
  // Where the system lets only a process's parents look into it: the node's other ranks may.
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0UL, 0UL, 0UL);
}

SharedNodeMemory::~SharedNodeMemory() {
  for (const auto& [name, mapping] : mapped_) munmap(mapping.base, whole_pages(mapping.bytes));
  for (const Mapping& mapping : outdated_) munmap(mapping.base, whole_pages(mapping.bytes));
  munmap(directory_, whole_pages(sizeof(Directory)));
  close(fd_);
}

std::byte* SharedNodeMemory::map(std::uint64_t offset, std::size_t bytes) const {
  void* base = mmap(nullptr, whole_pages(bytes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                    fd_, static_cast<off_t>(offset));
  if (base == MAP_FAILED) fail(fmt::format("cannot map {} bytes", bytes), errno);
  return static_cast<std::byte*>(base);
}

/// Holding the directory.
SharedNodeMemory::Entry* SharedNodeMemory::find_entry(const std::string& name,
                                                      std::uint32_t kind) const {
  for (std::uint32_t i = 0; i < directory_->used; ++i) {
    Entry& entry = directory_->entries[i];
    if (entry.kind.load(std::memory_order_relaxed) == kind && name == entry.name) return &entry;
  }
  return nullptr;
}

/// An entry with that name, of no kind yet. Holding the directory.
SharedNodeMemory::Entry& SharedNodeMemory::add(const std::string& name, std::uint32_t kind) {
  if (name.size() > longest_name) {
    throw std::invalid_argument(
        fmt::format("node memory '{}': a name has at most {} characters", name, longest_name));
  }
  // Signals are never given back: their entries are not used again.
  Entry* entry = nullptr;
  for (std::uint32_t i = 0; kind == segment_kind && i < directory_->used; ++i) {
    Entry& each = directory_->entries[i];
    if (each.kind.load(std::memory_order_relaxed) == unused) entry = &each;
  }
  if (entry == nullptr) {
    if (directory_->used == most_names) {
      throw std::runtime_error(
          fmt::format("node memory '{}': there are {} names already", name, most_names));
    }
    entry = &directory_->entries[directory_->used++];
  }
  std::memcpy(entry->name, name.c_str(), name.size() + 1);
  entry->generation.fetch_add(1, std::memory_order_relaxed);
  return *entry;
}

SharedNodeMemory::Entry& SharedNodeMemory::obtain_segment(const std::string& name,
                                                          std::size_t bytes) {
  const Lock lock(*directory_);
  if (Entry* found = find_entry(name, segment_kind)) {
    if (found->bytes != bytes) {
      throw std::invalid_argument("node memory '" + name + "' exists with another size");
    }
    return *found;
  }
  Entry& entry = add(name, segment_kind);
  entry.offset = directory_->end;
  entry.bytes = bytes;
  // The file is sparse: a page that no process touches does not exist.
  const std::uint64_t end = entry.offset + whole_pages(bytes);
  if (ftruncate(fd_, static_cast<off_t>(end)) != 0) {
    fail(fmt::format("cannot make '{}' of {} bytes", name, bytes), errno);
  }
  directory_->end = end;
  entry.kind.store(segment_kind, std::memory_order_release);
  return entry;
}

/// What this process has mapped under the name already; null if it has not, or it has gone.
const SharedNodeMemory::Mapping* SharedNodeMemory::find_mapped(const std::string& name) {
  const auto found = mapped_.find(name);
  if (found == mapped_.end()) return nullptr;
  const Mapping& mapping = found->second;
  if (mapping.entry->generation.load(std::memory_order_acquire) == mapping.generation) {
    return &mapping;
  }
  outdated_.push_back(mapping);
  mapped_.erase(found);
  return nullptr;
}

std::byte* SharedNodeMemory::map(const std::string& name, Entry& entry) {
  const std::uint32_t generation = entry.generation.load(std::memory_order_acquire);
  const std::size_t bytes = entry.bytes;
  std::byte* const base = map(entry.offset, bytes);
  mapped_.emplace(name, Mapping{&entry, generation, base, bytes});
  return base;
}

std::byte* SharedNodeMemory::segment(const std::string& name, std::size_t bytes) {
  const std::lock_guard<std::mutex> guard(mutex_);
  if (const Mapping* const mapping = find_mapped(name)) {
    if (mapping->bytes != bytes) {
      throw std::invalid_argument("node memory '" + name + "' exists with another size");
    }
    return mapping->base;
  }
  return map(name, obtain_segment(name, bytes));
}

std::byte* SharedNodeMemory::find(const std::string& name, std::size_t bytes) {
  const std::lock_guard<std::mutex> guard(mutex_);
  if (const Mapping* const mapping = find_mapped(name)) {
    return mapping->bytes == bytes ? mapping->base : nullptr;
  }
  Entry* found = nullptr;
  {
    const Lock lock(*directory_);
    found = find_entry(name, segment_kind);
    if (found == nullptr || found->bytes != bytes) return nullptr;
  }
  return map(name, *found);
}

bool SharedNodeMemory::holds(const void* at) const {
  const std::lock_guard<std::mutex> guard(mutex_);
  const auto* address = static_cast<const std::byte*>(at);
  return std::any_of(mapped_.begin(), mapped_.end(), [address](const auto& entry) {
    const Mapping& mapping = entry.second;
    return address >= mapping.base && address < mapping.base + mapping.bytes;
  });
}

Signal& SharedNodeMemory::signal(const std::string& name) {
  const std::lock_guard<std::mutex> guard(mutex_);
  Signal*& known = signals_[name];
  if (known != nullptr) return *known;
  const Lock lock(*directory_);
  Entry* entry = find_entry(name, signal_kind);
  if (entry == nullptr) {
    entry = &add(name, signal_kind);
    entry->kind.store(signal_kind, std::memory_order_release);
  }
  known = &entry->signal;
  return *known;
}

void SharedNodeMemory::remove(const std::string& name) {
  const std::lock_guard<std::mutex> guard(mutex_);
  const auto found = mapped_.find(name);
  if (found != mapped_.end()) {
    munmap(found->second.base, whole_pages(found->second.bytes));
    mapped_.erase(found);
  }
  const Lock lock(*directory_);
  Entry* const entry = find_entry(name, segment_kind);
  if (entry == nullptr) return;
  entry->generation.fetch_add(1, std::memory_order_release);
  entry->kind.store(unused, std::memory_order_release);
  // Gives the memory back; the place in the file is not used again.
  fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(entry->offset),
            static_cast<off_t>(whole_pages(entry->bytes)));
}

void SharedNodeMemory::copy_from_rank(int rank, std::byte* to, const std::byte* from,
                                      std::size_t bytes) {
  const auto found = std::find(ranks_.begin(), ranks_.end(), rank);
  if (found == ranks_.end()) {
    throw std::runtime_error(fmt::format("node memory: rank {} is not on this node", rank));
  }
  const int pid = pids_[static_cast<std::size_t>(found - ranks_.begin())];
  if (pid == getpid()) {
    std::memmove(to, from, bytes);
    return;
  }
  while (bytes != 0) {
    int error = 0;
    std::size_t copied = read_memory(pid, to, from, bytes, error);
    if (error == EFAULT) {
      // If it is this end where no memory is, that is a fault as any other of this process's code.
      std::array<std::byte, memory_page> buffer;
      copied = read_memory(pid, buffer.data(), from, std::min(bytes, buffer.size()), error);
      std::memcpy(to, buffer.data(), copied);
    }
    if (copied == 0) fail_to_read(rank, pid, from, bytes, error);
    to += copied;
    from += copied;
    bytes -= copied;
  }
}

}  // namespace corespec
