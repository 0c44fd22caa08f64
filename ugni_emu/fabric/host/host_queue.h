// Messages from one process to another of the same host, in memory that both map.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ugni_emu/fabric/transport/process_message.h"

namespace ugni::fabric {

/// One writer, one reader, no lock: a process that is killed at work leaves only its own messages
/// unfinished, which the reader does not see. Each message lies in lines of its own behind a word
/// with its size, which is written last; a word of zero says that nothing is there yet. The reader
/// makes the words zero again before the writer may come back, so a message costs the reader no
/// line but its own.
class HostQueue {
 public:
  static constexpr std::size_t line = 64;
  /// What lies in shared memory, zero at first.
  struct alignas(line) Shared {
    static constexpr std::size_t room = 65536;
    std::atomic<std::uint64_t> read{0};  ///< bytes that the writer may write again
    alignas(line) std::byte lines[room];
  };
  /// Largest message.
  static constexpr std::size_t limit = Shared::room / 4;

 protected:
  /// Before each message, which is aligned behind it.
  struct alignas(message_alignment) Head {
    static constexpr std::uint32_t nothing = 0;
    static constexpr std::uint32_t to_the_beginning = 1;  ///< the next message lies there
    static constexpr std::uint32_t message = 2;           ///< and more: its size
    std::atomic<std::uint32_t> word{nothing};
  };
  static constexpr std::size_t taken_by(std::size_t message) {
    return (sizeof(Head) + message + line - 1) / line * line;
  }
  static Head& head(Shared& shared, std::uint64_t position) {
    return *reinterpret_cast<Head*>(shared.lines + position % Shared::room);
  }
  static std::size_t left(std::uint64_t position) { return Shared::room - position % Shared::room; }
};

class HostQueueWriter : HostQueue {
 public:
  explicit HostQueueWriter(Shared& shared) : shared_(&shared) {}
  /// At most `limit` bytes. False if there is no room now.
  bool write(std::span<const std::byte> message);

 private:
  bool has_room(std::uint64_t up_to);

  Shared* shared_;
  std::uint64_t position_ = 0;
  std::uint64_t read_ = 0;  ///< at the last look
};

class HostQueueReader : HostQueue {
 public:
  explicit HostQueueReader(Shared& shared) : shared_(&shared) {}
  /// The next message, where it lies until next(); empty if there is none.
  std::span<const std::byte> look();
  void next();

 private:
  Shared* shared_;
  std::uint64_t position_ = 0;
  std::size_t seen_ = 0;  ///< of the message at position_
};

}  // namespace ugni::fabric
