// Wakes the sleeping processes of a host: a flag each in shared memory, and a socket to ring.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ugni::fabric {

/// A process that is about to sleep in the kernel sets its flag and looks once more; whoever has
/// put something into its queue looks at the flag afterwards, and only if it is set makes a system
/// call: a datagram of one byte. Both put a full fence between the two, so at least one sees the
/// other. Nothing of it has a name in a file system.
class Doorbell {
 public:
  /// What other processes of the host need to know of this one.
  struct Card {
    std::int32_t process = 0;  ///< id
    std::int32_t file = -1;    ///< the memory file of the flags: the host's first process's
    std::uint8_t name_size = 0;
    char name[15] = {};  ///< of its socket, abstract
  };

  /// `first` makes the flags' file, for `members` processes.
  Doorbell(bool first, std::size_t members);
  ~Doorbell();
  Doorbell(const Doorbell&) = delete;
  Doorbell& operator=(const Doorbell&) = delete;

  Card card() const;
  /// The cards of the host's processes, this one's at `own`. Throws std::runtime_error.
  void meet(std::vector<Card> cards, std::size_t own);

  /// This process goes to sleep, or polls again.
  void arm();
  void disarm();
  /// After something was put into `member`'s queue. False if it is gone.
  bool ring(std::size_t member) {
    full_fence();
    if (flags_[member].asleep.load(std::memory_order_relaxed) == 0) return true;
    return wake(member);
  }
  /// Makes wait_descriptor() readable in this process itself.
  void ring_self();
  int wait_descriptor() const { return socket_; }
  /// Bytes that were sent to wake this process up, so far taken in.
  std::uint64_t rung() const { return rung_; }

 private:
  struct alignas(64) Flag {
    std::atomic<std::uint32_t> asleep{0};
  };
  /// Nothing passes it, not even a load a store. (The thread sanitizer refuses fences.)
  static void full_fence() {
#if defined(__SANITIZE_THREAD__)
    std::atomic<int> word{0};
    word.fetch_add(1, std::memory_order_seq_cst);
#else
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  }
  bool wake(std::size_t member);
  void take_bytes();
  bool send_byte(const Card& card);

  std::size_t members_;
  std::size_t own_ = 0;
  int socket_ = -1;
  int file_ = -1;
  Flag* flags_ = nullptr;
  std::vector<Card> cards_;
  bool armed_ = false;
  std::uint64_t expected_ = 0;  ///< bytes that were sent, or will be, and are not taken in yet
  std::uint64_t rung_ = 0;
};

}  // namespace ugni::fabric
