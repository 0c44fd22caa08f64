// Messages between the processes of a host, through queues in the memory that they share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ugni_emu/fabric/host/host_queue.h"
#include "ugni_emu/fabric/transport/transport.h"

namespace ugni::fabric {

/// A queue for each pair and direction, of which only those take memory that are used: before its
/// first message a writer shows itself to the reader, which looks at nothing else.
class HostTransport final : public Transport {
 public:
  /// Shared memory, zero at first, for so many processes.
  static std::size_t memory_bytes(std::size_t members);

  /// `own`: this process's number among `members`.
  HostTransport(std::size_t members, std::size_t own);
  ~HostTransport() override;
  /// Before anything else but address().
  void share(std::byte* memory) { memory_ = memory; }

  std::string name() const override { return "shared memory"; }
  bool by_memory() const override { return true; }
  std::vector<std::byte> address() const override;
  Address add(std::span<const std::byte> address, pid_t process) override;
  std::size_t limit() const override { return Buffer::room; }
  Outcome send(Address to, Buffer& buffer) override;
  Outcome read(Address from, std::span<std::byte> into, RemoteMemory memory,
               Movement& movement) override;
  Outcome write(Address to, std::span<const std::byte> data, RemoteMemory memory,
                Movement& movement) override;
  std::unique_ptr<Registration> expose(std::byte* address, std::size_t bytes) override;
  bool poll(TransportClient& client) override;

 private:
  struct Member {
    pid_t process = -1;
    HostQueueWriter queue;
    bool shown = false;  ///< it knows that something comes from here
  };
  using Word = std::atomic<std::uint64_t>;

  /// The bits of those that write to `reader`.
  Word* writers(std::size_t reader) const;
  HostQueue::Shared& queue(std::size_t reader, std::size_t writer) const;
  void look_for_writers();

  std::byte* memory_ = nullptr;
  std::size_t members_;
  std::size_t own_;
  std::vector<std::optional<Member>> peers_;  ///< by number
  std::vector<std::uint64_t> known_;          ///< of writers(own_)
  struct Reader {
    Address from;
    HostQueueReader queue;
  };
  std::vector<Reader> readers_;  ///< in the order of their first messages
};

}  // namespace ugni::fabric
